from .injected_tree import TestCase
from .source_tree import NothingToCheck
from .words import BASELINE, find_in_file, find_violations, record

# These sentences are faults on purpose, so that they are kept out of docstrings and comments.
FAULTS = {
    "Holds so many rows.": "so many", "Holds as many as n.": "as many as", "Prints what came back.": "what came back",
    "Says what becomes of it.": "what becomes of", "Says how it came out.": "how it came out",
    "The device is asked.": "is asked", "The options are told.": "are told", "Nobody heeds it.": "heeds",
    "The file has to be there.": "has to be there", "A caller whom others do not help.": "others do not help",
    "The caches, asked ahead.": "asked ahead", "Rows are stored past the caches.": "stored past the caches",
    "Blocks have room for their registers.": "room for their registers", "Throws the Breach.": "Breach",
    "The list goes on in the next.": "goes on ", "Each epoch begins anew.": "begins anew",
    "The file is made again.": "made again", "Prints a number a channel.": "a number a channel",
    "Reads one case a line.": "one case a line", "Formats of few bits.": "of few bits",
    "The rule of the house.": "the house",
    "The layer is at fault.": "at fault", "Finds a planted fault.": "a planted", "Shows what only a GPU can show.":
    "only a GPU can show", "The nearest to the truth.": "nearest to the truth",
    "That goes without saying.": "goes without saying", "The bound tells nothing.": "tells nothing",
}
STARTS = ("Of each row.", "What the layer returns.", "Where n is 0, nothing.", "That of the row.", "Those of the row.",
          "The same for columns.", "As the other.")
ORDINARY = ("Returns the layers whose output differs.", "Moves the rows to the next block.", "What is a norm? A layer.",
            "A file has one value per line, many of them.", "The program goes on to fail.", "Asks the user for a name.",
            "Resets it as often as needed; see `so many` and `a number a channel`.")


class Words(TestCase):
    def find(self, path, text):
        return [fault for _, fault in find_in_file(path, text)]

    def test_finds_each_replaced_word_in_comments_and_documents(self):
        for sentence, word in FAULTS.items():
            for path, text in (("a.hpp", f"/// {sentence}\nint f();\n"), ("a.cpp", f"f();  // {sentence}\n"),
                               ("a.md", f"# A\n\n{sentence}\n"), ("a.py", f'"""{sentence}"""\n'),
                               ("a.py", f"x = 1  # {sentence}\n")):
                self.expect(self.find(path, text), f"'{word}'")

    def test_finds_a_phrase_that_a_line_break_divides(self):
        self.assertEqual([number for number, _ in find_in_file("a.hpp", "\n// Holds so\n// many rows.\n")], [2])

    def test_finds_words_at_the_beginning_of_a_comment(self):
        for sentence in STARTS:
            self.expect(self.find("a.hpp", f"int g();\n\n/// {sentence}\nint f();\n"), "begins with")
            self.expect(self.find("a.py", f'def f():\n    """{sentence}"""\n'), "begins with")
        for sentence in STARTS[:5]:
            self.expect(self.find("a.hpp", f"/// Adds. {sentence}\n"), "a sentence begins with")
            self.expect(self.find("a.md", f"Some text. {sentence}\n"), "a sentence begins with")
            self.expect(self.find("a.md", f"- {sentence}\n"), "begins with")
        self.expect(self.find("a.md", "The same for columns.\n"))

    def test_finds_replaced_words_in_names_of_constants(self):
        self.expect(self.find("a.cpp", "int kMostRows = 1;\n"), "'kMost'; write: kMax")

    def test_accepts_ordinary_sentences_code_and_tables(self):
        for sentence in ORDINARY:
            self.expect(self.find("a.hpp", f"/// {sentence}\n"))
            self.expect(self.find("a.md", f"{sentence}\n"))
        self.expect(self.find("a.hpp", 'f("so many");\ng(R"(// so many)");\nconst int n = 1\'000\'000;\n'))
        self.expect(self.find("a.py", 'f("so many")\n'))
        self.expect(self.find("a.md", "## What it does\n\n| so many |\n|---|\n\n```\nso many\n```\n\n    so many\n    so many\n"))

    def test_finds_long_sentences_and_wide_lines_of_documents(self):
        words = "\n".join(["word word word word"] * 10)
        self.expect(self.find("a.md", f"A {words}.\n"), "a sentence has 41 words")
        self.expect(self.find("a.md", f"{words}. A {words[5:]}.\n"))
        self.expect(self.find("a.md", "w" * 101 + "\n"), "a line has 101 columns")
        self.expect(self.find("a.md", "w" * 100 + "\n\n[a](" + "w" * 100 + ")\n\n| " + "w" * 100 + " |\n\n```\n"
                              + "w" * 101 + "\n```\n"))

    def test_the_number_of_faults_in_a_file_must_not_grow(self):
        root = self.make_tree({"ref/a.hpp": "// Holds so many rows.\n", "docs/a.md": "Fine.\n"})
        self.expect(find_violations(root), "ref/a.hpp: 1 faults; expected 0 or fewer", "ref/a.hpp:1: 'so many'")
        (root / BASELINE).parent.mkdir(parents=True)
        record(root)
        self.assertIn("\n1 ref/a.hpp\n", (root / BASELINE).read_text())
        self.expect(find_violations(root))
        (root / "ref/a.hpp").write_text("// Holds so many rows, so many.\n")
        self.expect(find_violations(root), "ref/a.hpp: 2 faults; expected 1 or fewer", "'so many'", "'so many'")
        (root / "ref/a.hpp").write_text("// Holds rows.\n")
        self.expect(find_violations(root))

    def test_generated_files_are_not_read(self):
        root = self.make_tree({"docs/generated/a.md": "So so many.\n", "docs/b.md": "",
                               "verification/studies/x/results/a.md": "So so many.\n"})
        self.expect(find_violations(root))

    def test_rejects_a_tree_without_text(self):
        with self.assertRaises(NothingToCheck):
            list(find_violations(self.make_tree({"LICENSE": ""})))
