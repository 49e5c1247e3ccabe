"""Runs the lines of on_a_gpu one after the other until the time is over."""
import datetime
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time

import gpu_lines
import gpu_programs
import gpu_results

try:
    import ctypes
    LIBC = ctypes.CDLL(None)
except (ImportError, OSError):  # this Python has no ctypes
    LIBC = None
NO_DEVICE = 77
OUTPUT = 200_000  # number of characters of an output that are kept, from its end


def say(sentence):
    print(f"on_a_gpu: {sentence}", file=sys.stderr, flush=True)


def ends_with_parent():
    """Runs in the child process, so that it is killed together with this program."""
    if LIBC is not None:
        LIBC.prctl(1, signal.SIGKILL)


class NoDevice(Exception):
    """There is no GPU, or it is no longer available. The message is that of the program."""


class Work:
    """The arguments of a run, and the programs and the machine that it uses."""

    def __init__(self, device, out, minutes, build, python, data):
        self.device, self.out, self.build, self.python = device, out, build, python
        self.end = None if minutes is None else time.monotonic() + 60 * minutes
        self.data = gpu_programs.data_options(data)
        self.normproof = gpu_programs.found("normproof", build, device)
        self.program = gpu_programs.sha256(self.normproof)
        self.machine = gpu_programs.machine(device)

    def left(self):
        """Returns the number of seconds left."""
        return float("inf") if self.end is None else self.end - time.monotonic()

    def lacks(self, line):
        """Returns why a line cannot run here, or ""."""
        if self.device == "simulated":
            return line.needs_gpu
        if line.needs_data and not self.data:
            return "--data is not given"
        if line.name in gpu_lines.TOOLS and not gpu_programs.sanitizer():
            return "there is no compute-sanitizer"
        return ""

    def words(self, command, rows):
        """Returns the words of a command, and additions to its environment."""
        data = " ".join(map(shlex.quote, self.data))
        first, *rest = shlex.split(command.format(device=self.device, out=shlex.quote(str(self.out)), data=data,
                                                  golden=shlex.quote(str(gpu_programs.golden()))))
        more = []
        if rest[:2] == ["gpu", "agree"]:
            more = ["--json", rows]
        if first == "normproof":
            return [self.normproof, *rest, *more], {}
        if first == "benchmark":
            program = gpu_programs.found("device_benchmark", self.build, self.device)
            return [sys.executable, gpu_programs.benchmark(), "--what", "device", "--device", self.device, "--binary",
                    program, "--python", self.python, *rest], {"PYTHONDONTWRITEBYTECODE": "1"}
        tool, *verb = rest
        return [gpu_programs.sanitizer(), "--tool", tool, "--error-exitcode", "99", "--target-processes", "all",
                self.normproof, *verb], {"NORMPROOF_EXACT_MEMORY": "1"}

    def do_command(self, command, limit):
        """Runs a command and returns its result. It is ended if it takes more than `limit`
        seconds."""
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            rows = os.path.join(folder, "rows.json")
            words, more = self.words(command, rows)
            with open(os.path.join(folder, "out"), "w+b") as out, open(os.path.join(folder, "err"), "w+b") as err:
                child = subprocess.Popen(list(map(str, words)), stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                         env=dict(os.environ, **more), start_new_session=True,
                                         preexec_fn=ends_with_parent)
                try:
                    child.wait(timeout=None if limit == float("inf") else max(limit, 0))
                except subprocess.TimeoutExpired:
                    err.write(f"ended after {limit:.0f} s\n".encode())
                finally:
                    if child.poll() is None:
                        os.killpg(child.pid, signal.SIGKILL)
                        child.wait()
                found = {"status": child.returncode, "seconds": time.monotonic() - begin, "out": kept(out),
                         "err": kept(err)}
            if os.path.exists(rows):
                with open(rows, encoding="utf-8") as file:
                    found["rows"] = json.load(file)
        return found

    def do_line(self, line, estimate):
        """Runs a line. Returns its result, or None if the time ran out. Raises NoDevice."""
        began, begin = datetime.datetime.now().astimezone().isoformat(timespec="seconds"), time.monotonic()
        limit = float("inf") if line.goes_on else 60 + 20 * estimate
        commands = []
        for command, shown in zip(line.of(self.device), gpu_lines.shown(line, self.device)):
            found = self.do_command(command, min(self.left(), limit))
            if found["status"] and self.left() <= 0:
                return None
            if found["status"] == NO_DEVICE:
                raise NoDevice((found["err"].strip().splitlines() or ["no device"])[-1])
            found["failed"] = found["status"] not in ((0, 1) if line.finds else (0,))
            commands.append({"command": shown, **found})
        failed = any(command["failed"] for command in commands)
        return {"line": line.name, "device": self.device, "machine": self.machine, "program": self.program,
                "state": "failed" if failed else "done", "began": began, "seconds": time.monotonic() - begin,
                "commands": commands}

    def is_to_do(self, line, results, again):
        result = results.get(line.name)
        return result is None or (result["state"] == "failed" and (again or result["program"] != self.program))

    def run(self, chosen, again):
        """Runs the missing lines. Returns the exit status: 0, or 1 if a line failed or none is
        done. Raises NoDevice."""
        results = gpu_results.read(self.out, [line.name for line in gpu_lines.lines()])
        for name, result in results.items():
            if result["device"] != self.device:
                raise gpu_results.Damaged(f"{gpu_results.path_of(self.out, name)}: device is {result['device']}; "
                                          f"expected {self.device}, or another --out")
        missing = [line for line in chosen if self.is_to_do(line, results, again)]
        for number, line in enumerate(missing, 1):
            estimate = gpu_lines.estimates([line], {name: result for name, result in results.items()
                                                    if name != line.name})[line.name]
            why = self.lacks(line)
            if not why and not line.goes_on and estimate > self.left():
                why = f"about {estimate:.0f} s do not fit into the {max(self.left(), 0):.0f} s that are left"
            if not why:
                say(f"[{number}/{len(missing)}] {line.name}: {line.what}: about {estimate:.0f} s")
                result = self.do_line(line, estimate)
                why = "" if result else "the time ran out" + ("; what it has done stays" if line.goes_on else "")
            if why:
                print(f"{line.name}: skipped: {why}", flush=True)
                continue
            gpu_results.write(self.out, result)
            results[line.name] = result
            print(f"{line.name}: {result['state']}: {result['seconds']:.1f} s", flush=True)
        mine = [results[line.name] for line in chosen if line.name in results]
        if not mine:
            say("no line was run")
        return int(not mine or any(result["state"] == "failed" for result in mine))


def kept(stream):
    stream.seek(0)
    return stream.read().decode("utf-8", "replace")[-OUTPUT:]
