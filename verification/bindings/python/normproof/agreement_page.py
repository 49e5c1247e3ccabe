"""Writes the result of normproof.agree as a page and as Markdown."""
from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Iterable, Mapping

from normproof.provenance import facts_html, facts_markdown, inline_code

if TYPE_CHECKING:
    from normproof.agreement import OutputAgreement

_TITLE = "normproof: two implementations compared with each other"
_COLUMNS = ("case", "output", "elements", "differ", "ratio of a", "ratio of b", "mean of a", "mean of b", "more accurate")
_NUMBERS = slice(2, 8)  # the columns that are aligned at the right
_EXPLANATION = "A ratio is the largest error of an output, as a fraction of its bound. The mean is that of all elements."
_STYLE = ("body { font: 15px/1.5 system-ui, sans-serif; margin: 1.5rem auto; max-width: 75rem; padding: 0 1rem; color: #222; "
          "background: #fff } p, dd, li, td { overflow-wrap: anywhere } .wide { overflow-x: auto } "
          "pre { padding: .5rem .7rem; background: #f6f7f8; margin: .3rem 0 } "
          "dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem .9rem } dt { color: #666 } dd { margin: 0 } "
          "table { border-collapse: collapse } th, td { padding: .2rem .6rem; border-bottom: 1px solid #ddd; text-align: left } "
          "td.number, th.number { text-align: right; white-space: nowrap } .outcome { font-weight: bold }")


def page(verdict: str, facts: Mapping[str, str], unanswered: Iterable[str], outputs: Iterable[OutputAgreement]) -> str:
    """Returns a self-contained page: the verdict, the facts of the run, the failures, and a row for each output."""
    items = "".join(f"<li>{html.escape(line)}</li>\n" for line in unanswered)
    head = "".join(_cell("th", number, name) for number, name in enumerate(_COLUMNS))
    rows = "".join("<tr>" + "".join(_cell("td", number, text) for number, text in enumerate(_row(output))) + "</tr>\n"
                   for output in outputs)
    return (f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{_TITLE}</title>\n'
            f"<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{_TITLE}</h1>\n"
            f'<p class="outcome">{html.escape(verdict)}</p>\n{facts_html(facts)}'
            + (f"<ul>\n{items}</ul>\n" if items else "")
            + (f'<p>{_EXPLANATION}</p>\n<div class="wide" tabindex="0" role="region"><table><thead><tr>{head}</tr></thead>\n'
               f"<tbody>\n{rows}</tbody></table></div>\n" if rows else "") + "</body>\n</html>\n")


def markdown(verdict: str, facts: Mapping[str, str], unanswered: Iterable[str], outputs: Iterable[OutputAgreement]) -> str:
    """Returns the same facts as Markdown."""
    items = "".join(f"- {inline_code(line)}\n" for line in unanswered)
    rows = "".join(f"| {' | '.join(_row(output))} |\n" for output in outputs)
    rules = ["---"] * len(_COLUMNS)
    rules[_NUMBERS] = ["---:"] * len(rules[_NUMBERS])
    table = f"{_EXPLANATION}\n\n| {' | '.join(_COLUMNS)} |\n|{'|'.join(rules)}|\n{rows}" if rows else ""
    return f"### normproof: {verdict}\n\n{facts_markdown(facts)}{items + chr(10) if items else ''}{table}"


def _row(output: OutputAgreement) -> list[str]:
    numbers: list[Any] = [output.error_a, output.error_b, output.mean_a, output.mean_b]
    return [output.path, output.output, f"{output.elements:,}", f"{output.differing:,}" if not output.same_bits else "0",
            *(f"{number:.3g}" for number in numbers), output.nearer or ("same bits" if output.same_bits else "neither")]


def _cell(tag: str, column: int, text: str) -> str:
    is_number = _NUMBERS.start <= column < _NUMBERS.stop
    return f'<{tag}{" class=" + chr(34) + "number" + chr(34) if is_number else ""}>{html.escape(text)}</{tag}>'
