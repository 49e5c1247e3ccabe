#include "verification/golden/certify/blessing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/io/atomic_file.hpp"
#include "ref/io/sha256.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/certify/sums.hpp"

namespace normproof::verification::golden::certify {
namespace {

using ::testing::HasSubstr;

class BlessingLedger : public ::testing::Test {
 protected:
  BlessingLedger() { ref::io::write_file(folder_ / kSumsFile, "sums\n"); }

  static Blessing of(const std::string& before, const std::string& after) {
    return {.reason = "why",
            .manifest_before = before,
            .manifest_after = after,
            .sums_after = ref::io::sha256("sums\n")};
  }
  std::string refused(const std::string& lines) const {
    ref::io::write_file(folder_ / kLedgerFile, lines);
    return file_error_message([&] { check_blessed(folder_.path(), "manifest"); });
  }

  tests::ref::io::TemporaryFolder folder_;
  const std::string now_ = ref::io::sha256("manifest"), then_ = ref::io::sha256("then");
};

TEST_F(BlessingLedger, LastLineMustNameTheCurrentFiles) {
  EXPECT_EQ(refused(blessing_line(of("", now_))), "no error");
  EXPECT_EQ(refused(blessing_line(of("", then_)) + blessing_line(of(then_, now_))), "no error");
  EXPECT_THAT(refused(blessing_line(of("", now_)) + blessing_line(of(now_, then_))),
              HasSubstr("manifest.json: is not the one that BLESSINGS.jsonl names last"));
  Blessing other = of("", now_);
  other.sums_after = then_;
  EXPECT_THAT(refused(blessing_line(other)),
              HasSubstr("SHA256SUMS: is not the one that BLESSINGS.jsonl names last"));
}

TEST_F(BlessingLedger, RejectsAMissingLine) {
  EXPECT_THAT(refused(blessing_line(of("", then_)) + blessing_line(of("", now_))),
              HasSubstr("line 2: manifest_before is not the manifest_after of the line before"));
}

TEST_F(BlessingLedger, AcceptsOldLinesWithoutChecksums) {
  EXPECT_EQ(refused("{\"manifest_before\":\"\",\"manifest_after\":\"" + now_ + "\"}\n"),
            "no error");
}

TEST_F(BlessingLedger, RejectsACorpusWithoutALedger) {
  EXPECT_THAT(file_error_message([&] { check_blessed(folder_.path(), "manifest"); }),
              HasSubstr("BLESSINGS.jsonl': No such file"));
  EXPECT_THAT(refused("junk\n"), HasSubstr("an object a line, as 'normproof golden bless' writes"));
}

}  // namespace
}  // namespace normproof::verification::golden::certify
