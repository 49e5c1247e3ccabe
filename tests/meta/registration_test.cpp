#include "tests/meta/registration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/meta/planted_tree.hpp"

namespace normproof::tests::meta {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::filesystem::path kRoot = NORMPROOF_SOURCE_DIR;

TEST(Registration, RejectsATestThatIsNotNamed) {
  const TemporaryTree planted(
      {{"tests/ref/ops/CMakeLists.txt", "t(x SOURCES a_test.cpp # b_test.cpp"},
       {"tests/ref/ops/a_test.cpp", ""},
       {"tests/ref/ops/b_test.cpp", ""},
       {"tests/ref/norm/c_test.cpp", ""}});
  EXPECT_THAT(unregistered_sources(planted.root(), read_source_tree(planted.root())),
              ElementsAre(HasSubstr("tests/ref/norm/c_test.cpp: not named in"),
                          HasSubstr("tests/ref/ops/b_test.cpp: not named in")));
}

TEST(Registration, RejectsASourceWithoutATest) {
  const TemporaryTree planted({{"ref/ops/a.cpp", ""},
                               {"ref/ops/b.hpp", ""},
                               {"ref/ops/c.hpp", ""},
                               {"tests/ref/ops/a_test.cpp", ""}});
  const auto files = read_source_tree(planted.root());
  EXPECT_THAT(unmirrored_sources(files, "# why\nbecause it describes\nref/ops/c\n"),
              ElementsAre(HasSubstr("ref/ops/b: expected tests/ref/ops/b_test.cpp")));
}

TEST(Registration, RejectsInvalidExceptions) {
  const TemporaryTree planted({{"ref/ops/a.cpp", ""}, {"tests/ref/ops/a_test.cpp", ""}});
  const auto files = read_source_tree(planted.root());
  EXPECT_THAT(unmirrored_sources(files, "because it is short\nref/ops/a\n"),
              ElementsAre(HasSubstr("excepted, but it has a test")));
  EXPECT_THAT(unmirrored_sources(files, "because it was short\n\nref/ops/gone\n"),
              ElementsAre(HasSubstr("excepted, but there is none")));
  EXPECT_THAT(unmirrored_sources(files, "because\nref/ops/a\n"),
              ElementsAre(HasSubstr("gives no reason"), HasSubstr("it has a test")));
}

TEST(Registration, RejectsAnUnexpectedTopLevelEntry) {
  const TemporaryTree planted({{".gitignore", "/build/\n"},
                               {".ci/run", ""},
                               {"build/x", ""},
                               {"ref/a.cpp", ""},
                               {"scripts/a.py", ""}});
  EXPECT_THAT(foreign_top_level_entries(planted.root()), ElementsAre(HasSubstr("scripts: not")));
}

TEST(Repository, BuildsEverySource) {
  EXPECT_EQ(joined(unregistered_sources(kRoot, read_source_tree(kRoot))), "");
}

TEST(Repository, TestsEverySource) {
  EXPECT_EQ(joined(unmirrored_sources(read_source_tree(kRoot),
                                      read_text(kRoot / "tests/meta/unmirrored.txt"))),
            "");
}

TEST(Repository, HasNoUnexpectedTopLevelEntry) {
  EXPECT_EQ(joined(foreign_top_level_entries(kRoot)), "");
}

}  // namespace
}  // namespace normproof::tests::meta
