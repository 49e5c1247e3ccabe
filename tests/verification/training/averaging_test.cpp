#include "verification/training/averaging.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/io/atomic_file.hpp"
#include "ref/io/sha256.hpp"
#include "tests/ref/io/temporary_folder.hpp"
#include "tests/verification/training/samples.hpp"
#include "verification/training/kept_checkpoints.hpp"

namespace normproof::verification::training {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CheckpointAverage : public ::testing::Test {
 protected:
  CheckpointAverage() { config_.train.encoder.norm = ref::model::PowerNormOptions{}; }

  /// Writes a checkpoint of this step. Every number in it is `value`, except that counts are
  /// `step`.
  std::filesystem::path write(std::size_t step, double value, const char* run = "a run") const {
    Checkpoint checkpoint;
    checkpoint.state = ref::train::initial_train_state(config_.train);
    const auto fill = [&](auto& tensors) {
      for (auto& [name, values] : tensors)
        values.fill(name.ends_with(".iterations") ? static_cast<double>(step) : value);
    };
    fill(checkpoint.state.parameters);
    fill(checkpoint.state.norms);
    fill(checkpoint.state.optimizer.moments);
    checkpoint.state.step = checkpoint.state.optimizer.step = static_cast<std::int64_t>(step);
    checkpoint.metrics = {10 * step, std::string(64, 'b')};
    checkpoint.run_sha256 = ref::io::sha256(run);
    const auto file = kept_checkpoint_path(folder_.path(), step);
    write_checkpoint(file, checkpoint);
    return file;
  }

  ref::train::TrainState<double> state_with_same_tensors() const {
    return ref::train::initial_train_state(config_.train);
  }

  tests::ref::io::TemporaryFolder folder_;
  RunConfig config_ = small_run_config();
};

TEST_F(CheckpointAverage, IsTheSumInFileOrderDividedByTheNumberOfFiles) {
  const double values[] = {0x1p53, 1, 1, -0x1p53};
  std::vector<std::filesystem::path> files;
  for (std::size_t i = 0; i < 4; ++i) files.push_back(write(i + 1, values[i]));
  const Checkpoint mean = mean_checkpoint(files, state_with_same_tensors());
  // In the order of the files the sum is ((2^53 + 1) + 1) - 2^53, which is 0. Starting with 1 + 1,
  // it would be 2.
  for (const auto& [name, tensor] : mean.state.parameters)
    for (const double value : tensor) EXPECT_EQ(value, 0) << name;
  const Checkpoint other =
      mean_checkpoint({files[1], files[2], files[0], files[3]}, state_with_same_tensors());
  for (const auto& [name, tensor] : other.state.parameters)
    for (const double value : tensor) EXPECT_EQ(value, 0.5) << name;
}

TEST_F(CheckpointAverage, IncludesRunningStatisticsAndKeepsTheLastCounts) {
  const Checkpoint mean =
      mean_checkpoint({write(3, 1), write(5, 2), write(9, 6)}, state_with_same_tensors());
  const auto& norms = mean.state.norms;
  EXPECT_EQ(norms.at("layers.0.norm1.running_psi2").data()[0], 3);
  EXPECT_EQ(norms.at("layers.0.norm2.nu").data()[3], 3);
  EXPECT_EQ(norms.at("layers.0.norm1.iterations").data()[0], 9);
  EXPECT_EQ(mean.state.parameters.at("head.weight").data()[0], 3);
  for (const auto& [name, tensor] : mean.state.optimizer.moments)
    EXPECT_EQ(tensor.data()[0], 6) << name;
  EXPECT_EQ(mean.state.step, 9);
  EXPECT_EQ(mean.metrics.bytes, 90u);
}

TEST_F(CheckpointAverage, IsTheCheckpointItselfIfThereIsOnlyOne) {
  const auto file = write(4, 0.1);
  const auto one = mean_checkpoint({file}, state_with_same_tensors()).state;
  EXPECT_EQ(ref::train::state_sha256(one),
            ref::train::state_sha256(read_checkpoint(file, state_with_same_tensors()).state));
}

TEST_F(CheckpointAverage, ErrorNamesAFileThatDoesNotBelongToTheRun) {
  const auto first = write(1, 1), second = write(2, 2), of_another = write(3, 3, "another run");
  const auto message = [&](const std::vector<std::filesystem::path>& files) {
    return file_error_message([&] { mean_checkpoint(files, state_with_same_tensors()); });
  };
  EXPECT_EQ(message({first, second}), "no error");
  EXPECT_THAT(message({first, folder_ / "absent.safetensors"}), HasSubstr("/absent.safetensors"));
  EXPECT_THAT(message({first, of_another}),
              AllOf(HasSubstr("checkpoint-3.safetensors: run_sha256 is not that of"),
                    HasSubstr("checkpoint-1.safetensors; expected checkpoints of one run")));
  std::filesystem::copy_file(second, kept_checkpoint_path(folder_.path(), 7));
  EXPECT_THAT(
      message({first, second, kept_checkpoint_path(folder_.path(), 7)}),
      HasSubstr(
          "checkpoint-7.safetensors: step is 2, as in another one; expected a step of its own"));
  const std::string bytes = ref::io::read_text(second);
  ref::io::write_file(second, std::string_view(bytes).substr(0, bytes.size() - 9));
  EXPECT_THAT(message({first, second}), HasSubstr("checkpoint-2.safetensors"));
  config_.train.encoder.d_ff = 7;
  EXPECT_THAT(message({first}), HasSubstr("feed_forward.first.weight has shape [6, 4]"));
}

TEST_F(CheckpointAverage, C1_RejectsAnEmptyList) {
  EXPECT_THAT(
      ref::numeric::contract_message([&] { mean_checkpoint({}, state_with_same_tensors()); }),
      HasSubstr("files is empty; expected a file at least (C1)"));
}

TEST_F(CheckpointAverage, LastCheckpointsAreThoseOfTheLatestSteps) {
  const auto a = write(9, 1), b = write(10, 1), c = write(100, 1);
  EXPECT_THAT(find_last_checkpoints(folder_.path(), 2), ElementsAre(b, c));
  EXPECT_THAT(find_last_checkpoints(folder_.path(), 3), ElementsAre(a, b, c));
  EXPECT_THAT(file_error_message([&] { find_last_checkpoints(folder_.path(), 4); }),
              HasSubstr(": keeps 3 checkpoints; expected 4 or more, of a run with "
                        "training.keep_checkpoints 4"));
}

}  // namespace
}  // namespace normproof::verification::training
