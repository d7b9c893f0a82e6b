"""Asks one engine one of the two questions of the bench `questions`, once, and writes what it cost as a line of JSON.

python engines.py ENGINE QUESTION SINCE FILE...
"""

import json
import resource
import sys
import time

MEMORY = 1 << 30
TEXT = "publish part-77"

# The same words for both, but for the name of an exact percentile.
REFUSALS = """
    select hook, member, count(*) as decided, count(*) filter (where verdict in ('deny', 'halt')) as refused,
      count(*) filter (where would_deny > 0) as would_refuse, PERCENTILE as p95
    from FILES where (hook <> '' or would_deny > 0) and "at" >= SINCE and verdict in ('deny', 'halt')
    group by hook, member order by refused desc, decided desc limit 200"""
SEARCH = f"""
    select "at", member, machine, host, tool, verdict, hook, attempted, reason, id
    from FILES where "at" >= SINCE and strpos(lower(attempted), '{TEXT}') > 0 order by "at" desc limit 100"""


def with_duckdb(question, since, files):
    import duckdb

    asked = duckdb.connect(config={"threads": 2, "memory_limit": f"{MEMORY}B"})
    asked.execute("set TimeZone='UTC'; set enable_progress_bar=false")
    question = question.replace("PERCENTILE", "quantile_cont(took_us, 0.95)")
    question = question.replace("FILES", f"read_parquet({files})")
    return lambda: len(asked.execute(question.replace("SINCE", f"epoch_ms({since})")).fetchall())


def with_datafusion(question, since, files):
    import datafusion

    settings = datafusion.SessionConfig().with_target_partitions(2)
    # Without it the texts of all rows are read; the files are the same.
    settings = settings.set("datafusion.execution.parquet.pushdown_filters", "true")
    limits = datafusion.RuntimeEnvBuilder().with_fair_spill_pool(MEMORY)
    asked = datafusion.SessionContext(settings, limits)
    parts = []
    for folder in sorted({file.rsplit("/", 1)[0] for file in files}):
        asked.register_parquet(f"day{len(parts)}", folder + "/")
        parts.append(f"select * from day{len(parts)}")
    question = question.replace("PERCENTILE", "percentile_cont(took_us, 0.95)")
    question = question.replace("FILES", f"({' union all '.join(parts)})")
    question = question.replace("SINCE", f"to_timestamp_millis({since})")
    return lambda: asked.sql(question).to_arrow_table().num_rows


def main():
    engine, question, since, *files = sys.argv[1:]
    asking = {"duckdb": with_duckdb, "datafusion": with_datafusion}[engine]
    words = {"refusals": REFUSALS, "search": SEARCH}[question]
    begun = time.perf_counter()
    rows = asking(words, int(since), files)()
    took = time.perf_counter() - begun
    of = resource.getrusage(resource.RUSAGE_SELF)
    spent = of.ru_utime + of.ru_stime
    print(json.dumps({"rows": rows, "seconds": took, "processors": spent, "megabytes": of.ru_maxrss // 1024}))


main()
