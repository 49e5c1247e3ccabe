#pragma once

#include <functional>

#include "gpu/train/trainer.hpp"
#include "ref/train/trainer.hpp"
#include "verification/agreement/row.hpp"

namespace normproof::verification::agreement {

/// A run of training on sentences drawn from the seed.
struct Trajectory {
  ref::model::TrainConfig config;
  std::size_t batch_size = 8;
  std::size_t seq_len = 12;
  std::int64_t steps = 10;
};

/// The batch of a number: tokens and labels of the seed, each sentence with padding behind a length
/// of its own.
ref::train::LabelledBatch batch_of(const Trajectory& trajectory, std::int64_t step);
/// The config.accumulation batches that a step takes.
std::vector<ref::train::LabelledBatch> batches_of(const Trajectory& trajectory, std::int64_t step);

/// train::state_sha256 after the last step, by ref; `seen(step, loss)` after each.
std::string trajectory_of_ref(const Trajectory& trajectory,
                              const std::function<void(std::int64_t, double)>& seen);
/// train::state_sha256 after the last step, on a device; `seen(step, loss)` after each.
std::string trajectory_of_device(gpu::device::Device& device, const Trajectory& trajectory,
                                 const std::function<void(std::int64_t, double)>& seen,
                                 const gpu::ops::Products& products = gpu::ops::ordered_products());

/// Runs both side by side, and compares loss and gradient norms at each step, parameters and the
/// state of the norms after the last.
void agree_on_trajectory(gpu::device::Device& device, const Trajectory& trajectory,
                         std::string_view case_name, Rows& rows);

/// Runs of some steps with every norm: either placement, SGD and Adam, one batch a step and three,
/// labels smoothed and gradients clipped or not, causal or not.
void for_each_training(std::uint64_t seed,
                       const std::function<void(const std::string&, const Trajectory&)>& take);

/// agree_on_trajectory of each.
void agree_on_training(gpu::device::Device& device, std::uint64_t seed, Rows& rows);

}  // namespace normproof::verification::agreement
