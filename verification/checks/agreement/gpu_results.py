"""Reads and writes the results of on_a_gpu: one file per line, <folder>/<line>.json, which is
replaced atomically."""
import json
import os

from written_beside import written_beside

STATES = ("done", "failed")
FIELDS = {"line": str, "device": str, "machine": str, "program": str, "state": str, "began": str,
          "seconds": (int, float), "commands": list}
OF_COMMAND = {"command": str, "status": int, "seconds": (int, float), "out": str, "err": str}


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
        raise Damaged(f"{path}: {place or 'the whole'} is no JSON object")
    for name, kind in fields.items():
        if not isinstance(whole.get(name), kind):
            raise Damaged(f"{path}: {place}{name} is {whole.get(name)!r}; expected what on_a_gpu writes")


def read_one(path, name):
    try:
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
    except (OSError, ValueError) as error:
        raise Damaged(f"{path}: the whole is no result of on_a_gpu ({error})") from None
    check_fields(path, result, FIELDS, "")
    for number, command in enumerate(result["commands"]):
        check_fields(path, command, OF_COMMAND, f"commands[{number}].")
    if result["line"] != name or result["state"] not in STATES or not result["commands"]:
        raise Damaged(f"{path}: line and state are '{result['line']}' and '{result['state']}'; expected '{name}', "
                      f"and one of {', '.join(STATES)} with its commands")
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
