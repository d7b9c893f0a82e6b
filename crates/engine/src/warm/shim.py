# Keeps Python ready for one hook script: imports what of the standard library the script imports, compiles the script, and
# makes, each time it is asked, one process that waits for an event. The script itself runs in such a process only, once.
#
# `python3 -c SHIM CONTROL SCRIPT STAMP`
import sys

# What lies in the folder of the keeper is none of the script's.
if sys.path and sys.path[0] == "":
    del sys.path[0]


def _keep():
    import ast, gc, importlib.util, io, json, os, socket, types
    from importlib import machinery

    control = socket.socket(fileno=int(sys.argv[1]))
    control.set_inheritable(False)
    script, stamp = sys.argv[2], sys.argv[3]
    folder = os.path.dirname(os.path.realpath(script))
    # A script finds its neighbours first: one by the name of a module of Python would not be the one that is imported here.
    for entry in os.scandir(folder):
        name, _, ending = entry.name.partition(".")
        is_module = ending if entry.is_file() else os.path.exists(os.path.join(entry.path, "__init__.py"))
        if is_module and name in sys.stdlib_module_names:
            raise SystemExit(f"a neighbour of the script has the name of a module of Python: {entry.name}")

    def stamped(file):
        meta = os.fstat(file.fileno())
        return f"{meta.st_dev}:{meta.st_ino}:{meta.st_size}:{meta.st_mtime_ns}:{meta.st_ctime_ns}"

    def read(path):
        with io.open_code(path) as file:
            before = stamped(file)
            text = file.read()
            return text, before if before == stamped(file) else None

    # What a module of the package compiles to is kept; it is executed by each event anew, as in a cold start.
    compiled = {}
    slow = machinery.SourceFileLoader.get_code

    def get_code(loader, name):
        path = loader.get_filename(name)
        if path not in compiled:
            return slow(loader, name)
        text, now = read(path)
        return compiled[path][1] if now and compiled[path][0] == now else slow(loader, name)

    def imports(tree):
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                yield from (name.name for name in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                yield node.module
                yield from (f"{node.module}.{name.name}" for name in node.names)

    def prepare(tree):
        for name in imports(tree):
            if name.partition(".")[0] in sys.stdlib_module_names:
                try:
                    __import__(name)
                except Exception:
                    pass
            else:
                file = beside(name)
                if file and file not in compiled:
                    compile_module(file)
        if "re" in sys.modules:
            patterns(tree)

    # Patterns that stand in the text are compiled once: the module keeps them, as it does for a script that runs long.
    def patterns(tree):
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
                continue
            of, pattern = node.func.value, node.args[0]
            flags = node.args[1:] if node.func.attr == "compile" else []
            flags += [word.value for word in node.keywords if word.arg == "flags"]
            if isinstance(of, ast.Name) and of.id == "re" and isinstance(pattern, ast.Constant):
                try:
                    sys.modules["re"].compile(pattern.value, number(flags[0]) if flags else 0)
                except Exception:
                    pass

    def number(flags):
        if isinstance(flags, ast.BinOp) and isinstance(flags.op, ast.BitOr):
            return number(flags.left) | number(flags.right)
        return getattr(sys.modules["re"], flags.attr)

    def beside(name):
        path = os.path.join(folder, *name.split("."))
        files = (path + ".py", os.path.join(path, "__init__.py"))
        return next((file for file in files if os.path.isfile(file)), None)

    def compile_module(file):
        try:
            text, now = read(file)
            tree = ast.parse(text)
            if now:
                compiled[file] = (now, compile(text, file, "exec", dont_inherit=True))
            prepare(tree)
        except (OSError, SyntaxError, ValueError):
            pass

    text, now = read(script)
    if now != stamp:
        raise SystemExit("the script changed while it was read")
    code = compile(text, script, "exec", dont_inherit=True)
    prepare(ast.parse(text))
    machinery.SourceFileLoader.get_code = get_code
    kept = set(sys.modules)
    gc.collect()
    gc.freeze()
    control.sendall(b"\n")
    while True:
        word, files, _, _ = socket.recv_fds(control, 1, 4)
        if not word:
            os._exit(0)
        pipe = os.pipe()
        first = os.fork()
        if first:
            for file in (*files, pipe[1]):
                os.close(file)
            made = os.read(pipe[0], 20)
            os.close(pipe[0])
            # When it has ended, the process that waits is the keeper's own child.
            os.waitpid(first, 0)
            control.sendall(made + b"\n")
            continue
        second = os.fork()
        if second:
            os.write(pipe[1], str(second).encode())
            os._exit(0)
        break
    os.setpgid(0, 0)
    control.close()
    for file in pipe:
        os.close(file)
    for number, file in enumerate(files[:3]):
        os.dup2(file, number)
        os.close(file)
    with socket.socket(fileno=files[3]) as order:
        line = b""
        while not line.endswith(b"\n"):
            more = order.recv(1 << 16)
            if not more:
                os._exit(0)
            line += more
    order = json.loads(line)

    coerced = os.environb.get(b"LC_CTYPE")
    os.environb.clear()
    for name, value in order["env"]:
        os.environb[name.encode()] = value.encode()
    if coerced is not None:
        # An interpreter that starts without a locale sets one.
        os.environb.setdefault(b"LC_CTYPE", coerced)
    os.chdir(order["cwd"].encode())
    sys.argv[:] = [os.fsdecode(word.encode()) for word in order["args"]]
    sys.orig_argv[1:] = sys.argv
    if not getattr(sys.flags, "safe_path", False):
        sys.path.insert(0, folder)
    main = types.ModuleType("__main__")
    loader = machinery.SourceFileLoader("__main__", script)
    main.__dict__.update(
        __builtins__=__builtins__, __file__=script, __cached__=None, __loader__=loader,
        __package__=None, __annotations__={},
    )
    sys.modules["__main__"] = main
    return code, main, kept


def _run(code, main, kept):
    # What is imported here is paid by every event.
    status = 0
    try:
        exec(code, main.__dict__)
    except SystemExit as error:
        status = error.code
    except BaseException as error:
        # The first frame is this one.
        trace = error.__traceback__.tb_next if error.__traceback__ else None
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        if isinstance(error, KeyboardInterrupt):
            import os, signal

            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGINT)
        status = 1
    return _end(status, main, kept)


def _end(status, main, kept):
    # What the end of an interpreter does for a script, without taking apart the modules that the next event needs again:
    # threads are waited for, what was registered is called, files are closed, output is written.
    import atexit, gc, os

    if status is None:
        status = 0
    elif not isinstance(status, int):
        if sys.stderr is not None:
            print(status, file=sys.stderr)
        status = 1
    try:
        if "threading" in sys.modules:
            sys.modules["threading"]._shutdown()
    except BaseException as error:
        sys.unraisablehook(_Unraisable(error))
    atexit._run_exitfuncs()
    main.__dict__.clear()
    for name in [name for name in sys.modules if name not in kept]:
        del sys.modules[name]
    gc.collect()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except BaseException as error:
            if stream is sys.stdout:
                print(f"Exception ignored in: {stream!r}\n{type(error).__name__}: {error}", file=sys.stderr)
                status = 120
    os._exit(status & 0xFF)


class _Unraisable:
    exc_traceback = err_msg = object = None

    def __init__(self, error):
        self.exc_type, self.exc_value = type(error), error


_run(*_keep())
