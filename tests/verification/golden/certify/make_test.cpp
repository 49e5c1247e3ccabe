#include "verification/golden/certify/make.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

#include "ref/io/sha256.hpp"
#include "ref/io/tensor_file.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/verification/golden/certify/samples.hpp"

namespace normproof::verification::golden::certify {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using tests::ref::io::TemporaryFolder;

/// Returns the bytes of every file below the folder, by path.
std::map<std::string, std::string> read_files(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    files[fs::relative(entry.path(), folder).string()] = {std::istreambuf_iterator<char>(file), {}};
  }
  return files;
}

std::size_t count_remaining_entries(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

MakeOptions few(int jobs = 1) {
  return {.only = "quick/*/two_rows-*", .jobs = jobs};
}

TEST(MakeCorpus, WritesTheSameBytesForAnyNumberOfJobs) {
  const TemporaryFolder folder;
  std::size_t told = 0;
  MakeOptions options = few();
  options.finished = [&](const std::string& path, std::size_t done, std::size_t of) {
    EXPECT_EQ(done, ++told);
    EXPECT_EQ(of, 12u);
    EXPECT_THAT(path, HasSubstr("/two_rows-"));
  };
  const MakeSummary summary = make_corpus(folder / "a", options);
  EXPECT_EQ(summary.cases, 12u);
  EXPECT_EQ(told, 12u);
  make_corpus(folder / "b", few());
  make_corpus(folder / "c", few(2));
  const auto files = read_files(folder / "a");
  EXPECT_EQ(files.size(), 3 * 12u + 3);
  EXPECT_EQ(files, read_files(folder / "b"));
  EXPECT_EQ(files, read_files(folder / "c"));
  EXPECT_EQ(count_remaining_entries(folder.path()), 3u);  // and nothing else is left
  std::size_t elements = 0;
  for (const auto& [path, bytes] : files) {
    if (!path.ends_with("expected.safetensors")) continue;
    for (const StoredTensor& tensor : ref::io::read_tensors(folder / ("a/" + path)))
      if (!tensor.name.ends_with("_lo")) elements += ref::io::widen(tensor).size();
  }
  EXPECT_EQ(summary.elements, elements);
}

TEST(MakeCorpus, WritesTheChecksumsOfTheFiles) {
  const TemporaryFolder folder;
  make_corpus(folder / "a", few());
  auto files = read_files(folder / "a");
  const std::string sums = files.at("SHA256SUMS");
  files.erase("SHA256SUMS");
  files.erase("BLESSINGS.jsonl");
  std::string expected;
  for (const auto& [path, bytes] : files) expected += ref::io::sha256(bytes) + "  " + path + "\n";
  EXPECT_EQ(sums, expected);
}

TEST(MakeCorpus, ReadsBackAsTheCasesOfTheCorpus) {
  const TemporaryFolder folder;
  make_corpus(folder / "a/", {.only = "quick/power_norm/two_rows-*"});
  const auto cases = list_corpus(folder / "a", "*");
  ASSERT_EQ(cases.size(), 1u);
  const StoredCase stored = read_case(folder / "a", cases[0]);
  EXPECT_EQ(case_folder(stored.description.c), cases[0].path);
  EXPECT_EQ(stored.expected, certify(stored.description.c).tensors);
}

TEST(MakeCorpus, AcceptsOnlyAnAbsentOrEmptyFolder) {
  const TemporaryFolder folder;
  const MakeOptions one = {.only = "quick/layer_norm/tvm_19592-*"};
  fs::create_directory(folder / "empty");
  EXPECT_EQ(make_corpus(folder / "empty", one).cases, 1u);
  EXPECT_EQ(make_corpus(folder / "deep/er/new", one).cases, 1u);
  const auto before = read_files(folder.path());
  EXPECT_EQ(usage_error_message([&] { make_corpus(folder / "empty", one); }),
            "--out " + (folder / "empty").string() +
                " is there already; expected the name of a new folder");
  std::ofstream(folder / "file") << "x";
  EXPECT_THAT(usage_error_message([&] { make_corpus(folder / "file", one); }),
              HasSubstr("is there already"));
  EXPECT_THAT(file_error_message([&] { make_corpus(folder / "file/below", one); }),
              HasSubstr("the folder cannot be made"));
  fs::remove(folder / "file");
  EXPECT_EQ(read_files(folder.path()), before);
}

TEST(MakeCorpus, RejectsAGlobThatMatchesNoCase) {
  const TemporaryFolder folder;
  EXPECT_EQ(usage_error_message([&] { make_corpus(folder / "a", {.only = "*/layernorm/*"}); }),
            "--only '*/layernorm/*' names no case; expected a glob such as '*/layer_norm/*'");
  EXPECT_EQ(count_remaining_entries(folder.path()), 0u);
}

TEST(MakeCorpus, LeavesNothingBehindIfItFails) {
  const TemporaryFolder folder;
  for (const int jobs : {1, 2}) {
    MakeOptions options = few(jobs);
    options.finished = [](const std::string&, std::size_t done, std::size_t) {
      if (done == 3) throw std::runtime_error("the disk is gone");
    };
    EXPECT_THROW(make_corpus(folder / "a", options), std::runtime_error);
    EXPECT_EQ(count_remaining_entries(folder.path()), 0u);
  }
}

}  // namespace
}  // namespace normproof::verification::golden::certify
