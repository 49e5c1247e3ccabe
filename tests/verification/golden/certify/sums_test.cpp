#include "verification/golden/certify/sums.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/io/atomic_file.hpp"
#include "ref/io/sha256.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/certify/make.hpp"

namespace normproof::verification::golden::certify {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kHashOfOnes(64, '1'), kHashOfFs(64, 'f');

TEST(Sha256Sums, ReadBackAsWritten) {
  const Sums sums = {{"b/a file", kHashOfFs}, {"a", kHashOfOnes}};
  EXPECT_EQ(checksums_text(sums), kHashOfOnes + "  a\n" + kHashOfFs + "  b/a file\n");
  EXPECT_EQ(parse_checksums(checksums_text(sums), "S"), sums);
}

TEST(Sha256Sums, ErrorNamesAnInvalidLine) {
  const std::string good = kHashOfOnes + "  a\n";
  const auto refused = [&](const std::string& line) {
    return file_error_message([&] { parse_checksums(good + line, "S"); });
  };
  for (const std::string& line :
       {std::string("junk\n"), std::string("\n"), kHashOfOnes + " b\n", kHashOfOnes + "  \n",
        kHashOfOnes + " *b\n", std::string(63, '1') + "  b\n", std::string(65, '1') + "  b\n",
        std::string(64, 'F') + "  b\n", "# " + kHashOfOnes + "  b\n"})
    EXPECT_EQ(refused(line),
              "S: line 2 is no sum of a file; expected 64 hexadecimal digits, two spaces and the "
              "path of a file, once")
        << line;
  EXPECT_THAT(refused(kHashOfOnes + "  b"), HasSubstr("line 2 is cut off"));
  EXPECT_THAT(refused(kHashOfFs + "  a\n"), HasSubstr("line 2 is about the file of another line"));
}

class Sha256SumsOfACorpus : public ::testing::Test {
 protected:
  Sha256SumsOfACorpus() { make_corpus(golden(), {.only = "quick/layer_norm/two_rows-*"}); }

  fs::path golden() const { return folder_ / "golden"; }
  /// Writes these checksums to SHA256SUMS and reads the corpus. Returns the error message.
  std::string refused(const Sums& sums) const {
    ref::io::write_file(golden() / kSumsFile, checksums_text(sums));
    return file_error_message([&] { list_corpus(golden(), "*"); });
  }
  Sums sums() const { return parse_checksums(ref::io::read_text(golden() / kSumsFile), "S"); }

  tests::ref::io::TemporaryFolder folder_;
};

TEST_F(Sha256SumsOfACorpus, MustListExactlyTheFilesOfTheCorpus) {
  const Sums good = sums();
  ASSERT_EQ(good.size(), 4u);
  for (const auto& [path, sum] : good) {
    Sums without = good;
    without.erase(path);
    EXPECT_THAT(refused(without), HasSubstr("SHA256SUMS: the line of " + path + " is missing"));
  }
  Sums more = good;
  more["README"] = kHashOfOnes;
  EXPECT_THAT(refused(more), HasSubstr("the line of README is about no file that manifest.json"));
}

TEST_F(Sha256SumsOfACorpus, MustMatchTheFiles) {
  const Sums good = sums();
  for (const auto& [path, sum] : good) {
    Sums other = good;
    other[path] = kHashOfOnes;
    const std::string said = refused(other);
    if (path.ends_with(".json"))
      EXPECT_THAT(said, AllOf(HasSubstr("the line of " + path), HasSubstr("was altered"),
                              HasSubstr(sum + "  " + path)));
    else  // the ledger rejects the sums before this file is read
      EXPECT_THAT(said, HasSubstr("SHA256SUMS: is not the one that BLESSINGS.jsonl names last"));
  }
}

}  // namespace
}  // namespace normproof::verification::golden::certify
