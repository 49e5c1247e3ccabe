"""The plug-in of pytest. It repeats a test of normproof.cases for each case.

  --normproof-tier TIER    quick, standard or full, for tests that do not say which
  --normproof-only GLOB    only these cases; may be repeated. A glob that matches no case is an error
  --normproof-xfail FILE   cases known to fail, one glob per line, '#' begins a comment. A glob matches the path of a case, or
                           the id of a test, as in test_kernels.py::test_softmax*. A case that passes is a failure, and so
                           is a line that matches no case, unless the command line leaves cases out

A run fails if it judges no case because each is declined. The traceback of a failure shows no lines of this package.
"""
from __future__ import annotations

import codecs
import collections
import fnmatch
import math
import sys
from typing import Any, Iterator, Sequence

import pytest

PROPERTIES = ("normproof_case", "normproof_outcome", "normproof_ratio", "normproof_mistake")


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("normproof", "kernels held against certified cases")
    group.addoption("--normproof-tier", metavar="TIER", choices=("quick", "standard", "full"), default="quick",
                    help="quick (the default), standard or full: made once, and kept")
    group.addoption("--normproof-only", metavar="GLOB", action="append", default=[],
                    help="cases whose path, or what follows the operation in it, matches; several times")
    group.addoption("--normproof-xfail", metavar="FILE", help="cases known to fail, one glob of paths or test ids per line: strict both ways")


def pytest_configure(config: Any) -> None:
    config.addinivalue_line("markers", "normproof(op, dtype, tier, only): the test is made once for each certified case; "
                                       "what normproof.cases writes")
    file = config.getoption("--normproof-xfail")
    config.stash[_EXPECTED] = _read_expected(file) if file else []
    config.stash[_SEEN], config.stash[_MATCHED], config.stash[_TESTS] = set(), set(), []
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Summary(), "normproof-summary")


_BYTE_ORDER_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_EXPECTED: Any = pytest.StashKey()  # the globs of --normproof-xfail
_SEEN: Any = pytest.StashKey()  # those of them that match a case
_MATCHED: Any = pytest.StashKey()  # the globs of --normproof-only that match a case
_TESTS: Any = pytest.StashKey()  # the ids of the tests of normproof.cases


def _read_expected(file: str) -> list[str]:
    try:
        with open(file, "rb") as opened:
            content = opened.read()
        if content.startswith(_BYTE_ORDER_MARKS):
            raise pytest.UsageError(f"--normproof-xfail {file}: it begins with a byte order mark; expected UTF-8 without one")
        globs = [line.split("#")[0].strip() for line in content.decode("utf-8").splitlines()]
    except OSError as error:
        raise pytest.UsageError(f"--normproof-xfail {file}: {error.strerror}; expected a glob a line") from None
    except UnicodeDecodeError as error:
        raise pytest.UsageError(f"--normproof-xfail {file}: byte {error.start} is not UTF-8; expected a glob a line") from None
    return [glob for glob in globs if glob]


def pytest_generate_tests(metafunc: Any) -> None:
    mark = next(metafunc.definition.iter_markers("normproof"), None)
    if mark is None:
        return
    from normproof import testing
    from normproof.errors import NormproofError
    if "case" not in metafunc.fixturenames:
        raise pytest.UsageError(f"{metafunc.definition.nodeid}: normproof.cases needs the argument `case`")
    settings, config = mark.kwargs, metafunc.config
    tier = settings["tier"] or config.getoption("--normproof-tier")
    try:
        paths = testing.selected_paths(settings["op"], settings["dtype"], tier, settings["only"])
    except NormproofError as error:
        raise pytest.UsageError(f"{metafunc.definition.nodeid}: {error}") from None
    wanted = config.getoption("--normproof-only")
    if wanted:
        matching = {glob: [path for path in paths if fnmatch.fnmatchcase(path, glob) or
                           fnmatch.fnmatchcase(path.split("/")[2], glob)] for glob in wanted}
        config.stash[_MATCHED].update(glob for glob, found in matching.items() if found)
        paths = [path for path in paths if any(path in found for found in matching.values())]
    config.stash[_TESTS].append(metafunc.definition.nodeid)
    metafunc.parametrize("case", paths, ids=paths, indirect=True)


@pytest.fixture
def case(request: Any) -> Iterator[Any]:
    """The case of a test of normproof.cases. The results of its checks become properties of the test."""
    from normproof import testing
    from normproof.report import CaseResult
    selected = testing.case(request.param)
    found: list[CaseResult] = []

    def listen(result: CaseResult) -> None:
        found.append(result)
    testing.listeners.append(listen)
    yield selected
    testing.listeners.remove(listen)
    for result in found:
        request.node.user_properties += [
            ("normproof_case", result.path), ("normproof_outcome", result.outcome), ("normproof_ratio", repr(result.ratio)),
            ("normproof_mistake", result.mistakes[0] if result.mistakes else "")]


def pytest_collection_modifyitems(config: Any, items: Sequence[Any]) -> None:
    unmatched = [glob for glob in config.getoption("--normproof-only") if glob not in config.stash[_MATCHED]]
    if unmatched and config.stash[_TESTS]:
        _refuse(config, f"--normproof-only: {unmatched[0]} matches no case; expected one of those that "
                        f"{config.stash[_TESTS][0]} has, such as odd*")
    expected = config.stash[_EXPECTED]
    for item in items:
        path = getattr(getattr(item, "callspec", None), "params", {}).get("case")
        if not isinstance(path, str) or item.get_closest_marker("normproof") is None:
            continue
        for glob in expected:
            if any(fnmatch.fnmatchcase(name, glob) or name == glob for name in (path, item.nodeid)):
                config.stash[_SEEN].add(glob)
                item.add_marker(pytest.mark.xfail(strict=True, reason=f"--normproof-xfail: {glob}"))
    unseen = [glob for glob in expected if glob not in config.stash[_SEEN] and not _is_left_out(config, items, glob)]
    if unseen:
        _refuse(config, f"--normproof-xfail: {unseen[0]} matches no case; expected one of those that are tested")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(call: Any) -> None:
    """Hides the frames of this package from the traceback of a failure that the package raised on purpose."""
    from normproof.errors import NormproofError
    if call.excinfo is not None and isinstance(call.excinfo.value, NormproofError):
        for name, module in list(sys.modules.items()):
            if name.partition(".")[0] == "normproof":
                vars(module)["__tracebackhide__"] = True


def _is_left_out(config: Any, items: Sequence[Any], glob: str) -> bool:
    """Whether the command line leaves tests out, perhaps all that a glob of --normproof-xfail matches."""
    if config.getoption("--normproof-only") or config.getoption("-k") or any("::" in str(arg) for arg in config.args):
        return True
    file, separator, _ = glob.partition("::")
    names_files = [str(arg) for arg in config.args] != [str(config.invocation_params.dir)]
    return bool(separator) and names_files and not any(
        fnmatch.fnmatchcase(item.nodeid.partition("::")[0], file) for item in items)


def _refuse(config: Any, sentence: str) -> None:
    """Ends the run with status 4. A worker of pytest-xdist reports the sentence to the process that started it."""
    if not hasattr(config, "workerinput"):
        raise pytest.UsageError(sentence)
    config.workeroutput["normproof_refusal"] = sentence


class _Summary:
    """Prints the last lines of a run: the cases, the worst error over the bound, and the mistakes by name."""

    def __init__(self) -> None:
        # For each case and test: the outcome, the error over the bound, and the nearest mistake.
        self.results: dict[tuple[str, str], tuple[str, float, str]] = {}
        self.refusal = ""

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self.refusal = getattr(node, "workeroutput", {}).get("normproof_refusal", self.refusal)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when != "teardown":
            return
        values = [value for key, value in report.user_properties if key in PROPERTIES]
        for path, outcome, ratio, mistake in zip(*[iter(values)] * len(PROPERTIES)):
            self.results[path, report.nodeid] = outcome, float(ratio), mistake

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: Any) -> None:
        if self.refusal:
            session.exitstatus = pytest.ExitCode.USAGE_ERROR
        elif self._judged_nothing() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _judged_nothing(self) -> bool:
        return bool(self.results) and all(outcome == "declined" for outcome, _, _ in self.results.values())

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.refusal:
            terminalreporter.write_line(f"ERROR: {self.refusal}")
        if not self.results:
            return
        counts = collections.Counter(outcome for outcome, _, _ in self.results.values())
        judged = {key: ratio for key, (outcome, ratio, _) in self.results.items() if outcome != "declined"}
        line = f"normproof: {len(self.results):,} cases: " + ", ".join(f"{counts[name]:,} {name}" for name in sorted(counts))
        if judged:
            (path, _), ratio = max(judged.items(), key=lambda item: math.inf if math.isnan(item[1]) else item[1])
            line += f"; worst share of its bound {ratio:.3g}: {path}"
        terminalreporter.write_sep("-", "normproof")
        terminalreporter.write_line(line)
        if self._judged_nothing():
            terminalreporter.write_line("normproof: no case was held, which is a failure: each was declined")
        mistakes = collections.Counter(mistake for _, _, mistake in self.results.values() if mistake)
        for mistake, count in mistakes.most_common():
            terminalreporter.write_line(f"normproof: {count:,} agree with '{mistake}'")
