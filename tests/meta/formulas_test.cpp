#include "tests/meta/formulas.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/meta/planted_tree.hpp"

namespace normproof::tests::meta {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::filesystem::path kRepository = NORMPROOF_SOURCE_DIR;

std::vector<std::string> speed_in(const std::string& line) {
  const TemporaryTree planted({{"ref/norm/a_formula.hpp", "\n" + line + "\n"},
                               {"ref/ops/pack.hpp", "_mm512_stream_pd(p, v);\n"}});
  return speed_in_formulas(planted.root(), read_source_tree(planted.root()));
}

TEST(Formulas, RejectsWorkOfATraversalInAFormula) {
  for (const std::string line :
       {"ops::prefetch(at, x);", "ops::stream_fence();", "ops::stream(p, v);",
        "fill(y, width, a.use_streaming_stores, term);", "_mm_sfence();",
        "v = _mm256_add_pd(v, w);", "__builtin_ia32_movntpd(p, v);",
        "__builtin_nontemporal_store(v, p);", "#pragma GCC unroll 4", "asm volatile(\"\");"})
    EXPECT_THAT(speed_in(line), ElementsAre(HasSubstr("ref/norm/a_formula.hpp:2: "))) << line;
  EXPECT_THAT(speed_in("row.write(in.y, [=](auto d) { return x[d] * rstd; });"), IsEmpty());
}

TEST(Formulas, RejectsAFormulaThatIsSpreadOverFiles) {
  const TemporaryTree planted(
      {{"ref/norm/good.hpp", ""},
       {"ref/norm/good.cpp",
        "#include \"ref/norm/good.hpp\"\n#include \"ref/norm/good_formula.hpp\"\n"},
       {"ref/norm/good_formula.hpp", "#include \"ref/ops/row_traversal.hpp\"\n"},
       {"ref/norm/kin.hpp", ""},
       {"ref/norm/kin.cpp",
        "#include \"ref/norm/good_formula.hpp\"\n#include \"ref/norm/kin_formula.hpp\"\n"},
       {"ref/norm/kin_formula.hpp", "#include \"ref/norm/good_formula.hpp\"\n"},
       {"ref/norm/deep.hpp", ""},
       {"ref/norm/deep.cpp", "#include \"ref/norm/deep_formula.hpp\"\n"},
       {"ref/norm/deep_formula.hpp", "#include \"ref/norm/good_formula.hpp\"\n"},
       {"ref/norm/far_formula.hpp", ""},
       {"ref/norm/layer.hpp", "#include \"ref/norm/far_formula.hpp\"\n"},
       {"ref/norm/split.hpp", ""},
       {"ref/norm/split.cpp", "#include \"ref/norm/split_formula.hpp\"\n"},
       {"ref/norm/split_formula.hpp", "#include <vector>\n#include \"ref/norm/loops.hpp\"\n"}});
  EXPECT_THAT(scattered_formulas(planted.root(), read_source_tree(planted.root())),
              ElementsAre(HasSubstr("deep_formula.hpp: goes on in ref/norm/good_formula.hpp"),
                          HasSubstr("far_formula.hpp: no source of a layer includes it"),
                          HasSubstr("split_formula.hpp: goes on in ref/norm/loops.hpp"),
                          HasSubstr("split_formula.hpp: #include <vector>")));
}

TEST(Repository, KeepsOptimizationsOutOfItsFormulas) {
  EXPECT_EQ(joined(speed_in_formulas(kRepository, read_source_tree(kRepository))), "");
}

TEST(Repository, HasEachFormulaBesideItsContract) {
  const auto files = read_source_tree(kRepository);
  EXPECT_GE(std::ranges::count_if(
                files, [](const auto& file) { return file.path.ends_with("_formula.hpp"); }),
            8);
  EXPECT_EQ(joined(scattered_formulas(kRepository, files)), "");
}

}  // namespace
}  // namespace normproof::tests::meta
