from . import recipes
from .injected_tree import TestCase
from .recipes import PAGE, find_violations, read_paths, split_recipes
from .source_tree import NothingToCheck

RECIPE = """# Extending

## A layer

Example: `dyt`

| file | what to add |
|---|---|
| `ref/norm/<layer>.hpp`, `gpu/norm/` | `ref/x.cpp` is not named, because it is in the second column |
"""
SOURCES = {"ref/norm/dyt.hpp": "struct dyt {};", "gpu/norm/deep/dyt_kernels.cu": "dyt", "ref/other.cpp": "redyt"}


class Recipes(TestCase):
    def setUp(self):
        least, recipes.MIN_RECIPES = recipes.MIN_RECIPES, 1
        self.addCleanup(setattr, recipes, "MIN_RECIPES", least)

    def test_reads_sections_and_first_columns(self):
        (title, lines), = split_recipes(RECIPE)
        self.assertEqual((title, read_paths(lines)), ("A layer", ["ref/norm/<layer>.hpp", "gpu/norm/"]))

    def test_accepts_a_recipe_that_names_every_file_of_its_example(self):
        self.expect(find_violations(self.make_tree(SOURCES | {PAGE: RECIPE})))

    def test_finds_a_source_that_the_recipe_does_not_name(self):
        root = self.make_tree(SOURCES | {PAGE: RECIPE, "ref/x.cpp": "make_dyt();", "verification/run": "dyt()",
                                         "verification/.cache/a.json": "dyt"})
        self.expect(find_violations(root), "ref/x.cpp: contains 'dyt'", "verification/run: contains 'dyt'")

    def test_finds_a_path_that_matches_no_file(self):
        root = self.make_tree(SOURCES | {PAGE: RECIPE + "| `ref/norm/absent.cpp` | the call |\n"})
        self.expect(find_violations(root), "names ref/norm/absent.cpp, which matches no file")

    def test_finds_an_example_that_no_source_contains(self):
        root = self.make_tree(SOURCES | {PAGE: RECIPE.replace("`dyt`", "`dyt`, `lion`")})
        self.expect(find_violations(root), "no source contains the example 'lion'")

    def test_finds_a_recipe_without_example_or_table(self):
        root = self.make_tree(SOURCES | {PAGE: RECIPE + "\n## An optimizer\n\nAdd it.\n"})
        self.expect(find_violations(root), "'An optimizer' has no line 'Example:'", "has no table that names files")

    def test_finds_that_recipes_are_missing(self):
        recipes.MIN_RECIPES = 2
        self.expect(find_violations(self.make_tree(SOURCES | {PAGE: RECIPE})), "1 recipes; expected 2 or more")

    def test_rejects_a_tree_without_recipes(self):
        for files in (SOURCES, SOURCES | {PAGE: "# Extending\n"}, {PAGE: RECIPE}):
            with self.assertRaises(NothingToCheck):
                list(find_violations(self.make_tree(files)))
