#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ref/model/train_config.hpp"

namespace normproof::verification::training {

/// A run of `normproof train`: what is trained, and on what batches.
struct RunConfig {
  ref::model::TrainConfig train = {.optimizer = ref::model::AdamOptions{}, .learning_rate = 0.003};
  std::size_t batch_size = 64;
  std::size_t epochs = 10;
  std::optional<std::size_t> fixed_length = {};  ///< absent: as long as the longest of the batch
  double validation_share = 0.2;                 ///< of the sentences, unless a split is given
};

/// Every setting as "section.name" and text, in one order: "encoder.d_model", "norm.name",
/// "norm.eps", "training.seed", ... What is absent is "none".
std::vector<std::pair<std::string, std::string>> list_settings(const RunConfig& config);

/// Sets one of them. "norm.name", "optimizer.name" and their like choose the defaults of that name.
/// Throws    UsageError with the nearest known key, or naming key, value and expectation
void set_setting(RunConfig& config, std::string_view key, std::string_view value);

/// The settings as JSON: an object a section.
std::string config_json(const RunConfig& config);

/// Reads what config_json writes, or a part of it; the others keep their defaults.
/// Throws    FileError naming `file`, the key and the expectation
RunConfig parse_config(std::string_view text, const std::string& file);

}  // namespace normproof::verification::training
