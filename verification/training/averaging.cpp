#include "verification/training/averaging.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <set>

#include "ref/io/file_failure.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/training/kept_checkpoints.hpp"

namespace normproof::verification::training {

using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

namespace {

/// Whether the tensor of this name counts steps.
bool is_step_count(const std::string& name) {
  return name.ends_with(".iterations");
}

/// Adds each tensor of `more` to the tensor of the same name in `sum`. A tensor that counts steps
/// is not added: it replaces the tensor in `sum`.
void add_to(NamedTensors<double>& sum, const NamedTensors<double>& more) {
  for (const auto& [name, values] : more) {
    Tensor<double>& own = sum.at(name);
    for (std::size_t i = 0; i < values.size(); ++i)
      own.data()[i] = is_step_count(name) ? values.data()[i] : own.data()[i] + values.data()[i];
  }
}

void divide(NamedTensors<double>& sum, double count) {
  for (auto& [name, values] : sum)
    if (!is_step_count(name))
      for (double& value : values) value /= count;
}

}  // namespace

Checkpoint mean_checkpoint(const std::vector<std::filesystem::path>& files,
                           const ref::train::TrainState<double>& like) {
  if (files.empty())
    ref::numeric::contract_failure("mean_checkpoint", "files", "is empty", "a file at least",
                                   ref::numeric::Clause::C1);
  Checkpoint mean = read_checkpoint(files.front(), like);
  std::set<std::int64_t> steps = {mean.state.step};
  for (std::size_t k = 1; k < files.size(); ++k) {
    Checkpoint next = read_checkpoint(files[k], like);
    if (next.run_sha256 != mean.run_sha256)
      ref::io::file_failure(files[k].string(), "run_sha256",
                            fmt::format("is not that of {}", files.front().string()),
                            "checkpoints of one run");
    if (!steps.insert(next.state.step).second)
      ref::io::file_failure(files[k].string(), "step",
                            fmt::format("is {}, as in another one", next.state.step),
                            "a step of its own");
    add_to(mean.state.parameters, next.state.parameters);
    add_to(mean.state.norms, next.state.norms);
    next.state.parameters = std::move(mean.state.parameters);
    next.state.norms = std::move(mean.state.norms);
    mean = std::move(next);
  }
  divide(mean.state.parameters, static_cast<double>(files.size()));
  divide(mean.state.norms, static_cast<double>(files.size()));
  return mean;
}

std::vector<std::filesystem::path> find_last_checkpoints(const std::filesystem::path& folder,
                                                         std::size_t count) {
  const std::vector<std::size_t> steps = list_kept_steps(folder);
  if (steps.size() < count)
    throw ref::numeric::FileError(fmt::format(
        "{}: keeps {} checkpoints; expected {} or more, of a run with training.keep_checkpoints {}",
        folder.string(), steps.size(), count, count));
  std::vector<std::filesystem::path> files;
  for (std::size_t i = steps.size() - count; i < steps.size(); ++i)
    files.push_back(kept_checkpoint_path(folder, steps[i]));
  return files;
}

}  // namespace normproof::verification::training
