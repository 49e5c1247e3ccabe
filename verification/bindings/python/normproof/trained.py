"""A module that was made and trained: its tensors, its options and its mode become those of a case."""
from __future__ import annotations

import copy
from typing import Any, Callable, Mapping

from normproof import frameworks, names
from normproof.errors import UsageError
from normproof.frameworks.base import Framework
from normproof.invocation import MODULE_PARAMETERS, holds_parameters
from normproof.titles import local_title

# Members of modules that hold an option, beside the aliases of the option in names.ALIASES.
OPTION_MEMBERS = {"eps": ("_eps", "variance_eps")}


def _framework_of(fn: Any) -> Framework | None:
    """Returns the framework whose module fn is, or None."""
    if isinstance(fn, type):
        return None
    try:
        found = frameworks.framework(frameworks.detect(fn))
    except UsageError:
        return None
    return found if found.is_module(fn) or holds_parameters(found, fn) else None


def is_trained_module(fn: Any) -> bool:
    """Whether fn is a module, or another object that holds parameters, rather than a class or a function."""
    return _framework_of(fn) is not None


def copies_of(module: Any) -> Callable[[], Any]:
    """Returns a function that makes a copy of a module, so that the module itself is not changed."""
    return lambda: copy.deepcopy(module)


def trained_layer(module: Any, op: str) -> Callable[..., Any] | None:
    """Returns a layer of a Transformer as a function of the tensors and options of op, or None for another module.

    Throws UsageError for a module of a framework that computes no such operation.
    """
    framework = _framework_of(module)
    assert framework is not None
    if refusal := framework.find_refusal(module, op):
        raise UsageError(f"normproof.judge: {refusal}")
    return framework.layer_function(module, op)


def _member_of_option(module: Any, option: str) -> str | None:
    """Returns the attribute of a module that holds an option; None if there is none."""
    return next((one for one in (option, *names.ALIASES.get(option, ()), *OPTION_MEMBERS.get(option, ()))
                 if isinstance(getattr(module, one, None), (bool, int, float))), None)


def describe_other_options(module: Any, op: str, given: Mapping[str, Any]) -> list[str]:
    """Returns a remark about each option that a module holds with another value than the case. The module keeps it."""
    members = {option: _member_of_option(module, option) for option in names.option_names(op) if option in given}
    return [f"the module keeps {member}={getattr(module, member)}, and the case has {option} {given[option]}"
            for option, member in members.items() if member is not None and getattr(module, member) != given[option]]


def trained_values(module: Any, op: str, given: Mapping[str, Any], arguments: Any) -> dict[str, Any]:
    """Returns the tensors and options of op that a module holds, by the corpus' names, without those in `given`.

    Throws UsageError if the module has no member for eps, and eps is not given.
    """
    framework = _framework_of(module)
    assert framework is not None
    if framework.layer_function(module, op) is not None:
        return {name: value for name, value in framework.layer_values(module, op).items() if name not in given}
    members: dict[str, str | None] = dict(arguments or {})
    known = names.known_names(op)
    values: dict[str, Any] = {}
    for name in (*MODULE_PARAMETERS, *names.state_names(op), "class_weights"):
        path = framework.find_member(module, name, members) if name in known and name not in given else None
        if path is not None:
            values[name] = framework.member(module, path)
    for option in names.option_names(op):
        if option in given:
            continue
        spelled = _member_of_option(module, option)
        if spelled is not None:
            values[option] = getattr(module, spelled)
        elif option == "running_decay" and isinstance(getattr(module, "momentum", None), float):
            values[option] = 1 - module.momentum if framework.momentum_weighs_new else module.momentum
        elif option == "running_decay" and getattr(module, "momentum", 0) is None:  # the mean over all batches
            batches = framework.member(module, "num_batches_tracked")
            values[option] = 1 - 1 / (float(batches) + 1)
        elif option == "eps":
            default = framework.default_eps(module, given)
            if default is None:
                raise UsageError(f"normproof.judge: {local_title(type(module))} has no eps that is recognized; expected eps=")
            values[option] = default
    return values
