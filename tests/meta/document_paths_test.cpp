#include "tests/meta/document_paths.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/meta/planted_tree.hpp"
#include "tests/meta/source_tree.hpp"

namespace normproof::tests::meta {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> mentioned_in(const std::string& markdown) {
  std::vector<std::string> targets;
  for (const Mention& mention : read_mentions(markdown))
    targets.push_back(std::to_string(mention.line) +
                      (mention.named == Named::by_link ? " link " : " ") + mention.target);
  return targets;
}

TEST(DocumentPaths, ReadsLinksAndPathsInCode) {
  EXPECT_THAT(mentioned_in("ref/ops/a in words, `ref/ops/a.hpp`, `verification/run --help`\n"
                           "b.cpp and `b.cpp`\n"
                           "[a](../ref/a.hpp) [b](b.md#c) [d](https://e.org/f)\n"
                           "```\nnormproof x --in tests/a.npz (docs/b.md)\n```\n`a/ref/b`\n"),
              ElementsAre("1 ref/ops/a.hpp", "1 verification/run", "2 b.cpp", "3 link ../ref/a.hpp",
                          "3 link b.md#c", "5 tests/a.npz", "5 docs/b.md"));
}

TEST(DocumentPaths, SkipsPatternsAndNamesOfTests) {
  EXPECT_THAT(
      mentioned_in("`ref/norm/<layer>.hpp` `tests/run -R gpu/a` `ref/*/a.cpp` `<layer>.cpp`\n"),
      ElementsAre("1 tests/run"));
}

TEST(DocumentPaths, AnchorsAreThoseOfHeadings) {
  EXPECT_EQ(anchor_of("## 8. What's `left`: a-b"), "8-whats-left-a-b");
}

std::vector<std::string> violations_of(const std::string& document) {
  const TemporaryTree planted(
      {{"docs/a.md", document}, {"docs/b.md", "# B\n\n## The gate\n"}, {"ref/ops/add.hpp", ""}});
  return mention_violations(planted.root(), {"verification/out"});
}

TEST(DocumentPaths, AcceptsExistingPaths) {
  EXPECT_THAT(
      violations_of(
          "# A\n[b](b.md) [gate](b.md#the-gate) [a](#a) [o](../ref/ops)\n"
          "`ref/ops/add.hpp` `ref/ops/add` `ref/ops/` `add.hpp` `verification/out/a.html`\n"),
      IsEmpty());
}

TEST(DocumentPaths, RejectsAMissingPath) {
  EXPECT_THAT(violations_of("\n`ref/ops/ad` `ref/opps/add.hpp` `ad.hpp`\n"),
              ElementsAre("docs/a.md:2: ref/ops/ad is not there",
                          "docs/a.md:2: ref/opps/add.hpp is not there",
                          "docs/a.md:2: ad.hpp is not there"));
}

TEST(DocumentPaths, RejectsLinksToMissingFilesAndHeadings) {
  EXPECT_THAT(violations_of("[b](c.md) [b](b.md#gate)\n[a](#b) [ops](ref/ops)\n"),
              ElementsAre("docs/a.md:1: c.md is not there", "docs/a.md:1: b.md#gate is not there",
                          "docs/a.md:2: #b is not there", "docs/a.md:2: ref/ops is not there"));
}

TEST(DocumentPaths, RejectsDocumentsThatMentionNothing) {
  const TemporaryTree planted({{"README.md", "words\n"}, {"docs/a.md", ""}});
  EXPECT_THROW(mention_violations(planted.root(), {}), std::runtime_error);
}

TEST(Repository, HasEveryPathThatItsDocumentsMention) {
  EXPECT_EQ(joined(mention_violations(NORMPROOF_SOURCE_DIR, {"verification/out"})), "");
}

}  // namespace
}  // namespace normproof::tests::meta
