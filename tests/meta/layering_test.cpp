#include "tests/meta/layering.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/meta/planted_tree.hpp"

namespace normproof::tests::meta {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kTable =
    "0  ref/numeric [ ]\n1  ref/tensor  [ref/numeric]\n2  ref/ops [ref/tensor]\n"
    "2  ref/model [ref/tensor]\n3  gpu [ref/tensor, ref/model]\n";
const std::string kLinks =
    "ref/numeric target n\nref/tensor target t\nref/tensor public ref/numeric\n"
    "ref/tensor private ref/numeric\nref/ops target o\nref/ops private ref/tensor\n"
    "tests/ref/ops target x\ntests/ref/ops private ref/ops\n";

std::vector<std::string> include_violations_of(const std::map<std::string, std::string>& tree) {
  const TemporaryTree planted(tree);
  return include_violations(read_source_tree(planted.root()), read_allowed(kTable),
                            read_link_graph(kLinks));
}

TEST(Layering, ReadsTheTable) {
  const Edges allowed = read_allowed(kTable);
  EXPECT_EQ(allowed.size(), 5u);
  EXPECT_THAT(allowed.at("ref/numeric"), IsEmpty());
  EXPECT_THAT(allowed.at("gpu"), ElementsAre("ref/model", "ref/tensor"));
}

TEST(Layering, AcceptsIncludesThatFollowTheLinks) {
  EXPECT_THAT(include_violations_of({{"ref/tensor/a.hpp", "#include \"ref/numeric/b.hpp\"\n"},
                                     {"ref/ops/a.cpp",
                                      "#include \"ref/ops/a.hpp\"\n"
                                      "#include \"ref/numeric/b.hpp\"\n"},
                                     {"tests/ref/ops/a_test.cpp", "#include \"ref/ops/a.hpp\"\n"}}),
              IsEmpty());
}

TEST(Layering, RejectsAnIncludeThatTheTableForbids) {
  EXPECT_THAT(include_violations_of({{"ref/numeric/a.hpp", "#include \"ref/tensor/t.hpp\"\n"}}),
              ElementsAre(HasSubstr("ref/numeric may not use ref/tensor")));
}

TEST(Layering, RejectsTheReferenceInsideTheGpu) {
  EXPECT_THAT(include_violations_of({{"gpu/a.cu", "  #  include \"ref/ops/reduce.hpp\" // x\n"}}),
              ElementsAre(HasSubstr("gpu may not use ref/ops")));
}

TEST(Layering, RejectsAHeaderThatExposesAPrivateLink) {
  EXPECT_THAT(include_violations_of({{"ref/ops/a.hpp", "#include \"ref/tensor/t.hpp\"\n"}}),
              ElementsAre(HasSubstr("ref/ops does not link ref/tensor")));
}

TEST(Layering, RejectsATestThatIncludesWhatItDoesNotLink) {
  EXPECT_THAT(
      include_violations_of({{"tests/ref/ops/a_test.cpp", "#include \"ref/model/m.hpp\"\n"}}),
      ElementsAre(HasSubstr("tests/ref/ops does not link ref/model")));
}

TEST(Layering, RejectsAnIncludeThatDoesNotStartAtTheRoot) {
  EXPECT_THAT(include_violations_of({{"ref/ops/a.cpp", "#include \"a.hpp\"\n"}}),
              ElementsAre(HasSubstr("expected a path from the root")));
}

TEST(Layering, RejectsLinksThatDifferFromTheTable) {
  const Edges allowed = read_allowed("0  ref/numeric [ ]\n1  ref/tensor [ref/numeric]\n");
  EXPECT_THAT(link_violations(allowed, read_link_graph("ref/numeric target n\n"
                                                       "ref/numeric private ref/tensor\n"
                                                       "ref/tensor target t\nref/x target x\n")),
              ElementsAre(HasSubstr("ref/numeric: links ref/tensor"),
                          HasSubstr("names ref/numeric, which it does not link"),
                          HasSubstr("ref/x: has a target, but no row")));
}

TEST(Layering, RejectsASourceThatDoesNotIncludeItsHeaderFirst) {
  const TemporaryTree planted(
      {{"ref/ops/a.hpp", ""},
       {"ref/ops/a.cpp", "#include \"ref/ops/b.hpp\"\n#include \"ref/ops/a.hpp\"\n"}});
  EXPECT_THAT(own_header_violations(read_source_tree(planted.root())),
              ElementsAre(HasSubstr("ref/ops/a.cpp: expected \"ref/ops/a.hpp\"")));
}

TEST(Layering, RejectsAnEmptyTree) {
  const TemporaryTree planted({{"README.md", ""}, {"docs/a.md", ""}});
  EXPECT_THROW(read_source_tree(planted.root()), std::runtime_error);
}

class RepositoryGraph : public ::testing::Test {
 protected:
  std::vector<SourceFile> files = read_source_tree(NORMPROOF_SOURCE_DIR);
  Edges allowed =
      read_allowed(read_text(std::filesystem::path(NORMPROOF_SOURCE_DIR) / "docs/layers.md"));
  LinkGraph links = read_link_graph(read_text(NORMPROOF_LINK_GRAPH));
};

TEST_F(RepositoryGraph, LinksAsItsTableSays) {
  EXPECT_TRUE(links.folders.contains("ref/numeric"));
  EXPECT_EQ(joined(link_violations(allowed, links)), "");
}

TEST_F(RepositoryGraph, IncludesOnlyWhatItLinks) {
  EXPECT_EQ(joined(include_violations(files, allowed, links)), "");
}

TEST_F(RepositoryGraph, SourcesIncludeTheirOwnHeaderFirst) {
  EXPECT_EQ(joined(own_header_violations(files)), "");
}

}  // namespace
}  // namespace normproof::tests::meta
