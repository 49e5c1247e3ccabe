"""Reads the keyword arguments of normproof.judge that libraries spell otherwise than the corpus."""
from __future__ import annotations

from typing import Any, Callable, Mapping

import numpy as np

from normproof.arguments import describe_value
from normproof.errors import UsageError
from normproof.names import DERIVED, known_names, resolve_alias
from normproof.packing import Packing, find_packing

# Names of a tensor whose last axis has the operand of the activation and the gate.
PACKED = ("gate_up", "gateup", "gate_and_up", "packed")
ROTATED = ("q", "k", "query", "key")


def with_names_of_corpus(op: str, given: Mapping[str, Any], caller: str, layout: str | None = None) -> dict[str, Any]:
    """Returns keyword arguments whose meaning needs no rule: each is a tensor or an option of op, or an alias of one.

    betas= becomes beta1 and beta2, momentum= the weight of the old statistics, G= the number of groups, and an axis that is
    the last one is left out. A number in place of the tensor `iterations` becomes a tensor. A gate that is packed by
    `layout` becomes two tensors, and tables of a rotation that have each column twice become tables of pairs. Throws
    UsageError for another axis, for betas that are not two numbers, and for two tensors of one rotation.
    """
    known, found = known_names(op), dict(given)
    packing = find_packing(layout, op, known) or Packing()
    for name in given:
        if resolve_alias(name, known) == "iterations" and type(given[name]) is int:
            found[name] = np.array([given[name]], np.int64)
        elif name not in known and not read_packed_gate(op, name, found, caller, packing):
            for read in RULES:
                if read(op, name, found, caller):
                    break
    if {"cos", "sin"} <= known:
        make_tables_of_pairs(found)
    return found


def read_betas(op: str, name: str, found: dict[str, Any], caller: str) -> bool:
    if name != "betas" or not {"beta1", "beta2"} <= known_names(op):
        return False
    betas = found.pop(name)
    if not isinstance(betas, (tuple, list)) or len(betas) != 2:
        raise UsageError(f"{caller}: betas={describe_value(betas)}; expected two numbers, (beta1, beta2)")
    found.update(beta1=float(betas[0]), beta2=float(betas[1]))
    return True


def read_momentum(op: str, name: str, found: dict[str, Any], caller: str) -> bool:
    """Replaces the weight of the new statistics, as PyTorch has it, by that of the old ones."""
    if name != "momentum" or "running_decay" not in known_names(op):
        return False
    momentum = found.pop(name)
    if not isinstance(momentum, (int, float)) or isinstance(momentum, bool):
        raise UsageError(f"{caller}: momentum={describe_value(momentum)}; expected a number, the weight of the new statistics")
    found["running_decay"] = 1 - float(momentum)
    return True


def read_group_count(op: str, name: str, found: dict[str, Any], caller: str) -> bool:
    """Reads G, which is gamma in small letters, as the number of groups if it is a whole number."""
    if name != "G" or type(found[name]) is not int or "groups" not in known_names(op):
        return False
    found["groups"] = found.pop(name)
    return True


def read_axis(op: str, name: str, found: dict[str, Any], caller: str) -> bool:
    known = known_names(op)
    if name not in DERIVED["last_axis"] or resolve_alias(name, known) is not None:
        return False
    leading = next((found[one] for one in found if resolve_alias(one, known) in ("x", "logits")), None)
    axis, axes = found.pop(name), len(getattr(leading, "shape", ()))
    if axis not in (-1, axes - 1):
        raise UsageError(f"{caller}: {name}={describe_value(axis)}; expected -1, as {op} is along the last axis")
    return True


def read_packed_gate(op: str, name: str, found: dict[str, Any], caller: str, packing: Packing) -> bool:
    if name.lower() not in PACKED or "gate" not in known_names(op):
        return False
    packed = found.pop(name)
    width = getattr(packed, "shape", (0,))[-1]
    if width < 2 or width % 2:
        raise UsageError(f"{caller}: {name}={describe_value(packed)}; expected a tensor whose last axis is even: the operand of "
                         "the activation, then the gate, or the layout that layout= names")
    found["x"], found["gate"] = packing.unpack(packed)
    return True


def read_rotated(op: str, name: str, found: dict[str, Any], caller: str) -> bool:
    """Reads q or k of a rotation, which rotates each tensor by itself, as x."""
    if name.lower() not in ROTATED or not {"cos", "sin"} <= known_names(op):
        return False
    if "x" in found or any(other.lower() in ROTATED for other in found if other != name):
        raise UsageError(f"{caller}: {op} rotates one tensor, and {name}= is a second one; expected x=, once for the queries and "
                         "once for the keys, or normproof.check, which judges both")
    found["x"] = found.pop(name)
    return True


def make_tables_of_pairs(found: dict[str, Any]) -> None:
    """Keeps one of two equal columns of cos and sin, if the tables are as wide as x and have each column twice."""
    tables: list[Any] = [found.get("cos"), found.get("sin")]
    width = getattr(found.get("x"), "shape", (0,))[-1]
    if any(len(getattr(table, "shape", ())) < 2 or table.shape[-1] != width for table in tables) or width % 2:
        return
    half = width // 2
    for first, second in ((np.s_[..., :half], np.s_[..., half:]), (np.s_[..., ::2], np.s_[..., 1::2])):
        if all(bool((table[first] == table[second]).all()) for table in tables):
            found.update({name: found[name][first] for name in ("cos", "sin")})
            return


RULES: tuple[Callable[[str, str, dict[str, Any], str], bool], ...] = (
    read_betas, read_momentum, read_group_count, read_axis, read_rotated)
