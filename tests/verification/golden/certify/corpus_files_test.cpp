#include "verification/golden/certify/corpus_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include "ref/io/tensor_file.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/verification/golden/certify/samples.hpp"
#include "tests/verification/golden/certify/signed_corpus.hpp"
#include "verification/golden/certify/make.hpp"

namespace normproof::verification::golden::certify {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A test fixture with a corpus of two LayerNorm cases.
class CorpusReader : public ::testing::Test {
 protected:
  CorpusReader() {
    make_corpus(golden(), {.only = "quick/layer_norm/t[wv]*"});
    cases_ = list_corpus(golden(), "*");
  }

  fs::path golden() const { return folder_ / "golden"; }
  fs::path file(const std::string& name) const { return golden() / cases_.at(0).path / name; }

  static std::string bytes_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void write(const fs::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }

  /// Reads the first case. Returns the error message, which must name the file `path`.
  std::string refused(const fs::path& path) const {
    std::string message = file_error_message([&] { read_case(golden(), cases_.at(0)); });
    EXPECT_THAT(message, AllOf(HasSubstr(path.string()), Not(HasSubstr("\n"))));
    return message;
  }

  tests::ref::io::TemporaryFolder folder_;
  std::vector<CaseDescription> cases_;
};

TEST_F(CorpusReader, ReadsEveryFileOfACase) {
  for (const CaseDescription& description : cases_) {
    const StoredCase stored = read_case(golden(), description);
    EXPECT_EQ(case_folder(stored.description.c), description.path);
    EXPECT_NE(find(stored.expected, "y_lo"), nullptr);
  }
}

TEST_F(CorpusReader, ListsTheCasesThatMatchAGlob) {
  EXPECT_EQ(cases_.size(), 3u);
  EXPECT_EQ(list_corpus(golden(), "*two_rows*").size(), 1u);
  EXPECT_EQ(list_corpus(golden(), cases_[1].path)[0].path, cases_[1].path);
  corpus::PathGlobs several;
  several.globs = {"*two_rows*", cases_[1].path};
  EXPECT_EQ(list_corpus(golden(), several).size(), 2u);
  several.globs.push_back("*rms*");
  EXPECT_THAT(usage_error_message([&] { list_corpus(golden(), several, "the glob"); }),
              HasSubstr("the glob '*rms*' names no case of "));
  EXPECT_EQ(usage_error_message([&] { list_corpus(golden(), "*rms*"); }),
            "--only '*rms*' names no case of " + (golden() / "manifest.json").string() +
                "; expected a glob such as '*/layer_norm/*'");
}

TEST_F(CorpusReader, RejectsAFileTruncatedAtAnyLength) {
  for (const char* name : {"inputs.safetensors", "expected.safetensors"}) {
    const std::string whole = bytes_of(file(name));
    for (std::size_t length = 0; length < whole.size(); length += 1 + length / 3) {
      write(file(name), whole.substr(0, length));
      refused(file(name));
    }
    write(file(name), whole);
  }
}

TEST_F(CorpusReader, RejectsAnyAlteredByteOfTheData) {
  for (const char* name : {"inputs.safetensors", "expected.safetensors"}) {
    const std::string whole = bytes_of(file(name));
    for (std::size_t back = 1; back <= 60; back += 7) {
      std::string altered = whole;
      altered[altered.size() - back] = static_cast<char>(altered[altered.size() - back] ^ 1);
      write(file(name), altered);
      EXPECT_THAT(refused(file(name)), HasSubstr("it was altered; expected "));
    }
    write(file(name), whole);
  }
}

TEST_F(CorpusReader, RejectsARenamedTensor) {
  auto tensors = ref::io::read_tensors(file("expected.safetensors"));
  for (StoredTensor& tensor : tensors)
    if (tensor.name == "y") tensor.name = "z";
  ref::io::write_tensors(file("expected.safetensors"), tensors);
  EXPECT_THAT(refused(file("expected.safetensors")), HasSubstr("it was altered"));
}

TEST_F(CorpusReader, RejectsAnAlteredHeader) {
  // The tensors stay the same, but the last space of the header's padding becomes a tab.
  std::string altered = bytes_of(file("expected.safetensors"));
  const std::size_t end = altered.find("}}") + 2;
  ASSERT_EQ(altered[end], ' ');
  altered[end] = '\t';
  write(file("expected.safetensors"), altered);
  EXPECT_THAT(refused(file("expected.safetensors")),
              AllOf(HasSubstr("the file has the SHA-256"), HasSubstr("as SHA256SUMS has it")));
}

TEST_F(CorpusReader, RejectsANamedPipeWithoutWaiting) {
  fs::remove(file("inputs.safetensors"));
  ASSERT_EQ(::mkfifo(file("inputs.safetensors").c_str(), 0600), 0);
  EXPECT_THAT(refused(file("inputs.safetensors")), HasSubstr("it is not a regular file"));
}

TEST_F(CorpusReader, RejectsFilesThatWereSwapped) {
  const fs::path other = golden() / cases_.at(1).path / "inputs.safetensors";
  const std::string bytes = bytes_of(other);
  write(file("inputs.safetensors"), bytes);
  EXPECT_THAT(refused(file("inputs.safetensors")), HasSubstr("it was altered"));
}

TEST_F(CorpusReader, RejectsAShapeThatContradictsThePath) {
  cases_[0].inputs_sha256 = cases_[1].inputs_sha256;
  cases_[0].inputs_file_sha256 = cases_[1].inputs_file_sha256;
  write(file("inputs.safetensors"), bytes_of(golden() / cases_[1].path / "inputs.safetensors"));
  EXPECT_THAT(refused(file("inputs.safetensors")), HasSubstr("the tensor x belongs to a case '"));
}

TEST_F(CorpusReader, NamesAnAbsentFile) {
  fs::remove(file("expected.safetensors"));
  refused(file("expected.safetensors"));
  fs::remove(golden() / "manifest.json");
  EXPECT_THAT(file_error_message([&] { list_corpus(golden(), "*"); }),
              HasSubstr((golden() / "manifest.json").string()));
  EXPECT_THAT(file_error_message([&] { list_corpus(golden() / "absent", "*"); }),
              HasSubstr("absent/manifest.json"));
}

TEST_F(CorpusReader, RejectsAManifestThatContradictsTheChecksums) {
  const fs::path manifest = golden() / "manifest.json";
  std::string text = bytes_of(manifest);
  const std::size_t at = text.find("\"exact\": false");
  ASSERT_NE(at, std::string::npos);
  write(manifest, text.replace(at, 14, "\"exact\": true "));
  EXPECT_THAT(file_error_message([&] { list_corpus(golden(), "*"); }),
              AllOf(HasSubstr("SHA256SUMS: the line of manifest.json"), HasSubstr("was altered")));
  fs::remove(golden() / "SHA256SUMS");
  EXPECT_THAT(file_error_message([&] { list_corpus(golden(), "*"); }), HasSubstr("SHA256SUMS"));
}

TEST_F(CorpusReader, DoesNotUseTheCacheIfAFileChanged) {
  for (const char* name : {"manifest.json", "SHA256SUMS", "BLESSINGS.jsonl"}) {
    const std::string whole = bytes_of(golden() / name);
    write(golden() / name, "\n" + whole);
    EXPECT_THAT(file_error_message([&] { list_corpus(golden(), "*"); }), HasSubstr(name));
    write(golden() / name, whole);
    EXPECT_EQ(list_corpus(golden(), "*").size(), cases_.size());
  }
}

TEST_F(CorpusReader, RejectsACaseFileThatContradictsTheManifest) {
  const std::string text = bytes_of(file("case.json"));
  for (const std::string& other : {std::string(), text + " ", std::string("{}\n")}) {
    write(file("case.json"), other);
    refused(file("case.json"));
  }
  fs::remove(file("case.json"));
  refused(file("case.json"));
}

TEST_F(CorpusReader, ReadsCaseFilesOfFormerVersions) {
  const std::string whole = cases_.at(0).case_text;
  ASSERT_NE(whole, bytes_of(file("case.json")));
  write(file("case.json"), whole);
  sign(golden());
  cases_ = list_corpus(golden(), "*");
  EXPECT_NE(find(read_case(golden(), cases_.at(0)).expected, "y"), nullptr);
  write(file("case.json"), whole + " ");
  refused(file("case.json"));
  sign(golden());
  EXPECT_THAT(file_error_message([&] { list_corpus(golden(), "*"); }), HasSubstr("was altered"));
}

TEST_F(CorpusReader, NamesADamagedManifest) {
  const fs::path manifest = golden() / "manifest.json";
  const std::string whole = bytes_of(manifest);
  for (std::size_t length = 0; length + 2 < whole.size(); length += 1 + length / 2) {
    write(manifest, whole.substr(0, length));
    EXPECT_THAT(file_error_message([&] { list_corpus(golden(), "*"); }),
                HasSubstr(manifest.string()));
  }
}

// The quick tier is committed to the repository, so its size is limited.
TEST(CommittedCorpus, QuickTierIsSmallerThan20Megabytes) {
  const fs::path quick = fs::path(NORMPROOF_SOURCE_DIR) / "verification/golden/data/quick";
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(quick))
    if (entry.is_regular_file()) bytes += entry.file_size();
  EXPECT_GT(bytes, 10'000'000u);
  EXPECT_LT(bytes, 20'000'000u);
}

}  // namespace
}  // namespace normproof::verification::golden::certify
