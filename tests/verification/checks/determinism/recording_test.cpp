#include "verification/checks/determinism/recording.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "ref/numeric/contract_version.hpp"
#include "ref/numeric/errors.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::verification::checks::determinism {
namespace {

using ref::numeric::error_message;
using ref::numeric::FileError;
using testing::AllOf;
using testing::HasSubstr;

Recording sample() {
  const std::vector<std::uint64_t> a = {0x0807060504030201u, 0};
  const std::vector<std::uint64_t> b = {0xffffffffffffffffu};
  return {.contract = 1,
          .environment = {{"compiler", "g++ \"12\""}, {"threads", "2"}},
          .probes = {{"a/one", 2, sha256_of(a), a}, {"b/two", 1, sha256_of(b), b}}};
}

std::string replace_text(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

TEST(DeterminismRecording, HashesLittleEndianValues) {
  EXPECT_EQ(sha256_of({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  // printf '\1\2\3\4\5\6\7\10' | sha256sum
  EXPECT_EQ(sha256_of(std::vector<std::uint64_t>{0x0807060504030201u}),
            "66840dda154e8a113c31dd0ad32f7f3a366a80e8136979d8f5a101d3d29d6f72");
}

TEST(DeterminismRecording, IsUnchangedByAJsonRoundTrip) {
  const Recording before = sample();
  const Recording after = parse_recording(recording_json(before), "f.json");
  EXPECT_EQ(after.contract, 1);
  EXPECT_EQ(after.environment, before.environment);
  ASSERT_EQ(after.probes.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(after.probes[i].name, before.probes[i].name);
    EXPECT_EQ(after.probes[i].count, before.probes[i].count);
    EXPECT_EQ(after.probes[i].sha256, before.probes[i].sha256);
    EXPECT_EQ(after.probes[i].bits, before.probes[i].bits);
  }
  EXPECT_EQ(recording_json(after), recording_json(before));
}

TEST(DeterminismRecording, RunsEveryProbeAndReportsProgress) {
  std::vector<std::string> reported;
  const Recording recording = record(
      {{"x", [](Values& v) { v.add(1.5); }}, {"y", [](Values& v) { v.add(std::uint64_t{7}); }}},
      [&](const std::string& name, std::size_t done) {
        reported.push_back(name + std::to_string(done));
      });
  EXPECT_EQ(reported, (std::vector<std::string>{"x1", "y2"}));
  EXPECT_EQ(recording.contract, ref::numeric::kArithmeticContract);
  EXPECT_FALSE(recording.environment.empty());
  EXPECT_EQ(recording.probes[0].bits, (std::vector<std::uint64_t>{0x3ff8000000000000u}));
  EXPECT_EQ(recording.probes[1].sha256, sha256_of(std::vector<std::uint64_t>{7}));
}

TEST(DeterminismRecording, AcceptsHashesWithoutValues) {
  const Recording expected = expected_recording();
  EXPECT_TRUE(expected.environment.empty());
  EXPECT_GT(expected.probes.size(), 250u);
  for (const RecordedProbe& probe : expected.probes) EXPECT_FALSE(probe.bits);
}

TEST(DeterminismRecording, ErrorForADamagedFileNamesFileFieldAndExpectation) {
  const std::string good = recording_json(sample());
  const auto refused = [&](const std::string& text, const std::string& field,
                           const std::string& what) {
    EXPECT_THAT(error_message<FileError>([&] { parse_recording(text, "f.json"); }),
                AllOf(HasSubstr("f.json: " + field + " "), HasSubstr("; expected " + what)));
  };
  const auto expect_error_for_change = [&](const std::string& what, const std::string& by,
                                           const std::string& field,
                                           const std::string& expectation) {
    refused(replace_text(good, what, by), field, expectation);
  };
  refused("", "the whole", "what 'normproof determinism --json' writes");
  refused("[1]", "the whole", "what");
  refused(good + "x", "the whole", "what");
  refused(good + '\0', "the whole", "what");
  refused(good + '\0' + "x", "the whole", "what");
  refused(good.substr(0, good.size() / 2), "the whole", "what");
  refused("{}", "format", "a string");
  expect_error_for_change("normproof-determinism-1", "normproof-determinism-9", "format",
                          "'normproof-determinism-1'");
  expect_error_for_change("\"contract\": 1", "\"contract\": 0", "contract", "a version");
  expect_error_for_change("\"contract\": 1", "\"contract\": -1", "contract", "a whole number");
  expect_error_for_change("\"threads\": \"2\"", "\"threads\": 2", "environment.threads",
                          "a string");
  expect_error_for_change("a/one", "a one", "probes[0].name", "lower-case");
  expect_error_for_change("a/one", "c/one", "probes[1].name", "a name after 'c/one'");
  expect_error_for_change("b/two", "a/one", "probes[1].name", "a name after 'a/one'");
  expect_error_for_change("\"count\": 2", "\"count\": 3", "probes[0].count",
                          "the number of its values, 2");
  expect_error_for_change("\"sha256\": \"", "\"sha256\": \"x", "probes[0].sha256",
                          "64 hexadecimal digits");
  // A digit of a value or of the hash is changed; the two must match.
  expect_error_for_change("0807060504030201", "0807060504030200", "probes[0].sha256",
                          "that of its values");
  const std::string hash = sample().probes[1].sha256;
  expect_error_for_change(hash, replace_text(hash, hash.substr(0, 1), hash[0] == '0' ? "1" : "0"),
                          "probes[1].sha256", "that of its values");
  expect_error_for_change("0807060504030201", "080706050403020", "probes[0].values", "16 digits");
  expect_error_for_change("ffffffffffffffff\"", "ffffffffffffffff \"", "probes[1].values",
                          "a value at its end");
  expect_error_for_change("\"probes\": [", "\"probes\": [3,", "probes[0]", "an object");
  refused(R"({"format": "normproof-determinism-1", "contract": 1, "probes": []})", "probes",
          "at least");
}

TEST(DeterminismRecording, IsReadFromAFile) {
  const tests::ref::io::TemporaryFolder folder;
  std::ofstream(folder / "r.json") << recording_json(sample());
  EXPECT_EQ(read_recording(folder / "r.json").probes.size(), 2u);
  EXPECT_THAT(error_message<FileError>([&] { read_recording(folder / "absent.json"); }),
              HasSubstr("absent.json"));
}

}  // namespace
}  // namespace normproof::verification::checks::determinism
