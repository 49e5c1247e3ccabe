#include "verification/golden/certify/corpus_version.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/io/atomic_file.hpp"
#include "ref/io/sha256.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/certify/blessing.hpp"
#include "verification/golden/certify/corpus_files.hpp"
#include "verification/golden/certify/make.hpp"

namespace normproof::verification::golden::certify {
namespace {

const std::filesystem::path kCommitted =
    std::filesystem::path(NORMPROOF_SOURCE_DIR) / "verification/golden/data";

/// Returns the text of a ledger of blessings. Each element of `counts` is one blessing: the numbers
/// of cases that it adds, changes and removes.
std::string ledger_of(const std::vector<std::array<std::size_t, 3>>& counts,
                      const std::string& version = {}) {
  std::string ledger;
  for (const auto& [added, changed, removed] : counts)
    ledger += blessing_line({.reason = "why",
                             .added = added,
                             .removed = removed,
                             .changed = changed,
                             .manifest_after = ref::io::sha256("now"),
                             .version = ledger.empty() ? version : ""});
  return ledger;
}

std::string number_of(const std::vector<std::array<std::size_t, 3>>& counts,
                      const std::string& version = {}) {
  return parse_ledger_version(ledger_of(counts, version), "ledger").number();
}

TEST(CorpusVersion, IsDerivedFromTheLedgerOfBlessings) {
  EXPECT_EQ(number_of({{9, 0, 0}}), "1.0.0");
  EXPECT_EQ(number_of({{9, 0, 0}, {1, 0, 0}, {2, 0, 0}}), "1.2.0");
  EXPECT_EQ(number_of({{9, 0, 0}, {1, 0, 0}, {0, 0, 0}}), "1.1.1");
  EXPECT_EQ(number_of({{9, 0, 0}, {1, 0, 0}, {5, 1, 0}}), "2.0.0");
  EXPECT_EQ(number_of({{9, 0, 0}, {0, 0, 1}, {5, 0, 0}}), "2.1.0");
  EXPECT_EQ(number_of({{9, 0, 0}, {1, 0, 0}}, "3.4.5"), "3.5.0");
  EXPECT_EQ(parse_ledger_version(ledger_of({{9, 0, 0}}), "ledger").text(),
            "1.0.0+" + ref::io::sha256("now").substr(0, 12));
}

TEST(CorpusVersion, RejectsADamagedLedger) {
  EXPECT_THAT(file_error_message([] { parse_ledger_version("junk\n", "ledger"); }),
              testing::HasSubstr("ledger"));
  EXPECT_THAT(file_error_message([] {
                number_of({{9, 0, 0}}, "3.4");
              }),
              testing::HasSubstr("version is '3.4'; expected three numbers"));
  EXPECT_THAT(file_error_message([] {
                number_of({{9, 0, 0}}, "3.4.5.6");
              }),
              testing::HasSubstr("version is '3.4.5.6'"));
}

TEST(CorpusVersion, MatchesItsPrefixes) {
  const CorpusVersion version{2, 14, 0, "6f201482ba21"};
  for (const char* asked : {"2", "2.14", "2.14.0", "2.14.0+6f20", "2.14.0+6f201482ba21"})
    EXPECT_TRUE(version.matches_version_text(asked)) << asked;
  for (const char* asked : {"", "1", "2.1", "2.", "2.14.1", "2.14.0+7", "3"})
    EXPECT_FALSE(version.matches_version_text(asked)) << asked;
  EXPECT_TRUE((CorpusVersion{2, 3, 9}.is_older_than(version)));
  EXPECT_TRUE((CorpusVersion{1, 30, 0}.is_older_than(version)));
  EXPECT_FALSE((CorpusVersion{2, 14, 0, "other"}.is_older_than(version)));
  EXPECT_FALSE((CorpusVersion{3, 0, 0}.is_older_than(version)));
}

TEST(CorpusVersion, IsTheSameInTheLibraryAndInTheCommittedCorpus) {
  EXPECT_EQ(built_corpus_version().text(), corpus_version(kCommitted).text());
  EXPECT_EQ(built_corpus_version().hash,
            ref::io::sha256(ref::io::read_text(kCommitted / "manifest.json")).substr(0, 12));
  const tests::ref::io::TemporaryFolder folder;
  make_corpus(folder / "made", {.only = "quick/layer_norm/two_*"});
  const CorpusVersion made = corpus_version(folder / "made");
  EXPECT_EQ(made.number(), built_corpus_version().number());
  EXPECT_NE(made.hash, built_corpus_version().hash);
}

}  // namespace
}  // namespace normproof::verification::golden::certify
