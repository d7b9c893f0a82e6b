defmodule Anyhook do
  @moduledoc "Asks `anyhook run --host athena` about every event of a run."
  require Logger

  @groups [:PreToolUse, :PostToolUse]

  @doc "A hook table. `around` is what a payload may not have: `session_id` and `cwd`."
  def hooks(around \\ %{}) do
    Map.new(ExAthena.Hooks.events(), fn event ->
      ask = fn input, id -> ask(event, input, id, around) end
      {event, if(event in @groups, do: [%{matcher: nil, hooks: [ask]}], else: [ask])}
    end)
  end

  @doc "Asks about one event. Whatever goes wrong raises, which halts the run."
  def ask(event, input, id, around \\ %{}) do
    around
    |> Map.drop(Map.keys(input))
    |> Map.merge(%{event: event, id: id, input: input})
    |> plain()
    |> Jason.encode!()
    |> run(Atom.to_string(event))
    |> return()
  end

  # `System.cmd/3` cannot write to a program's standard input, and a port cannot close it, so a shell reads a file.
  defp run(json, event) do
    random = Base.encode16(:crypto.strong_rand_bytes(16))
    folder = Path.join(System.tmp_dir!(), "anyhook-" <> random)
    File.mkdir!(folder)

    try do
      File.chmod!(folder, 0o700)
      file = Path.join(folder, "event.json")
      File.write!(file, json)
      System.cmd("sh", ["-c", ~S(exec anyhook run "$0" --host athena < "$1"), event, file])
    after
      File.rm_rf!(folder)
    end
  end

  # An event that the library does not have, for one, is exit code 64.
  defp return({_, code}) when code != 0, do: raise("anyhook run failed with exit code #{code}")
  defp return({"", 0}), do: :ok

  defp return({json, 0}) do
    said = Jason.decode!(json)
    for text <- Map.get(said, "notices", []), do: Logger.warning(text)

    case said do
      %{"return" => "ok"} -> :ok
      %{"return" => "halt", "reason" => reason} -> {:halt, reason}
      %{"return" => "deny", "reason" => reason} -> {:deny, reason}
      %{"return" => "inject", "messages" => all} -> {:inject, Enum.map(all, &ExAthena.Messages.from_map/1)}
      %{"return" => "transform", "prompt" => prompt} -> {:transform, prompt}
      %{"return" => "augment", "text" => text} -> {:augment, text}
    end
  end

  # What JSON has no word for: structs, tuples, atoms, and terms that only this machine knows.
  defp plain(%_{} = struct), do: struct |> Map.from_struct() |> plain()

  defp plain(%{} = map) do
    plain = Map.new(map, fn {key, value} -> {name(key), plain(value)} end)
    # The model writes "tool_name" where the library writes :tool_name: one of them would be lost.
    if map_size(plain) < map_size(map), do: raise(ArgumentError, "two keys of one name")
    plain
  end

  defp plain([head | tail]) when not is_list(tail), do: [plain(head), plain(tail)]
  defp plain(list) when is_list(list), do: Enum.map(list, &plain/1)
  defp plain(tuple) when is_tuple(tuple), do: tuple |> Tuple.to_list() |> plain()
  defp plain(value) when is_nil(value) or is_boolean(value) or is_number(value), do: value
  defp plain(atom) when is_atom(atom), do: Atom.to_string(atom)

  defp plain(term) do
    if is_binary(term) and String.valid?(term), do: term, else: inspect(term, limit: :infinity, printable_limit: :infinity)
  end

  defp name(key) when is_atom(key), do: Atom.to_string(key)
  defp name(key), do: plain(key) |> to_string()
end
