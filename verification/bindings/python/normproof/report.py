"""What normproof.check returns: every case with its verdict, and the reports that the program writes of them."""
import collections
import html
import math
import os
import pathlib
import tempfile

from normproof import abi
from normproof.errors import OutputError, UsageError


# A notebook shows a report in a frame: its styles end there, and it is as high as its page at any width. Where a notebook
# does not let it be so, or is narrower than a page can be, it scrolls.
_AS_HIGH_AS_ITS_PAGE = ("const frame = this, page = this.contentDocument.documentElement; "
                        "new ResizeObserver(() => { frame.style.height = page.offsetHeight + 16 + 'px' }).observe(page)")
_OF_A_NOTEBOOK = "width: 100%; min-width: 20em; height: 48em; border: 0; resize: vertical"


class CaseResult:
    """One case: its path, what became of it, and why."""

    def __init__(self, path, verdict):
        self.path, self.passed, self.ratio, self.text = path, verdict.passed, verdict.ratio, verdict.text
        self.json = verdict.json
        self.outcome = verdict.json.get("outcome", "passed" if verdict.passed else "failed")

    @property
    def declined(self):
        return self.outcome == "declined"

    @property
    def failed(self):
        return not self.passed and self.outcome not in ("declined", "xfail")

    @property
    def mistakes(self):
        """The known mistakes that a failing answer agrees with, the nearest first: "eps: outside the root"."""
        return [text for text in map(_named_in, self.json.get("diagnosis", ())) if text]

    @property
    def tensors(self):
        """Every metric of every output, as the JSON of the program has them."""
        return self.json.get("tensors", [])

    def __repr__(self):
        return f"<{self.outcome} {self.path}: {self.text}>"


def _named_in(sentence):
    """The name between quotes in "agrees with 'eps: outside the root' to 0.48 ulp: y"."""
    sentence = sentence if isinstance(sentence, str) else sentence.get("sentence", "")
    head, _, rest = sentence.partition("agrees with '")
    return rest.rpartition("' to ")[0] if rest and not head.strip() else ""


class Report:
    """Results case by case. `bool(report)` and `report.passed` say whether nothing failed and something passed.

    print(report) is the text of `normproof golden check` below the conventions of the call.
    """

    def __init__(self, corpus, title, op, conventions, call, inputs=None):
        """call: a repro.Call; inputs: the caller's own tensors, {name: Stored}, of normproof.judge."""
        self._corpus, self.title, self.op, self.conventions = corpus, title, op, conventions
        self._call, self._inputs = call, inputs
        self.results, self.relations, self.left_out = [], [], set()
        self.expects_relations = False  # whether it is a failure that none of them applies

    def add(self, result):
        self.results.append(result)

    @property
    def passed(self):
        return self._form("text")[1] and not (self.expects_relations and none_applies(self.relations))

    __bool__ = lambda self: self.passed

    @property
    def failures(self):
        return [result for result in self.results if result.failed]

    @property
    def declined(self):
        return [result for result in self.results if result.declined]

    @property
    def worst(self):
        """The result with the largest share of its bound; None where nothing was held."""
        held = [result for result in self.results if not result.declined]
        return max(held, key=lambda result: math.inf if math.isnan(result.ratio) else result.ratio, default=None)

    @property
    def mistakes(self):
        """How many failing cases are nearest to each known mistake, by its name."""
        return collections.Counter(result.mistakes[0] for result in self.failures if result.mistakes)

    def _form(self, form):
        return self._corpus.report(form)

    def header(self):
        """What was held against what, and by which conventions."""
        corpus = self._corpus.version()
        versions = f"normproof {abi.version()}" + (f", corpus {corpus}" if corpus else "")
        return f"{self.title} held against {self.op} ({versions})\nconventions: {'; '.join(self.conventions)}\n"

    def __str__(self):
        text = self.header() + self._form("text")[0]
        if self.relations:
            text += "".join(line + "\n" for line in (*not_applicable_lines(self.relations), relations_line(self.relations)))
        return text

    def repro(self, path=None, folder="."):
        """Five lines of Python that show a case again, the worst one where no path is given, with the arguments of this
        call. A comment says what else is needed: a lambda, or a function of a script, has to be defined before.

        Of normproof.judge: writes the tensors to an .npz file in `folder`, which the lines read.
        Throws UsageError where no case has that path, OutputError where the file cannot be written.
        """
        if path is None:
            path = (self.worst or self.results[0]).path
        if path not in [result.path for result in self.results]:
            raise UsageError(f"normproof: {path} is no case of the report; expected one such as {self.results[0].path}")
        if self._inputs is None:
            return self._call.program(only=path, dtype=path.rpartition("-")[2])
        from normproof.own_inputs import write_inputs
        return self._call.program(write_inputs(self._inputs, folder, path))

    def json(self, file=None):
        """An object a case and line; written to a file where one is given."""
        return self._written("json", file)

    def junit(self, file=None):
        return self._written("junit", file)

    def sarif(self, file=None):
        return self._written("sarif", file)

    def markdown(self, file=None):
        return self._written("markdown", file)

    def html(self, file=None):
        """One page that needs nothing else, with a map of the error over the bound of each case that fails, as far as
        there is room for them."""
        return self._written("html", file)

    def _written(self, form, file):
        text = self._form(form)[0]
        if file is not None:
            replace_file(file, text)
        return text

    def _repr_html_(self):
        page = html.escape(self.html(), quote=True)
        return f'<iframe srcdoc="{page}" onload="{_AS_HIGH_AS_ITS_PAGE}" style="{_OF_A_NOTEBOOK}"></iframe>'

    def shares(self, path, output="y"):
        """The error over the bound of each element of an output of a case, in C order.

        Only of the case that was judged last: a report of one case (only=) has it. Throws UsageError for another one,
        and for an output that the case does not have.
        """
        if not self.results or self.results[-1].path != path:
            raise UsageError(f"normproof: {path} is not the last case of the report; expected "
                             f"{self.results[-1].path if self.results else 'one that was judged'}")
        return self._corpus.shares(output)


def none_applies(relations):
    """Whether nothing was asked of the call: a relation that is not applicable, or declined, says nothing of it."""
    return not any(relation.outcome in ("held", "broken") for relation in relations)


def not_applicable_lines(relations):
    """A line a relation and reason why it says nothing of cases: of how many, and the first of them."""
    first, counts = {}, collections.Counter()
    for relation in relations:
        if relation.outcome == "not_applicable":
            key = relation.relation, relation.sentence
            first.setdefault(key, relation.path)
            counts[key] += 1
    return [f"relation {name} does not apply to {first[name, why]}" + (f" and {counts[name, why] - 1:,} more" if
            counts[name, why] > 1 else "") + f": {why}" for name, why in first]


def relations_line(relations):
    counts = collections.Counter(relation.outcome for relation in relations)
    said = ", ".join(f"{counts[name]:,} {name.replace('_', ' ')}" for name in ("held", "broken", "declined", "not_applicable")
                     if counts[name])
    if none_applies(relations):
        return f"NONE HELD: relations of the call: {said}; expected one or more that can be asked of this function"
    return f"{'FAILED' if counts['broken'] else 'PASSED'}: relations of the call: {said}"


def replace_file(file, contents):
    """Writes a file beside, text or bytes, and renames it: it is there as a whole, or as it was. Throws OutputError."""
    path = pathlib.Path(file)
    try:
        _replace(path, contents.encode() if isinstance(contents, str) else contents)
    except OSError as error:
        raise OutputError(f"normproof: {path} cannot be written: {error.strerror or error}") from error


def _replace(path, contents):
    handle, beside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(contents)
        os.chmod(beside, 0o666 & ~_umask())
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask
