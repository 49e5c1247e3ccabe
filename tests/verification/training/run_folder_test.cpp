#include "verification/training/run_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/io/atomic_file.hpp"
#include "ref/io/sha256.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/verification/training/samples.hpp"
#include "verification/training/run.hpp"

namespace normproof::verification::training {
namespace {

using ::testing::HasSubstr;

class ClassifierRunFolder : public ::testing::Test {
 protected:
  ClassifierRunFolder() : summary_(run(config_, small_dataset(), {.out = folder_ / "a"})) {}

  tests::ref::io::TemporaryFolder folder_;
  RunConfig config_ = small_run_config();
  RunSummary summary_;
  ref::train::TrainState<double> like_ = ref::train::initial_train_state(config_.train);
};

TEST_F(ClassifierRunFolder, ReadsConfigurationDataAndState) {
  const RunFolder found = read_run_folder(folder_ / "a", Task::classify);
  EXPECT_EQ(config_json(found.config), config_json(config_));
  EXPECT_EQ(found.data, ref::io::read_text(folder_ / "a/data.json"));
  EXPECT_EQ(found.sha256, ref::io::sha256(config_json(config_) + found.data));
  EXPECT_EQ(ref::train::state_sha256(read_last_state(found, 1, like_)), summary_.sha256);
}

TEST_F(ClassifierRunFolder, ErrorsNameFilesThatDoNotBelongToTheRun) {
  EXPECT_THAT(usage_error_message([&] { read_run_folder(folder_ / "a", Task::translate); }),
              HasSubstr("has the task classify; expected one that 'normproof train --task "
                        "translate' made"));
  EXPECT_THAT(file_error_message([&] { read_run_folder(folder_ / "b"); }),
              HasSubstr("b/config.json"));
  ref::io::write_file(folder_ / "a/data.json", "{}");
  EXPECT_THAT(
      file_error_message([&] { read_last_state(read_run_folder(folder_ / "a"), 1, like_); }),
      HasSubstr("run_sha256 is not that of config.json and data.json"));
  EXPECT_THAT(
      file_error_message([&] { read_last_state(read_run_folder(folder_ / "a"), 2, like_); }),
      HasSubstr("a: keeps 0 checkpoints; expected 2 or more"));
}

TEST_F(ClassifierRunFolder, C1_RejectsAnAverageOfZero) {
  EXPECT_THAT(ref::numeric::contract_message(
                  [&] { read_last_state(read_run_folder(folder_ / "a"), 0, like_); }),
              HasSubstr("average is 0; expected 1 or more (C1)"));
}

}  // namespace
}  // namespace normproof::verification::training
