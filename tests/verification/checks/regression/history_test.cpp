#include "verification/checks/regression/history.hpp"

#include <gmock/gmock.h>
#include <sys/mount.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>

#include "ref/io/atomic_file.hpp"
#include "ref/numeric/errors.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/checks/regression/small_history.hpp"
#include "verification/support/process/child.hpp"

namespace normproof::verification::checks::regression {
namespace {

namespace fs = std::filesystem;
using ref::numeric::error_message;
using ref::numeric::FileError;
using ref::numeric::UsageError;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class RegressionHistory : public SmallHistory {
 protected:
  void put(const std::string& text) const { std::ofstream(file(), std::ios::binary) << text; }
  void refused(const std::string& text, const std::string& what) const {
    put(text);
    EXPECT_THAT(error_message<FileError>([this] { history().read(); }),
                AllOf(HasSubstr(file().string()), HasSubstr(what), Not(HasSubstr("\n"))))
        << text;
  }
};

TEST_F(RegressionHistory, ReadsBackWhatItWrote) {
  EXPECT_TRUE(history().read().empty());
  const auto recorded = record_candidate(make_candidate_with_changed_y(
      [](double) { return std::numeric_limits<double>::infinity(); }));
  Recording recording = summarize(recorded);
  recording.label = "v \"1\"";
  recording.candidate = "--pipe 'x'";
  recording.environment = {{"compiler", "one"}};
  history().append(recording, recorded);
  append(reference_candidate(), "");
  const auto read = history().read();
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].label, recording.label);
  EXPECT_EQ(read[0].candidate, recording.candidate);
  EXPECT_EQ(read[0].environment, recording.environment);
  EXPECT_EQ(read[0].cases, 3u);
  EXPECT_EQ(read[0].answered, 3u);
  ASSERT_EQ(read[0].layers.size(), 1u);
  EXPECT_EQ(read[0].layers[0].error.max_share, std::numeric_limits<double>::infinity());
  const auto cases = history().read_cases(read[0]);
  ASSERT_EQ(cases.size(), recorded.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(cases[i].path, recorded[i].path);
    EXPECT_EQ(cases[i].case_sha256, recorded[i].case_sha256);
    EXPECT_EQ(cases[i].answer_sha256, recorded[i].answer_sha256);
    ASSERT_EQ(cases[i].outputs.size(), recorded[i].outputs.size());
    for (std::size_t k = 0; k < cases[i].outputs.size(); ++k) {
      EXPECT_EQ(cases[i].outputs[k].sha256, recorded[i].outputs[k].sha256);
      EXPECT_EQ(cases[i].outputs[k].error, recorded[i].outputs[k].error);
    }
  }
}

TEST_F(RegressionHistory, ConcurrentProcessesLoseNoRecording) {
  constexpr int kProcesses = 6, kEach = 5;
  const std::vector<RecordedCase> recorded = record_candidate(reference_candidate());
  std::vector<support::process::Child> children;
  for (int i = 0; i < kProcesses; ++i)
    children.push_back(support::process::Child::begin("fork", [&, i] {
      for (int k = 0; k < kEach; ++k) {
        Recording recording = summarize(recorded);
        recording.label = std::to_string(i * kEach + k);
        history().append(recording, recorded);
      }
      return 0;
    }));
  for (support::process::Child& child : children) EXPECT_TRUE(child.wait().succeeded());
  EXPECT_EQ(history().read().size(), std::size_t{kProcesses * kEach});
  // A label that another process has used in the meantime must be rejected.
  Recording again = summarize(recorded);
  again.label = "7";
  EXPECT_THROW(history().append(again, recorded), UsageError);
  EXPECT_EQ(history().read().size(), std::size_t{kProcesses * kEach});
}

TEST_F(RegressionHistory, StoresEqualOutputsOnce) {
  append(reference_candidate(), "a");
  const auto count = [this] {
    return std::distance(fs::directory_iterator(file().string() + ".answers"), {});
  };
  const auto before = count();
  append(reference_candidate(), "b");
  EXPECT_EQ(count(), before);
  append(make_candidate_with_changed_y([](double y) { return y + 1; }), "c");
  EXPECT_EQ(count(), 2 * before);
}

TEST_F(RegressionHistory, ErrorForADamagedFileNamesTheLine) {
  append(reference_candidate(), "a");
  append(reference_candidate(), "b");
  const std::string whole = ref::io::read_text(file());
  const std::size_t second = whole.find('\n') + 1;
  refused(whole.substr(0, whole.size() - 1), "line 2 is cut off; expected");
  refused(whole.substr(0, second + 40), "line 2 is cut off");
  refused(whole.substr(0, second + 40) + "\n", "line 2: the whole is no JSON object");
  refused(whole + "\n", "line 3: the whole is no JSON object");
  refused(whole + "{}\n", "line 3: format is absent");
  refused(whole + whole.substr(second), "line 3 has the label 'b' of line 2; expected another");
  refused("", "it is empty");
  const auto without = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    return text.replace(text.find(from), from.size(), to);
  };
  refused(without("normproof-regression-1", "normproof-regression-9"), "line 1: format is another");
  refused(without("\"cases\":3", "\"cases\":-3"), "line 1: cases is a");
  refused(without("\"mean_ulp\":", "\"mean_ulp\":-1,\"x\":"), "layers[0].error.mean_ulp is -1");
  refused(without("\"results\":\"", "\"results\":\"z"), "results is no SHA-256");
}

TEST_F(RegressionHistory, ErrorNamesAnAlteredOrAbsentOutput) {
  append(reference_candidate(), "a");
  const auto recording = history().read().at(0);
  const std::string answer = history().read_cases(recording).at(0).answer_sha256;
  const fs::path folder = file().string() + ".answers";
  const auto other = history().read_cases(recording).at(1).answer_sha256;
  fs::copy_file(folder / (other + ".safetensors"), folder / (answer + ".safetensors"),
                fs::copy_options::overwrite_existing);
  EXPECT_THAT(error_message<FileError>([&] { history().answer(answer); }),
              AllOf(HasSubstr(answer), HasSubstr("it was altered")));
  fs::remove(folder / (answer + ".safetensors"));
  EXPECT_THAT(error_message<FileError>([&] { history().answer(answer); }), HasSubstr(answer));
  const fs::path results = folder / (recording.results_sha256 + ".json");
  std::ofstream(results, std::ios::app) << " ";
  EXPECT_THAT(error_message<FileError>([&] { history().read_cases(recording); }),
              HasSubstr("it was altered"));
  fs::remove(results);
  EXPECT_THROW(history().read_cases(recording), FileError);
}

TEST_F(RegressionHistory, FullDiskLeavesTheHistoryUnchanged) {
  const fs::path disk = folder_ / "disk";
  fs::create_directory(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=28k") != 0)
    GTEST_SKIP() << "no small disk can be mounted here: " << std::strerror(errno);
  std::string sentence;
  const History small(disk / "h.jsonl");
  std::ofstream(disk / "h.jsonl") << "old\n";
  try {
    record_cases(golden(), cases_, reference_candidate(),
                 [&](const std::string& sha256, const std::vector<StoredTensor>& answer) {
                   for (char c = 'a'; c < 'z'; ++c) small.keep(sha256 + c, answer);
                 },
                 1, {});
  } catch (const FileError& error) {
    sentence = error.what();
  }
  const std::string text = ref::io::read_text(disk / "h.jsonl");
  ASSERT_EQ(::umount2(disk.c_str(), MNT_DETACH), 0);
  EXPECT_THAT(sentence, HasSubstr("No space left on device"));
  EXPECT_EQ(text, "old\n");
}

TEST_F(RegressionHistory, ErrorNamesAFolderThatCannotBeCreated) {
  const History absent("/dev/null/h.jsonl");
  EXPECT_THAT(error_message<FileError>([&] { absent.keep("0", {}); }),
              StartsWith("/dev/null/h.jsonl.answers: the folder"));
}

TEST(RecordingLookup, AcceptsALabelOrALineNumber) {
  std::vector<Recording> recordings(3);
  recordings[0].label = "first";
  recordings[2].label = "third";
  EXPECT_EQ(find_recording(recordings, "--to", "third"), 2u);
  EXPECT_EQ(find_recording(recordings, "--to", "@2"), 1u);
  EXPECT_EQ(find_recording(recordings, "--to", "@1"), 0u);
  EXPECT_THAT(error_message<UsageError>([&] { find_recording(recordings, "--to", "fist"); }),
              HasSubstr("unknown --to 'fist'; did you mean 'first'?"));
  for (const char* none : {"", "@0", "@4", "@", "2"})
    EXPECT_THROW(find_recording(recordings, "--to", none), UsageError) << none;
  EXPECT_EQ(name_of(recordings, 0), "'first'");
  EXPECT_EQ(name_of(recordings, 1), "@2");
}

}  // namespace
}  // namespace normproof::verification::checks::regression
