"""Checks that the requirements in doc comments agree with the specification, the code and the tests.

A header states a requirement as a numbered clause in the field "Requires" of a doc comment, for example
`/// Requires  (C1) every extent of x >= 1`. For each requirement,
  - docs/specification/requirements.md must have a row, in the order of the headers,
  - a source in the folder of the header or in ref/tensor must check it and name the clause: `Clause::C1`,
  - a test of the header must violate it; the name of this test begins with the clause: `TEST(Suite, C1_RejectsX)`.
Sources and tests must name no clause that no header states. A header of gpu may state only requirements of the header
of ref with the same name. If there is no such header, the source of the gpu header must check its requirements.
"""

import re

from .source_tree import NothingToCheck, SourceFile, read_exceptions, read_sources, read_text

# If this is true, the name of a test must have an underscore after its clause, as in C1_RejectsX. Otherwise C1RejectsX
# is accepted too.
REQUIRES_UNDERSCORE = True

FOLDERS = ("ref/data", "ref/decoder", "ref/encoder", "ref/io", "ref/model", "ref/nn", "ref/norm", "ref/ops",
           "ref/train", "verification")
SPECIFICATION = "docs/specification/requirements.md"
EXCEPTIONS = "tests/meta/unbroken.txt"
# The folder of check_activations, check_shape and other checks that many functions use.
SHARED_CHECKS = "ref/tensor"
FIELDS = {"Source", "Computes", "Shapes", "Requires", "Order", "Error", "Saves", "Throws", "Returns", "Memory",
          "Leaves", "Checks", "Notes", "Example"}
# The first group finds a comparison such as `== Clause::C2`. It is no check, and the clause may be of another folder.
NAMED = re.compile(r"(== (?:\w+::)*)?\bClause::C(\d+)")
TEST = re.compile(r"(TEST|TEST_F|TEST_P|RC_GTEST_PROP|NORMPROOF_REJECTS)\(\s*(\w+),\s*(\w+)")
# Names such as C1AndC2 and C1toC3 do not match, because these tests are about several clauses.
CLAUSE_TEST = re.compile(r"C(\d+)(?!And|to)(?!\d)\w*")
REFUSAL = re.compile(r"contract_(?:message|violation)|(?:refus|reject|violation)\w*\(|message\("
                     r"|ThrowsMessage<ContractError>")


class Requirement:
    """A requirement that a header states. `header` is its path without extension, `clause` is the clause number."""

    def __init__(self, header, function, clause, text):
        self.header, self.function, self.clause, self.text = header, function, clause, text
        self.folder = header.rpartition("/")[0]
        self.label = f"{header}:C{clause}"
        self.row = f"| `{function}` | (C{clause}) | " + text.replace("|", "\\|") + " |"

    def __eq__(self, other):
        return (self.label, self.row) == (other.label, other.row)


def trim(text):
    return text.lstrip(" ").rstrip(" ;.")


def find_declared_name(lines):
    """Returns the name of the type or function that is declared first in the lines.

    The lines are those after a doc comment. Returns "" if they begin with no declaration.
    """
    for line in lines:
        if re.fullmatch(r"\s*(template\b.*|requires\b.*|\[\[.*\]\])?\s*", line):
            continue
        if found := re.match(r"\s*(?:class|struct)\s+(\w+)", line) or re.search(r"([A-Za-z_]\w*)\s*\(", line):
            return found.group(1)
        if "namespace" in line:
            break
    return ""


def join_required(comment):
    """Returns the text of all fields "Requires" of a doc comment, joined to one line."""
    text, inside = "", False
    for line in comment:
        field = re.fullmatch(r"([A-Z][a-z]+)\s+(.*)", line)
        if not line:
            inside = False
        elif field and field.group(1) in FIELDS:
            inside = field.group(1) == "Requires"
            text += " " + field.group(2) if inside else ""
        elif inside:
            text += " " + trim(line)
    return text


def split_clauses(text):
    """Yields the number and the text of each clause in the text of the field "Requires".

    References to clauses of another function, such as "(C3) of f" or "(C2) to (C5)", are left out.
    """
    parts = re.split(r"\(C(\d+)\)", text)
    clauses = iter(zip(parts[1::2], parts[2::2]))
    for number, stated in clauses:
        stated = trim(stated)
        if stated == "to":
            next(clauses, None)
        elif stated not in ("", "and") and not stated.startswith(("of ", "to ")):
            yield int(number), stated


def read_requirements(header, text):
    """Returns the requirements that a header states. Equal requirements of two overloads are returned once."""
    found, lines, at = [], text.split("\n"), 0
    while at < len(lines):
        comment = []
        while at < len(lines) and lines[at].lstrip(" ").startswith("///"):
            comment.append(trim(lines[at].lstrip(" ")[3:]))
            at += 1
        if not comment:
            at += 1
            continue
        function = find_declared_name(lines[at:at + 40]) or header.rpartition("/")[2]
        for clause, stated in split_clauses(join_required(comment)):
            requirement = Requirement(header, function, clause, stated)
            if requirement not in found:
                found.append(requirement)
    return found


def find_requirements(sources, folders):
    """Returns the requirements of every header in the folders and their subfolders."""
    inside = tuple(folder + "/" for folder in folders)
    found = [requirement for source in sources if source.is_header and source.path.startswith(inside)
             for requirement in read_requirements(source.stem, source.text)]
    if not found:
        raise NothingToCheck("no requirement in " + ", ".join(folders) + "; expected some")
    return found


def write_tables(requirements):
    """Returns the tables of the specification: a heading for each folder and a row for each requirement."""
    text, folder = "", None
    for requirement in requirements:
        if requirement.folder != folder:
            folder = requirement.folder
            text += f"\n## {folder}\n\n| function | clause | requires |\n|---|---|---|\n"
        text += requirement.row + "\n"
    return text


def find_specification_violations(requirements, markdown):
    begin = markdown.find("\n## ")
    written = markdown[begin:].split("\n") if begin >= 0 else [""]
    expected = write_tables(requirements).split("\n")
    lacking, unknown = list(expected), []
    for line in written:
        if line in lacking:
            lacking.remove(line)
        else:
            unknown.append(line)
    yield from (f"{SPECIFICATION}: expected {line}" for line in lacking)
    yield from (f"{SPECIFICATION}: no header has {line}" for line in unknown)
    if not lacking and not unknown and written != expected:
        yield f"{SPECIFICATION}: expected the order of the headers"


def find_check_violations(sources, requirements, excepted=()):
    named, stated = {}, {}
    for source in sources:
        if not source.is_test:
            clauses = {int(clause) for compared, clause in NAMED.findall(source.text) if not compared}
            named[source.folder] = named.get(source.folder, set()) | clauses
    for requirement in requirements:
        stated.setdefault(requirement.folder, set()).add(requirement.clause)
        folders = (requirement.folder, SHARED_CHECKS)
        if requirement.label not in excepted and not any(requirement.clause in named.get(f, ()) for f in folders):
            yield f"{requirement.label}: no check in {requirement.folder} names it"
    for folder, clauses in sorted(named.items()):
        twin = re.sub("^gpu/", "ref/", folder)
        known = stated.get(twin, set()) | stated.get(folder, set())
        for clause in sorted(clauses - known if known else ()):
            yield f"{folder}: a check names C{clause}, which no header of {twin} states"


def find_device_violations(sources, device_requirements, requirements):
    """Yields requirements of headers of gpu that the header of ref with the same name does not state.

    If there is no such header, yields the requirements without a check in the source of the gpu header or without test.
    """
    headers = {source.stem for source in sources if source.is_header}
    stated = {(requirement.header, requirement.clause) for requirement in requirements}
    alone = []
    for requirement in device_requirements:
        twin = re.sub("^gpu/", "ref/", requirement.header)
        if twin in headers:
            if (twin, requirement.clause) not in stated:
                yield f"{requirement.label}: {twin}.hpp does not state it"
            continue
        alone.append(requirement)
        text = "".join(source.text for source in sources if source.stem == requirement.header)
        if str(requirement.clause) not in [clause for compared, clause in NAMED.findall(text) if not compared]:
            yield f"{requirement.label}: its own source has no check that names it, and there is no {twin}.hpp"
    yield from find_test_violations(sources, alone)


class ClauseTest:
    def __init__(self, file, macro, suite, name, body):
        self.file, self.name = file, name
        self.subject = re.sub("(test|contract)$", "", suite.replace("_", "").lower())
        self.clause = int(CLAUSE_TEST.fullmatch(name).group(1))
        self.expects_refusal = macro == "NORMPROOF_REJECTS" or bool(REFUSAL.search(body))
        self.has_underscore = name.startswith(f"C{self.clause}_")


def find_clause_tests(sources, header):
    """Returns the tests whose names begin with a clause.

    These are in tests/<header>_test.cpp and tests/<header>_contract_test.cpp.
    """
    tests = []
    for source in sources:
        if source.path in (f"tests/{header}_test.cpp", f"tests/{header}_contract_test.cpp"):
            found = list(TEST.finditer(source.text))
            for test, next_test in zip(found, found[1:] + [None]):
                if CLAUSE_TEST.fullmatch(test.group(3)):
                    body = source.text[test.start():next_test.start() if next_test else None]
                    tests.append(ClauseTest(source.path, *test.groups(), body))
    return tests


def is_tested(requirements, requirement, tests):
    """Returns whether one of the tests is a test of the requirement.

    Several functions of a header may use the same clause number for different requirements. Then the suite of the test
    must be named after the function.
    """
    ambiguous = any(other.label == requirement.label and other.text != requirement.text for other in requirements)
    subject = requirement.function.replace("_", "").lower()
    return any(test.clause == requirement.clause and (not ambiguous or test.subject == subject) for test in tests)


def find_test_violations(sources, requirements, excepted=()):
    tests, stated = {}, {}
    for requirement in requirements:
        header = requirement.header
        stated.setdefault(header, set()).add(requirement.clause)
        if header not in tests:
            tests[header] = find_clause_tests(sources, header)
        if requirement.label not in excepted and not is_tested(requirements, requirement, tests[header]):
            yield (f"{requirement.label}: no test of it in tests/{header}_test.cpp; expected "
                   f"TEST(..., C{requirement.clause}_...), of {requirement.function}")
    for header, clauses in stated.items():
        for test in tests[header]:
            if test.clause not in clauses:
                yield f"{test.file}: {test.name} is of a clause that {header}.hpp does not state"
            if not test.expects_refusal:
                yield f"{test.file}: {test.name} expects no refusal"
            if REQUIRES_UNDERSCORE and not test.has_underscore:
                yield f"{test.file}: {test.name} has no underscore after its clause; expected C{test.clause}_..."


def find_exception_violations(sources, requirements, excepted, without_reason):
    for label in excepted:
        if label in without_reason:
            yield f"{label}: excepted without a reason"
        stated = [requirement for requirement in requirements if requirement.label == label]
        if not stated:
            yield f"{label}: excepted, but no header states it"
        elif is_tested(requirements, stated[0], find_clause_tests(sources, stated[0].header)):
            yield f"{label}: excepted, but it has a test"


def find_violations(root):
    sources = read_sources(root)
    requirements = find_requirements(sources, FOLDERS)
    excepted, without_reason = read_exceptions(read_text(root / EXCEPTIONS))
    yield from find_specification_violations(requirements, read_text(root / SPECIFICATION))
    yield from find_check_violations(sources, requirements, excepted)
    yield from find_device_violations(sources, find_requirements(sources, ("gpu",)), requirements)
    yield from find_test_violations(sources, requirements, excepted)
    yield from find_exception_violations(sources, requirements, excepted, without_reason)


def record(root):
    """Writes the tables of the specification from the headers. Keeps the introduction before the tables."""
    path = root / SPECIFICATION
    introduction = read_text(path).partition("\n## ")[0]
    path.write_text(introduction + write_tables(find_requirements(read_sources(root), FOLDERS)), encoding="utf-8")
