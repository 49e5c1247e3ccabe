from .formulas import find_incomplete_formulas, find_speed_code, find_violations
from .injected_tree import TestCase
from .source_tree import NothingToCheck, read_sources


class Formulas(TestCase):
    def find_speed_code(self, line):
        return find_speed_code(read_sources(self.make_tree({"ref/norm/a_formula.hpp": f"\n{line}\n",
                                                       "ref/ops/pack.hpp": "_mm512_stream_pd(p, v);\n"})))

    def test_finds_code_that_belongs_to_a_traversal(self):
        for line in ("ops::prefetch(at, x);", "ops::stream_fence();", "ops::stream(p, v);",
                     "fill(y, width, a.use_streaming_stores, term);", "_mm_sfence();",
                     "v = _mm256_add_pd(v, w);", "__builtin_ia32_movntpd(p, v);", "__builtin_nontemporal_store(v, p);",
                     "#pragma GCC unroll 4", '#pragma omp simd', 'asm volatile("");'):
            self.expect(self.find_speed_code(line), "ref/norm/a_formula.hpp:2: ")
        self.expect(self.find_speed_code("row.write(in.y, [=](auto d) { return x[d] * rstd; });"))

    def test_finds_a_formula_that_is_not_in_one_header(self):
        def include(*names):
            return "".join(f'#include "ref/norm/{name}.hpp"\n' for name in names)
        root = self.make_tree({
            "ref/norm/good.hpp": "", "ref/norm/good.cpp": include("good", "good_formula"),
            "ref/norm/good_formula.hpp": '#include "ref/ops/row_traversal.hpp"\n',
            "ref/norm/kin.hpp": "", "ref/norm/kin.cpp": include("good_formula", "kin_formula"),
            "ref/norm/kin_formula.hpp": include("good_formula"),
            "ref/norm/deep.hpp": "", "ref/norm/deep.cpp": include("deep_formula"),
            "ref/norm/deep_formula.hpp": include("good_formula"),
            "ref/norm/far_formula.hpp": "", "ref/norm/layer.hpp": include("far_formula"),
            "ref/norm/split.hpp": "", "ref/norm/split.cpp": include("split_formula"),
            "ref/norm/split_formula.hpp": "#include <vector>\n" + include("loops")})
        self.expect(find_incomplete_formulas(read_sources(root)), "deep_formula.hpp: continues in ref/norm/good_formula.hpp",
                    "far_formula.hpp: no source of a layer includes it",
                    "split_formula.hpp: continues in ref/norm/loops.hpp", "split_formula.hpp: #include <vector>")

    def test_rejects_a_tree_with_few_formulas(self):
        with self.assertRaises(NothingToCheck):
            list(find_violations(self.make_tree({"ref/norm/a_formula.hpp": ""})))
