#include "tests/meta/citations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/meta/planted_tree.hpp"
#include "tests/meta/source_tree.hpp"

namespace normproof::tests::meta {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Citations, ReadsKeysAndCitations) {
  EXPECT_THAT(read_keys("@article{Dek71, title = {A}}\n@book{VSP+17, year = {2017}}\n"),
              ElementsAre("Dek71", "VSP+17"));
  EXPECT_THAT(cited_keys("/// Source [Dek71]; [VSP+17, XYH+20] [Hig"
                         "02b] a[3] [B,T,D] [0, 1]"),
              ElementsAre("Dek71", "Hig02b", "VSP+17", "XYH+20"));
}

std::vector<std::string> violations_of(const std::string& header, const std::string& bibliography) {
  const TemporaryTree planted(
      {{"ref/ops/a.hpp", header}, {"docs/references.bib", bibliography}, {"docs/a.md", "[Hig02]"}});
  return citation_violations(planted.root());
}

const std::string kHigham = "@book{Hig02, year = {2002}}\n";

TEST(Citations, AcceptsKeysThatResolve) {
  EXPECT_THAT(violations_of("/// Source [Fig95]\n", kHigham + "@article{Fig95, year = {1995}}\n"),
              IsEmpty());
}

TEST(Citations, RejectsAKeyThatDoesNotResolve) {
  EXPECT_THAT(violations_of("/// Source [Fig95]\n", kHigham),
              ElementsAre(HasSubstr("ref/ops/a.hpp: cites [Fig95]")));
}

TEST(Citations, RejectsUncitedAndDuplicateEntries) {
  EXPECT_THAT(violations_of("", kHigham + kHigham + "@book{Knu97, year = {1997}}\n"),
              ElementsAre(HasSubstr("Hig02 twice"), HasSubstr("nothing cites Knu97")));
}

TEST(Citations, RejectsATreeWithoutCitations) {
  const TemporaryTree planted({{"docs/references.bib", kHigham}, {"ref/a.hpp", ""}});
  EXPECT_THROW(citation_violations(planted.root()), std::runtime_error);
}

TEST(Repository, ResolvesEveryCitation) {
  EXPECT_EQ(joined(citation_violations(NORMPROOF_SOURCE_DIR)), "");
}

}  // namespace
}  // namespace normproof::tests::meta
