"""Runs the rows of the board, each in a process of its own with a time limit, and keeps their results."""
import json
import os
import pathlib
import signal
import subprocess
import tempfile

import board_environments
from board_files import BoardError, TOP, read_json, replace_file

SECONDS = 1800  # the default time limit of a row
ASK = pathlib.Path(__file__).with_name("board_ask.py")
FIELDS = {"row", "library", "module", "environment"}


def read_rows(folder):
    """Returns the rows of rows.json. Throws BoardError if a row lacks a field, or two rows have the same name."""
    rows = read_json(folder / "rows.json")
    for place, row in enumerate(rows):
        missing = FIELDS - set(row)
        if missing:
            raise BoardError(f"{folder / 'rows.json'}: row {place} has no {', '.join(sorted(missing))}; expected "
                             f"{', '.join(sorted(FIELDS))}", 3)
    names = [row["row"] for row in rows]
    if not rows or len(set(names)) != len(names):
        raise BoardError(f"{folder / 'rows.json'}: expected rows, each with a name of its own", 3)
    return rows


def run_row(row, args, flushed):
    """Runs a row. Returns {"row", "ran", "reason", "library", "version", "corpus", "held": [...]}; see board_ask.py.

    "ran" says whether anything was judged, "reason" why not everything was, or "".
    flushed   the failing cases to repeat with flush_subnormals=True, as board_record.flushed returns them
    """
    result = {"row": row["row"], "library": row["library"], "ran": False, "reason": "", "version": "", "corpus": "",
              "held": []}
    try:
        python = board_environments.interpreter(row["environment"], args.venvs, args.rows / "requirements")
    except board_environments.NotInstalled as reason:
        return {**result, "reason": f"does not install: {reason}"}
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "out")
        reason = ask(python, row, args, out, folder, flushed)
        lines = [json.loads(line) for line in out.read_text().splitlines()] if out.is_file() else []
    for line in lines:
        result.update(line) if "version" in line else result["held"].append(line)
    result["ran"] = any(held["cases"] > held["not_offered"] for held in result["held"])
    problems = [f"{held['what']}, {held['dtype']}: {held['problem']}" for held in result["held"] if held["problem"]]
    result["reason"] = "; ".join(filter(None, [reason, *problems]))
    if not result["ran"] and not result["reason"]:
        result["reason"] = "nothing was judged"
    return result


def ask(python, row, args, out, folder, flushed):
    """Runs the process that judges a row. Returns an error message if it failed, or ""."""
    settings = {"NORMPROOF_LIBRARY": args.library, "NORMPROOF_CORPUS": args.golden, "PYTHONDONTWRITEBYTECODE": 1,
                "PYTHONPATH": os.pathsep.join(map(str, (TOP / "verification/bindings/python", TOP / "verification/interop",
                                                          args.rows.resolve().parent))),
                "OMP_NUM_THREADS": 1, "TF_CPP_MIN_LOG_LEVEL": 3, "JAX_PLATFORMS": "cpu", "CUDA_VISIBLE_DEVICES": "",
                "HOME": folder, "TORCHINDUCTOR_CACHE_DIR": f"{folder}/inductor", **row.get("settings", {})}
    seconds = row.get("seconds", SECONDS)
    process = subprocess.Popen([python, ASK, args.rows.name, row["module"], row["library"], out,
                                json.dumps(flushed)], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
                               env={**os.environ, **{name: str(value) for name, value in settings.items()}})
    try:
        said, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return f"ended after {seconds} seconds"
    if process.returncode < 0:
        return f"ended by {signal.Signals(-process.returncode).name}"
    lines = said.strip().splitlines() or ["no output"]
    return "" if process.returncode == 0 else f"status {process.returncode}: {lines[-1].strip()[:300]}"


def keep(result, venvs):
    folder = venvs / "results"
    folder.mkdir(parents=True, exist_ok=True)
    replace_file(folder / f"{result['row']}.json", json.dumps(result, indent=1) + "\n")


def kept(rows, venvs):
    """Returns the kept results of these rows, by row."""
    paths = {row["row"]: venvs / "results" / f"{row['row']}.json" for row in rows}
    return {name: read_json(path) for name, path in paths.items() if path.is_file()}


def with_kept(rows, results, venvs):
    """Returns these results, and the kept results of the other rows, of any corpus, in the order of rows.json."""
    every = {**kept(rows, venvs), **results}
    return [every[row["row"]] for row in rows if row["row"] in every]
