"""Reads and writes the results of on_a_gpu: one file per line, <folder>/<line>.json, which is
replaced atomically."""
import json
import math
import os

from written_beside import written_beside

STATES = ("done", "failed")
DEVICES = ("cuda", "simulated")
FIELDS = {"line": str, "device": str, "machine": str, "program": str, "state": str, "began": str,
          "seconds": (int, float), "commands": list}
OF_COMMAND = {"command": str, "status": int, "seconds": (int, float), "out": str, "err": str}
# The fields of each entry of `rows`, which `gpu agree` wrote, by the beginning of the line's name.
OF_ROW = {"operation": str, "cases": int, "elements": int, "difference": str}
ROWS = {"agree-": {**OF_ROW, "refused": int}, "library-": {**OF_ROW, "not_judged": int, "of_bound": (int, float, str),
                                                           "of_sums": (int, float, str)}}


class Damaged(Exception):
    """A result cannot be read. The message is one sentence."""


def path_of(folder, name):
    return os.path.join(folder, name + ".json")


def write(folder, result):
    """Writes a result. Raises OSError; then there is no new file, or the previous one is
    unchanged."""
    os.makedirs(folder, exist_ok=True)
    with written_beside(path_of(folder, result["line"])) as file:
        file.write((json.dumps(result, indent=1) + "\n").encode("utf-8"))


def check_fields(path, whole, fields, place):
    if not isinstance(whole, dict):
        raise Damaged(f"{path}: {place.rstrip('.') or 'the whole'} is no JSON object")
    for name, kind in fields.items():
        value = whole.get(name)
        if not isinstance(value, kind) or not is_finite(value):
            raise Damaged(f"{path}: {place}{name} is {value!r:.60}; expected what on_a_gpu writes")


def is_finite(value):
    """Whether a value is no number, or a finite one that a float can hold."""
    try:
        return not isinstance(value, (int, float)) or math.isfinite(value)
    except OverflowError:
        return False


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def check_rows(path, name, rows, place):
    """Checks the rows of a command, of which most lines have none."""
    if not rows:
        return
    if not isinstance(rows, dict) or not isinstance(rows.get("operations", []), list):
        raise Damaged(f"{path}: {place} is no JSON object with a list of operations")
    fields = next((ROWS[prefix] for prefix in ROWS if name.startswith(prefix)), None)
    if name.startswith("library-"):
        check_fields(path, rows, {"precision": str}, place + ".")
    for number, row in enumerate(rows.get("operations", []) if fields else []):
        check_fields(path, row, fields, f"{place}.operations[{number}].")
        for share in ("of_bound", "of_sums"):
            if share in fields and not is_number(row[share]):
                raise Damaged(f"{path}: {place}.operations[{number}].{share} is {row[share]!r:.60}; expected a number")


def read_one(path, name):
    try:
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
        json.dumps(result, ensure_ascii=False).encode()  # a text that cannot be printed is a ValueError
    except (OSError, ValueError, RecursionError) as error:
        raise Damaged(f"{path}: the whole is no result of on_a_gpu ({error})") from None
    check_fields(path, result, FIELDS, "")
    for number, command in enumerate(result["commands"]):
        check_fields(path, command, OF_COMMAND, f"commands[{number}].")
        check_rows(path, name, command.get("rows"), f"commands[{number}].rows")
    if result["line"] != name or result["state"] not in STATES or not result["commands"]:
        raise Damaged(f"{path}: line and state are {result['line']!r} and {result['state']!r}; expected '{name}', "
                      f"and one of {', '.join(STATES)} with its commands")
    if result["device"] not in DEVICES:
        raise Damaged(f"{path}: device is {result['device']!r}; expected one of {', '.join(DEVICES)}")
    if result["state"] == "failed" and not any(command.get("failed") for command in result["commands"]):
        raise Damaged(f"{path}: state is failed, and no command failed; expected one whose field failed is true")
    return result


def read(folder, names):
    """Returns the existing results with these names. Raises Damaged if one cannot be read or is
    from a different device than the others."""
    found = {}
    for name in names:
        path = path_of(folder, name)
        if os.path.exists(path):
            found[name] = read_one(path, name)
            first = next(iter(found.values()))
            if found[name]["device"] != first["device"]:
                raise Damaged(f"{path}: device is {found[name]['device']}; expected {first['device']}, as in "
                              f"{path_of(folder, first['line'])}")
    return found
