"""What normproof.check returns: every case with its verdict, and the reports that the program writes of them."""
import collections
import html
import math
import os
import pathlib
import tempfile

from normproof import abi


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

    def __init__(self, corpus, title, op, conventions, fn=None):
        self._corpus, self.title, self.op, self.conventions, self.fn = corpus, title, op, conventions, fn
        self.results, self.relations, self.left_out = [], [], set()

    def add(self, result):
        self.results.append(result)

    @property
    def passed(self):
        return self._form("text")[1]

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
        """How many failing cases agree with each known mistake, by its name."""
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
            text += relations_line(self.relations) + "\n"
        return text

    def repro(self, path=None):
        """Five lines of Python that show a failing case again, of the worst one where no path is given."""
        if path is None:
            path = (self.worst or self.results[0]).path
        module, _, name = self.title.rpartition(".")
        home = f"from {module} import {name}" if module and name.isidentifier() else f"# {name}: the function under test"
        return (f"import normproof\n{home}\n\nreport = normproof.check({name}, \"{self.op}\", only=\"{path}\", "
                f"dtype=\"{path.rpartition('-')[2]}\", tier=\"{path.split('/')[0]}\")\nprint(report)\n")

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
        """One page that needs nothing else, with a map of the error over the bound of the worst case."""
        return self._written("html", file)

    def _written(self, form, file):
        text = self._form(form)[0]
        if file is not None:
            replace_file(file, text)
        return text

    def _repr_html_(self):
        page = html.escape(self.html(), quote=True)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 36em; border: 0"></iframe>'

    def shares(self, path, output="y"):
        """The error over the bound of each element of an output of a case, in the shape of the output.

        Only of the case that was judged last: a report of one case (only=) has it.
        """
        if not self.results or self.results[-1].path != path:
            raise KeyError(f"{path} is not the last case of the report; expected "
                           f"{self.results[-1].path if self.results else 'one that was judged'}")
        return self._corpus.shares(output)


def relations_line(relations):
    counts = collections.Counter(relation.outcome for relation in relations)
    said = ", ".join(f"{counts[name]:,} {name.replace('_', ' ')}" for name in ("held", "broken", "declined", "not_applicable")
                     if counts[name])
    return f"{'FAILED' if counts['broken'] else 'PASSED'}: relations of the call: {said}"


def replace_file(file, text):
    """Writes a file beside, and renames it: it is there as a whole, or as it was."""
    path = pathlib.Path(file)
    handle, beside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent or ".")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as out:
            out.write(text)
        os.chmod(beside, 0o666 & ~_umask())
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask
