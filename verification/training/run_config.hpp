#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ref/model/decoder_config.hpp"
#include "ref/model/train_config.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::verification::training {

/// The task of a run. classify: one class per sentence. language: the next character of a text, by
/// a causal encoder. translate: a sentence in another language, by an encoder and a decoder.
enum class Task { classify, language, translate };

inline ref::model::EnumNames<Task> names_of(Task) {
  static constexpr std::pair<const char*, Task> kNames[] = {
      {"classify", Task::classify}, {"language", Task::language}, {"translate", Task::translate}};
  return kNames;
}

/// The settings of a translator other than those of its model.
struct TranslationSettings {
  /// Maximum vocabulary size of either language, including special tokens.
  std::size_t vocabulary_size = 4096;
  std::size_t max_length = 50;   ///< maximum number of tokens in a translation, including its end
  std::size_t bleu_pairs = 100;  ///< number of validation pairs to translate; 0: no BLEU
};

/// The configuration of a run of `normproof train`: the model, its training and its batches.
struct RunConfig {
  ref::model::TrainConfig train = {.optimizer = ref::model::AdamOptions{}, .learning_rate = 0.003};
  std::size_t batch_size = 64;
  std::size_t epochs = 10;
  /// The length of every batch; absent: the length of the longest sentence in the batch.
  std::optional<std::size_t> fixed_length = {};
  double validation_share = 0.2;  ///< fraction of the sentences, unless a split is given
  Task task = Task::classify;
  std::size_t context = 32;  ///< number of tokens that a language model sees at once
  /// The number of last checkpoints to keep. 1: only checkpoint.safetensors; more: also files
  /// beside it.
  std::size_t keep_checkpoints = 1;
  /// The model of a translator, which replaces train.encoder.
  ref::model::DecoderConfig translator = {};
  TranslationSettings translation = {};
};

/// Returns the default configuration of a task.
RunConfig default_config(Task task);

/// Lists every setting of the task as "section.name" and text, in a fixed order: "encoder.d_model",
/// "norm.name", "norm.eps", "training.seed", ... An absent value is "none". "training.task" is
/// listed unless it is classify, and "training.keep_checkpoints" unless it is 1.
std::vector<std::pair<std::string, std::string>> list_settings(const RunConfig& config);

/// Sets a setting. "norm.name", "optimizer.name" and the like reset their section to the defaults
/// of that name.
/// Throws    UsageError with the nearest known key, or naming key, value and expectation; the task
///           can only be set to that of the configuration
void set_setting(RunConfig& config, std::string_view key, std::string_view value);

/// Returns the message of an error with its argument replaced by the setting that it came from:
/// "encoder.num_heads is 5; ...". If several settings match, the one with the rejected value in a
/// section of the layer or optimizer that rejected it. If none matches, the message is unchanged.
std::string sentence_by_setting(const RunConfig& config, const ref::numeric::ContractError& error);

/// Returns the settings of list_settings as JSON, with one object per section.
std::string config_json(const RunConfig& config);
/// Returns every setting as JSON, including those that list_settings leaves out.
std::string whole_config_json(const RunConfig& config);

/// Reads the output of config_json or a part of it. Absent settings have the defaults of the task
/// that the text names, or of `task` if it names none. In the text, training.task may be classify
/// too.
/// Throws    FileError naming `file`, the key and the expectation
RunConfig parse_config(std::string_view text, const std::string& file, Task task = Task::classify);

}  // namespace normproof::verification::training
