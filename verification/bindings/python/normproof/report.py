"""The return value of normproof.check: the result of each case, and reports in several formats."""
from __future__ import annotations

import ast
import collections
import html
import math
import os
import pathlib
import re
import tempfile
from typing import TYPE_CHECKING, Any, Iterable, Mapping

from normproof import abi
from normproof.corpus import Corpus, Verdict
from normproof.errors import OutputError, UsageError, printable
from normproof.provenance import add_facts, describe_run
from normproof.relations import RelationResult
from normproof.repro import Call
from normproof.stored import Array, Stored

if TYPE_CHECKING:
    from normproof.invocation import Invocation

# A notebook shows a report in a frame, so that the styles of the page stay inside. The script gives the frame the
# height of its page at any width. If the notebook does not allow scripts, or is too narrow, the frame scrolls.
_FIT_FRAME_HEIGHT = ("const frame = this, page = this.contentDocument.documentElement; "
                     "new ResizeObserver(() => { frame.style.height = page.offsetHeight + 16 + 'px' }).observe(page)")
_FRAME_STYLE = "width: 100%; min-width: 20em; height: 48em; border: 0; resize: vertical"


def frame_page(page: str) -> str:
    """Returns the frame in which a notebook shows a page."""
    page = html.escape(page, quote=True)
    return f'<iframe srcdoc="{page}" onload="{_FIT_FRAME_HEIGHT}" style="{_FRAME_STYLE}"></iframe>'


class CaseResult:
    """The result of one case: its path, its outcome and the reason.

    `outcome` is "passed", "failed", "declined", "xfail" or "xpass"; `ratio` the largest error over the bound.
    """

    def __init__(self, path: str, verdict: Verdict) -> None:
        self.path, self.passed, self.ratio, self.text = path, verdict.passed, verdict.ratio, verdict.text
        self.json = verdict.json
        self.outcome: str = verdict.json.get("outcome", "passed" if verdict.passed else "failed")

    @property
    def declined(self) -> bool:
        return self.outcome == "declined"

    @property
    def failed(self) -> bool:
        return not self.passed and self.outcome not in ("declined", "xfail")

    @property
    def is_within_input_rounding(self) -> bool:
        """Whether the case failed, but one rounding of its inputs may move each failed output as far."""
        failed = [tensor for tensor in self.tensors if not tensor.get("passed", True)]
        return bool(failed) and all(not tensor.get("problem") and float(tensor["ratio"]) <= float(tensor["of_the_inputs"])
                                    for tensor in failed)

    @property
    def mistakes(self) -> list[str]:
        """The known mistakes that explain a failing output, the nearest first, such as "eps: outside the root"."""
        return [text for text in map(_mistake_in, self.json.get("diagnosis", ())) if text]

    @property
    def fitting_options(self) -> list[tuple[str, Any]]:
        """The options for which the answer is right, as the diagnosis says: [("eps_placement", "floor")]."""
        return [option for entry in self.json.get("diagnosis", ()) for option in _options_in(entry)]

    @property
    def tensors(self) -> list[dict[str, Any]]:
        """Every metric of every output, as in the JSON report."""
        tensors: list[dict[str, Any]] = self.json.get("tensors", [])
        return tensors

    def __repr__(self) -> str:
        return f"<{self.outcome} {self.path}: {self.text}>"


_VALUE = r"(?:'\w+'|True|False|None|[-+.e\d]+)"
_RIGHT_FOR = re.compile(rf"the answer is right for (\w+)=({_VALUE}(?: or {_VALUE})*)(?=: |$)")


def _sentence_of(entry: str | Mapping[str, str]) -> str:
    return entry if isinstance(entry, str) else entry.get("sentence", "")


def _options_in(entry: str | Mapping[str, str]) -> list[tuple[str, Any]]:
    """Returns the options in "the answer is right for scale_rounding='up' or 'ceil': y", or []."""
    found = _RIGHT_FOR.match(_sentence_of(entry))
    return [(found[1], ast.literal_eval(value)) for value in found[2].split(" or ")] if found else []


def _mistake_in(entry: str | Mapping[str, str]) -> str:
    """Returns the name between quotes in "agrees with 'eps: outside the root' to 0.48 ulp: y", or ""."""
    sentence = _sentence_of(entry)
    head, _, rest = sentence.partition("agrees with '")
    return rest.rpartition("' to ")[0] if rest and not head.strip() else ""


class Report:
    """The results of the cases. `bool(report)` and `report.passed` say whether nothing failed and something passed.

    print(report) shows the conventions of the call, and below them the text of `normproof golden check`.
    """

    def __init__(self, corpus: Corpus, invocation: Invocation, op: str, conventions: list[str], call: Call,
                 inputs: Mapping[str, Stored] | None = None) -> None:
        """`call` repeats the call that made the report. `inputs` are the user-supplied tensors of normproof.judge."""
        self._corpus, self.op, self.conventions = corpus, op, conventions
        self._call, self._inputs = call, inputs
        self.set_invocation(invocation)
        self.results: list[CaseResult] = []
        self.relations: list[RelationResult] = []
        self.left_out: set[str] = set()
        self.suggestions: list[str] = []  # the options under which failed cases may pass
        self.followed = ""  # a sentence about a convention that was found, under which the cases were judged
        self.expects_relations = False  # whether the report fails if no relation applies

    @property
    def inputs(self) -> Mapping[str, Stored]:
        """The user-supplied tensors of normproof.judge; of normproof.check, none."""
        return self._inputs or {}

    def set_invocation(self, invocation: Invocation) -> None:
        """Sets how the implementation is called, which the report describes."""
        self.title, self.invocation = invocation.title, invocation
        self._run = describe_run(invocation, self._call.command(self._inputs or ()))

    def add(self, result: CaseResult) -> None:
        self.results.append(result)

    @property
    def is_of_user(self) -> bool:
        """Whether the case was made of the user's own tensors."""
        return self._inputs is not None

    @property
    def passed(self) -> bool:
        return self._form("text")[1] and not (self.expects_relations and none_applies(self.relations))

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        """Returns the last line of the report, which pytest shows for a failed `assert normproof.check(...)`."""
        return f"<{self.title}, {self.op}: {str(self).rstrip().rpartition(chr(10))[2]}>" if self.results else object.__repr__(self)

    @property
    def failures(self) -> list[CaseResult]:
        return [result for result in self.results if result.failed]

    @property
    def declined(self) -> list[CaseResult]:
        return [result for result in self.results if result.declined]

    @property
    def worst(self) -> CaseResult | None:
        """The result with the largest error over the bound; None if no case was judged.

        A failure that one rounding of the inputs explains counts only if there is no other.
        """
        judged = [result for result in self.results if not result.declined]
        if not judged:
            return None
        return max(judged, key=lambda result: (result.failed and not result.is_within_input_rounding,
                                               math.inf if math.isnan(result.ratio) else result.ratio))

    @property
    def mistakes(self) -> collections.Counter[str]:
        """For each known mistake, the number of failing cases that are nearest to it."""
        return collections.Counter(result.mistakes[0] for result in self.failures if result.mistakes)

    @property
    def facts(self) -> dict[str, str]:
        """The facts of the run by name: candidate, framework, version, device, date, command, conventions and suggestions."""
        lists = {"conventions": [*self.conventions, *([self.followed] if self.followed else ())],
                 "suggestions": self.suggestions}
        return {**self._run, **{name: printable("; ".join(lines)) for name, lines in lists.items() if lines}}

    def _form(self, form: str) -> tuple[str, bool]:
        text, passed = self._corpus.report(form)
        return add_facts(form, text, self.facts), passed

    def header(self) -> str:
        """Returns the heading: the implementation, the corpus, and the calling conventions."""
        corpus = self._corpus.version()
        versions = f"normproof {abi.version()}" + (f", corpus {corpus}" if corpus else "")
        return f"{self.title} held against {self.op} ({versions})\nconventions: {printable('; '.join(self.conventions))}\n"

    def __str__(self) -> str:
        text = self.header() + self._form("text")[0]
        if self.suggestions or self.followed:
            body, _, last = text.rstrip().rpartition("\n")
            remarks = [*([f"convention: {self.followed}"] if self.followed else ()),
                       *(f"try: {suggestion}" for suggestion in self.suggestions)]
            text = "\n".join([body, *map(printable, remarks), last, ""])
        if self.relations:
            text += "".join(line + "\n" for line in (*not_applicable_lines(self.relations), relations_line(self.relations)))
        return text

    def repro(self, path: str | None = None, folder: str | os.PathLike[str] = ".") -> str:
        """Returns five lines of Python that repeat a case, by default the worst one, with the arguments of this call.

        A comment says what else must be defined before, such as a lambda or a function of a script.
        The report of normproof.judge writes its tensors to an .npz file in `folder`, which the lines read.
        Throws UsageError if no case has that path, OutputError if the file cannot be written.
        """
        if path is None:
            path = (self.worst or self.results[0]).path
        if path not in [result.path for result in self.results]:
            raise UsageError(f"normproof: {path} is no case of the report; expected one such as {self.results[0].path}")
        if self._inputs is None:
            return self._call.program(only=path, dtype=path.rpartition("-")[2])
        from normproof.input_files import write_inputs
        return self._call.program(write_inputs(self._inputs, folder, path))

    def json(self, file: str | os.PathLike[str] | None = None) -> str:
        """Returns the JSON report, one object per case and line. Also writes it to a file if one is given."""
        return self._write("json", file)

    def junit(self, file: str | os.PathLike[str] | None = None) -> str:
        """Returns the JUnit report. Also writes it to a file if one is given."""
        return self._write("junit", file)

    def sarif(self, file: str | os.PathLike[str] | None = None) -> str:
        """Returns the SARIF report. Also writes it to a file if one is given."""
        return self._write("sarif", file)

    def markdown(self, file: str | os.PathLike[str] | None = None) -> str:
        """Returns the Markdown report. Also writes it to a file if one is given."""
        return self._write("markdown", file)

    def html(self, file: str | os.PathLike[str] | None = None) -> str:
        """Returns a self-contained page. Also writes it to a file if one is given.

        It has a map of error over bound for each failing case, up to a limit of size.
        """
        return self._write("html", file)

    def _write(self, form: str, file: str | os.PathLike[str] | None) -> str:
        return write_form(self._form(form)[0], file)

    def _repr_html_(self) -> str:
        return frame_page(self.html())

    def shares(self, path: str, output: str = "y") -> Array | None:
        """Returns error over bound of each element of an output of a case, in C order.

        Only the case that was judged last has it, so restrict the report to one case with only=.
        Throws UsageError for another case, and for an output that the case does not have.
        """
        if not self.results or self.results[-1].path != path:
            raise UsageError(f"normproof: {path} is not the last case of the report; expected "
                             f"{self.results[-1].path if self.results else 'one that was judged'}")
        return self._corpus.shares(output)


def none_applies(relations: Iterable[RelationResult]) -> bool:
    """Whether every relation is not applicable or declined, so that nothing is known about the call."""
    return not any(relation.outcome in ("held", "broken") for relation in relations)


def not_applicable_lines(relations: Iterable[RelationResult]) -> list[str]:
    """Returns one line per relation and reason why it does not apply: the first case, and how many more there are."""
    first: dict[tuple[str, str], str] = {}
    counts: collections.Counter[tuple[str, str]] = collections.Counter()
    for relation in relations:
        if relation.outcome == "not_applicable":
            key = relation.relation, relation.sentence
            first.setdefault(key, relation.path)
            counts[key] += 1
    return [f"relation {name} does not apply to {first[name, why]}" + (f" and {counts[name, why] - 1:,} more" if
            counts[name, why] > 1 else "") + f": {why}" for name, why in first]


def relations_line(relations: Iterable[RelationResult]) -> str:
    """Returns the line that counts the results of the relations."""
    counts = collections.Counter(relation.outcome for relation in relations)
    text = ", ".join(f"{counts[name]:,} {name.replace('_', ' ')}" for name in ("held", "broken", "declined", "not_applicable")
                     if counts[name])
    if none_applies(relations):
        return f"NONE HELD: relations of the call: {text}; expected one or more that can be asked of this function"
    return f"{'FAILED' if counts['broken'] else 'PASSED'}: relations of the call: {text}"


def write_form(text: str, file: str | os.PathLike[str] | None) -> str:
    """Returns the text. Also writes it to a file if one is given. Throws OutputError."""
    if file is not None:
        replace_file(file, text)
    return text


def replace_file(file: str | os.PathLike[str], contents: str | bytes) -> None:
    """Writes a temporary file and renames it, so that the file is complete or unchanged. Throws OutputError."""
    path = pathlib.Path(file)
    try:
        _replace(path, contents.encode() if isinstance(contents, str) else contents)
    except OSError as error:
        raise OutputError(f"normproof: {path} cannot be written: {error.strerror or error}") from error


def _replace(path: pathlib.Path, contents: bytes) -> None:
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(contents)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
