"""Checks that comments and documents do not use the words that docs/style.md replaces.

The check reads the comments of C++, CUDA and Python sources, docstrings, and documents without their code, tables and
headings. It finds
  - words of the left column of the table in docs/style.md that are not ordinary English,
  - comments and sentences that begin with "Of", "What", "Where" and similar words,
  - sentences of a document with more than 40 words, and lines of a document with more than 100 columns.
tests/meta/words_baseline.txt has the permitted number of faults of a file. This number is 0 for a file that is not
listed. `tests/meta/check words . --record` writes the present numbers.
"""

import ast
import io
import re
import tokenize

from .source_tree import FOLDERS, NothingToCheck, find_files, read_text

BASELINE = "tests/meta/words_baseline.txt"
MAX_WORDS, MAX_COLUMNS = 40, 100
# The files that programs of the project write.
GENERATED = re.compile(r"docs/(?:generated/|board|coverage|gate_power|museum|study_language_)|verification/out/"
                       r"|verification/studies/\w+/results/|verification/golden/data/")
UNITS = ("batch|block|bucket|case|channel|column|element|file|folder|format|group|head|key|layer|line|name|pair|place"
         "|position|process|rank|row|run|sample|sentence|size|step|task|thread|token|value|word")
NO_NOUN = r"(?:as|at|but|by|for|from|has|have|in|into|is|of|on|or|over|per|than|that|to|with|within|without)\b"
WORDS = {
    r"\bso many\b": "the number of",
    r"\bas many as\b": "n",
    r"\bwhat came (?:back|out|of)\b": "the output, the result",
    r"\bwhat (?:becomes|became|comes|came) of\b": "the result",
    r"\bhow (?:it|they|that|this) (?:came|comes) out\b": "the result",
    r"\b(?:is|are|was|were|be|been) (?:asked|told)\b": "is requested, is printed, must",
    r"\bheed(?:s|ed|ing)?\b": "use",
    r"\b(?:has|have) to be there\b": "must exist",
    r"\bothers do not help\b": "a thread without free workers",
    r"\basked ahead\b": "prefetch",
    r"\b(?:stores?d?|written|writes?) past (?:the |all )?caches?\b": "non-temporal store",
    r"\broom for (?:their|its|the) registers\b": "occupancy",
    r"\bBreach\b": "contract violation",
    r"\b(?:go|goes|went|going) on (?!to\b)(?=in\b|with\b|from\b|where\b|as\b|at\b|until\b|after\b)": "resume, continue",
    r"\b(?:begin|begins|began|begun|numbers?|starts?) anew\b": "restart",
    r"\bmade again\b": "reproduced",
    rf"\b(?:a|an|one) (?!{NO_NOUN})\w+ an? (?:{UNITS})\b(?! (?:is|has|of)\b)": "one ... per ...",
    r"\bof few bits\b": "low-precision",
    r"\b(?:the|this|our|a) (?:house|room)s?\b": "architecture, module",
    r"\bat fault\b": "wrong, with an injected fault",
    r"\b(?:a|an|the|each|every|is|are) planted\b|\bplanted (?:fault|tree|bug|error|defect|value|kernel)s?\b":
        "injected",
    r"\bonly a GPU can show\b": "GPU-only checks",
    r"\bnearest (?:to )?the truth\b": "most accurate",
    r"\bgoes without saying\b": "is the default",
    r"\bmay tell nothing\b|\btells? nothing\b": "may be vacuous",
}
WORDS = {re.compile(pattern): better for pattern, better in WORDS.items()}
IDENTIFIER = re.compile(r"\bk(?:Most|Least)(?=[A-Z])")
# Words that are ordinary English inside a sentence, but must not begin a comment.
COMMENT_START = re.compile(r"(Of|Where|That of|That which|Those of|Those that|The same|As|What(?! [^.!?]*\?))\b"
                           r"(?! *:)")
DOCUMENT_START = re.compile(COMMENT_START.pattern.replace("|The same|As|", "|"))
SENTENCE_START = re.compile(r"(?<=[.!?] )(Of|Where|That of|That which|Those of|What(?! [^.!?]*\?))\s")
CPP_TOKEN = re.compile(r"""R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*'"""
                       r"""|(?P<comment>//[^\n]*|/\*.*?\*/)""", re.S)


def hide_code(text):
    """Replaces code in backticks by a word of underscores of the same length."""
    return re.sub(r"`[^`]*`", lambda code: "_" * len(code.group()), text)


def group_lines(lines):
    """Yields blocks of consecutive lines. A line is a pair (number, text), and an empty line ends a block."""
    block = []
    for number, text in lines:
        if block and (number != block[-1][0] + 1 or not text.strip()):
            yield block
            block = []
        if text.strip():
            block.append((number, text.strip()))
    if block:
        yield block


def find_cpp_comments(text):
    """Yields the comments of a C++ source as blocks of numbered lines. A comment after code is a block of its own."""
    alone = []
    for token in CPP_TOKEN.finditer(text):
        if token["comment"] is None:
            continue
        number = text.count("\n", 0, token.start()) + 1
        lines = [(number + i, re.sub(r"^\s*(?:///?<?|/\*+|\*+/?)|\*/$", "", line))
                 for i, line in enumerate(token["comment"].split("\n"))]
        if text[text.rfind("\n", 0, token.start()) + 1:token.start()].strip():
            yield from group_lines(lines)
        else:
            alone += lines
    yield from group_lines(alone)


def find_python_comments(text):
    """Yields the comments and docstrings of a Python source as blocks of numbered lines."""
    try:
        tree = ast.parse(text)
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (SyntaxError, ValueError, tokenize.TokenError):
        return
    yield from group_lines([(token.start[0], token.string.lstrip("#!")) for token in tokens
                            if token.type == tokenize.COMMENT and not token.string.startswith("#!")])
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and node.body:
            if (text := ast.get_docstring(node, clean=False)) is not None:
                yield from group_lines(enumerate(text.split("\n"), node.body[0].lineno))


def find_prose(markdown):
    """Yields the number and the text of every line of a document. The text of code, tables and headings is empty."""
    in_fence, in_indented = False, True
    for number, line in enumerate(markdown.split("\n"), 1):
        fence = line.lstrip().startswith("```")
        in_fence ^= fence
        in_indented = not line.strip() or in_indented and line.startswith("    ")
        hidden = fence or in_fence or in_indented or re.match(r"\s*(?:\||#|<)", line)
        yield number, "" if hidden else line


def find_paragraphs(markdown):
    """Yields the paragraphs and list items of a document as numbered lines."""
    lines = []
    for number, line in find_prose(markdown):
        if re.match(r"\s*(?:[*-]|\d+\.) ", line):
            lines.append((number, ""))
            line = re.sub(r"^\s*(?:[*-]|\d+\.) ", "", line)
        lines.append((number, line))
    block = []
    for number, line in lines + [(0, "")]:
        if not line.strip() and block:
            yield block
            block = []
        elif line.strip():
            block.append((number, line.strip()))


def find_in_block(block, starts):
    """Yields the line number and the description of each fault in a block."""
    text = hide_code(" ".join(line for _, line in block))
    ends, offset = [], 0
    for number, line in block:
        offset += len(line) + 1
        ends.append((offset, number))

    def line_at(position):
        return next((number for end, number in ends if position < end), block[-1][0])

    for pattern, better in WORDS.items():
        for found in pattern.finditer(text):
            yield line_at(found.start()), f"'{found.group()}'; write: {better}"
    if found := starts.match(text):
        yield block[0][0], f"begins with '{found.group(1)}'"
    for found in SENTENCE_START.finditer(text):
        yield line_at(found.start()), f"a sentence begins with '{found.group(1)}'"


def find_in_document(markdown):
    for block in find_paragraphs(markdown):
        yield from find_in_block(block, DOCUMENT_START)
        text = re.sub(r"\]\([^)]*\)", "]", hide_code(" ".join(line for _, line in block)))
        for sentence in re.split(r"(?<=[.:?!])\s+(?=[A-Z_\[*])", text):
            if (count := len(sentence.split())) > MAX_WORDS:
                yield block[0][0], f"a sentence has {count} words: {sentence[:40]}..."
    for number, line in find_prose(markdown):
        if (columns := len(re.sub(r"\]\([^)]*\)", "]", line))) > MAX_COLUMNS:
            yield number, f"a line has {columns} columns"


def find_in_file(path, text):
    if path.endswith(".md"):
        return sorted(find_in_document(text))
    identifiers = [(text.count("\n", 0, found.start()) + 1, f"'{found.group()}'; write: kMax, kMin")
                   for found in IDENTIFIER.finditer(text)]
    is_python = path.endswith(".py") or text.startswith("#!/usr/bin/env python3")
    find_comments = find_python_comments if is_python else find_cpp_comments
    blocks = find_comments(text)
    return sorted(identifiers + [fault for block in blocks for fault in find_in_block(block, COMMENT_START)])


def find_faults(root):
    """Returns a dictionary from the path of each file with faults to its faults, pairs (line number, description)."""
    faults, count = {}, 0
    paths = find_files(root, FOLDERS, {".hpp", ".cpp", ".cu", ".cuh", ".h", ".py", ".md", ""})
    for path in ["README.md"] * (root / "README.md").exists() + paths + find_files(root, ("docs",), {".md"}):
        if GENERATED.match(path):
            continue
        text = read_text(root / path)
        if "." not in path.rpartition("/")[2] and not text.startswith("#!/usr/bin/env python3"):
            continue
        count += 1
        if found := find_in_file(path, text):
            faults[path] = found
    if count == 0:
        raise NothingToCheck(f"{root}: no comment and no document; expected some")
    return faults


def find_violations(root):
    baseline = {}
    if (root / BASELINE).exists():
        for line in read_text(root / BASELINE).split("\n"):
            if line and not line.startswith("#"):
                count, path = line.split()
                baseline[path] = int(count)
    for path, faults in sorted(find_faults(root).items()):
        if len(faults) > baseline.get(path, 0):
            yield f"{path}: {len(faults)} faults; expected {baseline.get(path, 0)} or fewer ({BASELINE}):"
            yield from (f"{path}:{number}: {fault}" for number, fault in faults)


def record(root):
    lines = [f"{len(faults)} {path}" for path, faults in sorted(find_faults(root).items())]
    (root / BASELINE).write_text("# The number of faults that tests/meta/check words finds in each file. No number may "
                                 "grow.\n" + "".join(line + "\n" for line in lines), encoding="utf-8")
