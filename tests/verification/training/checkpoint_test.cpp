#include "verification/training/checkpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/io/atomic_file.hpp"
#include "ref/io/sha256.hpp"
#include "ref/io/tensor_file.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/verification/training/samples.hpp"

namespace normproof::verification::training {
namespace {

using ::testing::HasSubstr;

class CheckpointFile : public ::testing::Test {
 protected:
  CheckpointFile() : config_(small_run_config()) {
    config_.train.encoder.norm = ref::model::PowerNormOptions{};
    checkpoint_.state = ref::train::initial_train_state(config_.train);
    checkpoint_.state.step = 3;
    checkpoint_.state.optimizer.step = 3;
    checkpoint_.metrics = {12345, std::string(64, 'a')};
    checkpoint_.run_sha256 = ref::io::sha256("a run");
    write_checkpoint(file(), checkpoint_);
  }
  std::filesystem::path file() const { return folder_ / "checkpoint.safetensors"; }
  std::string message() const {
    return file_error_message(
        [&] { read_checkpoint(file(), ref::train::initial_train_state(config_.train)); });
  }

  tests::ref::io::TemporaryFolder folder_;
  RunConfig config_;
  Checkpoint checkpoint_;
};

TEST_F(CheckpointFile, ReadsBackBitForBit) {
  const Checkpoint again = read_checkpoint(file(), ref::train::initial_train_state(config_.train));
  EXPECT_EQ(ref::train::state_sha256(again.state), ref::train::state_sha256(checkpoint_.state));
  EXPECT_EQ(again.state.step, 3);
  EXPECT_EQ(again.state.optimizer.step, 3);
  EXPECT_EQ(again.metrics.bytes, 12345u);
  EXPECT_EQ(again.metrics.sha256, checkpoint_.metrics.sha256);
  EXPECT_EQ(again.run_sha256, checkpoint_.run_sha256);
  EXPECT_EQ(again.state.optimizer.moments.names(), checkpoint_.state.optimizer.moments.names());
}

TEST_F(CheckpointFile, RejectsAnAlteredFile) {
  auto tensors = ref::io::read_tensors(file());
  for (auto& tensor : tensors)
    if (tensor.name == "parameter/head.weight") tensor.bytes[5] ^= std::byte{1};
  ref::io::write_tensors(file(), tensors);
  EXPECT_THAT(message(), HasSubstr("sha256 is not that of the other tensors"));
  tensors.pop_back();
  ref::io::write_tensors(file(), tensors);
  EXPECT_THAT(message(), HasSubstr("altered"));
}

TEST_F(CheckpointFile, RejectsATruncatedFile) {
  const std::string bytes = ref::io::read_text(file());
  ref::io::write_file(file(), std::string_view(bytes).substr(0, bytes.size() / 2));
  EXPECT_THAT(message(), HasSubstr("checkpoint.safetensors"));
}

TEST_F(CheckpointFile, RejectsAFileOfAnotherConfiguration) {
  config_.train.encoder.d_ff = 7;
  EXPECT_THAT(message(), HasSubstr("parameter/layers.0.feed_forward.first.weight has shape [6, 4]; "
                                   "expected float64 [7, 4]"));
  config_.train.encoder.d_ff = 6;
  config_.train.encoder.norm = ref::model::BatchNormOptions{};
  EXPECT_THAT(message(), HasSubstr("norm/layers.0.norm1.running_mean is absent"));
}

}  // namespace
}  // namespace normproof::verification::training
