#include "verification/golden/certify/bless.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "ref/io/atomic_file.hpp"
#include "ref/io/sha256.hpp"
#include "ref/io/tensor_file.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/verification/golden/certify/samples.hpp"
#include "tests/verification/golden/certify/signed_corpus.hpp"
#include "verification/golden/certify/blessing.hpp"
#include "verification/golden/certify/make.hpp"
#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/recipes/corpus.hpp"

namespace normproof::verification::golden::certify {

using corpus::ulp_size;
using ref::io::content_sha256;
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A test fixture with a corpus and a ledger of blessings. It unsets the environment variable CI,
/// as if a person ran the command.
class BlessCorpus : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const char* ci = std::getenv("CI")) ci_ = ci;
    ::unsetenv("CI");
  }
  void TearDown() override {
    if (!ci_.empty()) ::setenv("CI", ci_.c_str(), 1);
  }

  static constexpr const char* kOnly = "quick/*_norm/random-*";

  fs::path golden() const { return folder_ / "golden"; }
  std::string text(const char* file) const { return ref::io::read_text(golden() / file); }
  std::size_t count_folders() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }
  /// Makes the corpus again and records the reason. Returns the differences from the previous
  /// corpus.
  CorpusDifference bless_with_reason(const std::string& reason) const {
    return bless(golden(), {.only = kOnly, .jobs = 2, .reason = [&](const CorpusDifference&) {
                              return reason;
                            }});
  }
  /// Returns the number of cases of the corpus that bless_with_reason makes.
  static std::size_t count_recipes() {
    return recipes::corpus(Tier::quick, recipes::kCorpusSeed, kOnly).size();
  }
  /// Makes a corpus of one case, as if another version of the program had made it.
  void make_corpus_of_another_version() const {
    make_corpus(golden(), {.only = "quick/layer_norm/random-*-float64"});
  }

  nlohmann::json read_last_ledger_line() const {
    const std::string lines = text(kLedgerFile);
    return nlohmann::json::parse(lines.substr(lines.rfind('\n', lines.size() - 2) + 1));
  }

  tests::ref::io::TemporaryFolder folder_;
  std::string ci_;
};

TEST_F(BlessCorpus, ShowsTheDifferenceAndRecordsTheReason) {
  make_corpus_of_another_version();
  const std::string before = ref::io::sha256(text("manifest.json"));
  const CorpusDifference difference = bless_with_reason("more cases");
  EXPECT_EQ(difference.added.size(), count_recipes() - 1);
  EXPECT_THAT(difference.removed, IsEmpty());
  EXPECT_THAT(difference.changed, IsEmpty());
  const auto line = read_last_ledger_line();
  EXPECT_EQ(line.at("reason"), "more cases");
  EXPECT_EQ(line.at("manifest_before"), before);
  EXPECT_EQ(line.at("manifest_after"), ref::io::sha256(text("manifest.json")));
  EXPECT_EQ(line.at("sums_after"), ref::io::sha256(text("SHA256SUMS")));
  EXPECT_THAT(text(kLedgerFile), HasSubstr("made by 'normproof golden make'"));
  EXPECT_EQ(list_corpus(golden(), "*").size(), count_recipes());
  EXPECT_EQ(count_folders(), 1u);
  // Blessing again finds no difference, whatever the reason.
  EXPECT_TRUE(bless_with_reason("again").empty());
  EXPECT_EQ(read_last_ledger_line(), line);
}

TEST_F(BlessCorpus, ChangesNothingWithoutAReason) {
  make_corpus_of_another_version();
  const std::string before = text("manifest.json"), blessings = text(kLedgerFile);
  EXPECT_EQ(bless_with_reason("").added.size(), count_recipes() - 1);
  EXPECT_EQ(text("manifest.json"), before);
  EXPECT_EQ(text(kLedgerFile), blessings);
  EXPECT_EQ(count_folders(), 1u);
}

TEST_F(BlessCorpus, IsRejectedInCI) {
  make_corpus_of_another_version();
  ::setenv("CI", "true", 1);
  EXPECT_THAT(usage_error_message([&] { bless_with_reason("because"); }),
              HasSubstr("the environment variable CI is set"));
  ::unsetenv("CI");
  EXPECT_EQ(list_corpus(golden(), "*").size(), 1u);
}

TEST_F(BlessCorpus, RejectsACorpusThatWasChangedWithoutBlessing) {
  make_corpus_of_another_version();
  bless_with_reason("more cases");
  make_corpus(folder_ / "part", {.only = "quick/rms_norm/random-*"});
  // Puts the files of another corpus into the folder.
  for (const char* name : {"manifest.json", "SHA256SUMS"})
    fs::copy_file(folder_ / "part" / name, golden() / name, fs::copy_options::overwrite_existing);
  const auto refused = [&] { return file_error_message([&] { list_corpus(golden(), "*"); }); };
  EXPECT_THAT(refused(), HasSubstr("is not the one that BLESSINGS.jsonl names last; expected "
                                   "changes by 'normproof golden bless' alone"));
  // Removing the ledger does not make the corpus valid.
  fs::remove(golden() / kLedgerFile);
  EXPECT_THAT(refused(), HasSubstr("BLESSINGS.jsonl': No such file"));
}

TEST_F(BlessCorpus, ReportsEveryCaseOfAFirstCorpusAsNew) {
  const CorpusDifference difference = bless_with_reason("the first one");
  EXPECT_EQ(difference.added.size(), count_recipes());
  EXPECT_EQ(read_last_ledger_line().at("manifest_before"), "");
}

TEST_F(BlessCorpus, ReportsByHowMuchAValueChanges) {
  // In this corpus, which a former version could have made, y differs in one element.
  make_corpus_of_another_version();
  const std::string path = list_corpus(golden(), "*")[0].path;
  const fs::path file = golden() / path / "expected.safetensors";
  auto tensors = ref::io::read_tensors(file);
  const std::string old_sum = content_sha256(tensors);
  const double y = find_tensor_values(tensors, "y")[3];
  tensors = replace_element(tensors, "y", 3, y + 4 * ulp_size(y, DType::float64));
  ref::io::write_tensors(file, tensors);
  const auto replace = [&](const fs::path& name, const std::string& from, const std::string& to) {
    std::string content = ref::io::read_text(name);
    content.replace(content.find(from), from.size(), to);
    ref::io::write_file(name, content);
  };
  replace(golden() / "manifest.json", old_sum, content_sha256(tensors));
  sign(golden());
  EXPECT_THAT(bless_with_reason("rounded right").changed,
              ElementsAre(path + ": y: 1 of 90 elements, at most 4 ulp"));
}

}  // namespace
}  // namespace normproof::verification::golden::certify
