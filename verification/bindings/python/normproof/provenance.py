"""Records what was judged and when, and adds these facts to the forms of a report."""
from __future__ import annotations

import datetime
import html
import json
import os
import re
import time
from typing import TYPE_CHECKING, Mapping

from normproof.errors import UsageError, printable

if TYPE_CHECKING:
    from normproof.invocation import Invocation

_SUITE = re.compile(r"(\n *)(<testsuite [^>]*[^/>]>)(\n *<properties>)?")


def describe_run(invocation: Invocation, command: str) -> dict[str, str]:
    """Returns the facts of a run by name: candidate, framework, version, device, date and command.

    `version` is that of the framework. The date is that of SOURCE_DATE_EPOCH if the variable is set.
    Throws UsageError if SOURCE_DATE_EPOCH is no number of seconds.
    """
    framework, version = split_version(invocation.framework.name)
    facts = {"candidate": invocation.title, "framework": framework, "version": version, "device": invocation.device,
             "date": current_date(), "command": command}
    return {name: printable(str(fact)) for name, fact in facts.items() if fact}


def split_version(name: str) -> tuple[str, str]:
    """Splits "PyTorch 1.13.0" into the name and the version of a framework. The version is "" if there is none."""
    framework, _, version = name.rpartition(" ")
    return (framework, version) if framework and version[:1].isdigit() else (name, "")


def current_date() -> str:
    """Returns the date in UTC, such as "2026-11-27T14:20:00Z": that of SOURCE_DATE_EPOCH if it is set.

    Throws UsageError if SOURCE_DATE_EPOCH is no number of seconds.
    """
    named = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        seconds = int(named) if named else int(time.time())
        date = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    except (ValueError, OverflowError, OSError):
        raise UsageError(f"normproof: SOURCE_DATE_EPOCH is {printable(str(named))!r}; expected a number of seconds since 1970"
                         ) from None
    return date.strftime("%Y-%m-%dT%H:%M:%SZ")


def add_facts(form: str, text: str, facts: Mapping[str, str]) -> str:
    """Returns a form of a report with the facts of the run. Other forms are unchanged."""
    add = {"json": _add_to_json, "junit": _add_to_junit, "html": _add_to_html, "markdown": _add_to_markdown}.get(form)
    return text if add is None else add(text, facts)


def _add_to_json(text: str, facts: Mapping[str, str]) -> str:
    """Adds the facts at the end of the object in each line."""
    added = json.dumps(facts, ensure_ascii=False, separators=(",", ":"))[1:]
    return "".join(f"{line[:-1]},{added}\n" if line.endswith("}") else f"{line}\n" for line in text.split("\n")[:-1])


def _add_to_junit(text: str, facts: Mapping[str, str]) -> str:
    """Adds the facts to the properties of each suite."""
    def add(match: re.Match[str]) -> str:
        indent, suite, properties = match.groups()
        lines = "".join(f'{indent}    <property name="{name}" value="{html.escape(fact)}" />' for name, fact in facts.items())
        if properties:
            return f"{indent}{suite}{properties}{lines}"
        return f"{indent}{suite}{indent}  <properties>{lines}{indent}  </properties>"
    return _SUITE.sub(add, text)


def facts_html(facts: Mapping[str, str]) -> str:
    """Returns a list of definitions with the facts, and the command below it."""
    terms = "".join(f"<dt>{name}</dt><dd>{html.escape(fact)}</dd>" for name, fact in facts.items() if name != "command")
    command = f'<div class="wide" tabindex="0" role="region"><pre>{html.escape(facts["command"])}</pre></div>\n' if (
        "command" in facts) else ""
    return f"<dl>{terms}</dl>\n{command}"


def facts_markdown(facts: Mapping[str, str]) -> str:
    """Returns a list with the facts, and the command below it."""
    lines = "".join(f"- {name}: {inline_code(fact)}\n" for name, fact in facts.items() if name != "command")
    fence = _fence(facts.get("command", ""), 3)
    command = f"{fence}\n{facts['command']}\n{fence}\n\n" if "command" in facts else ""
    return f"{lines}\n{command}"


def _add_to_html(text: str, facts: Mapping[str, str]) -> str:
    """Adds the facts below the first paragraph, which is the verdict."""
    head, end, rest = text.partition("</p>\n")
    return f"{head}{end}{facts_html(facts)}{rest}"


def _add_to_markdown(text: str, facts: Mapping[str, str]) -> str:
    """Adds the facts below the heading, which is the verdict."""
    head, end, rest = text.partition("\n\n")
    return f"{head}{end}{facts_markdown(facts)}{rest}"


def inline_code(text: str) -> str:
    """Returns a text as code of Markdown, between more backquotes than it contains."""
    fence = _fence(text, 1)
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"


def _fence(text: str, shortest: int) -> str:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    return "`" * max(shortest, longest + 1)
