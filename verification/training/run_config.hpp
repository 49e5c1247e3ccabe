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

/// The task of a run. `classify` is to predict one class per sentence, with an encoder. `language`
/// is to predict the next character of a text, with a causal encoder. `translate` is to translate a
/// sentence, with an encoder and a decoder.
enum class Task { classify, language, translate };

inline ref::model::EnumNames<Task> enum_names(Task) {
  static constexpr std::pair<const char*, Task> kNames[] = {
      {"classify", Task::classify}, {"language", Task::language}, {"translate", Task::translate}};
  return kNames;
}

/// The settings of a translator's data and evaluation. The settings of its model are in
/// model::DecoderConfig.
struct TranslationSettings {
  /// Maximum size of each of the two vocabularies, including special tokens.
  std::size_t vocabulary_size = 4096;
  /// Maximum number of tokens in a translation, including the end token.
  std::size_t max_length = 50;
  /// Number of validation pairs that are translated for BLEU. If it is 0, BLEU is not computed.
  std::size_t bleu_pairs = 100;
};

/// The configuration of a run of `normproof train`: the model, its training and its batches.
struct RunConfig {
  ref::model::TrainConfig train = {.optimizer = ref::model::AdamOptions{}, .learning_rate = 0.003};
  std::size_t batch_size = 64;
  std::size_t epochs = 10;
  /// The length in tokens of every batch. If absent, a batch is as long as its longest sentence.
  std::optional<std::size_t> fixed_length = {};
  /// Fraction of the sentences for validation, if no split is given.
  double validation_share = 0.2;
  Task task = Task::classify;
  std::size_t context = 32;  ///< maximum number of tokens that a language model sees at once
  /// The number of checkpoints that the folder of a run keeps. If it is 1, the folder has only
  /// checkpoint.safetensors. If it is more, the folder also has that many
  /// checkpoint-<step>.safetensors.
  std::size_t keep_checkpoints = 1;
  /// The model of a translator. The task translate uses it instead of train.encoder.
  ref::model::DecoderConfig translator = {};
  TranslationSettings translation = {};
};

/// Returns the default configuration of a task.
RunConfig default_config(Task task);

/// Returns every setting of the task as a key and the text of its value, in a fixed order:
/// "encoder.d_model", "norm.name", "norm.eps", "training.seed", ... The text of an absent value is
/// "none". "training.task" is left out if it is classify, and "training.keep_checkpoints" if it is
/// 1.
std::vector<std::pair<std::string, std::string>> list_settings(const RunConfig& config);

/// Changes one setting. Setting a name, such as "norm.name" or "optimizer.name", resets the other
/// settings of its section to the defaults of that name. The task cannot be changed.
/// Throws    UsageError. If the key is unknown, it suggests the nearest known key; otherwise it
///           names key, value and expectation
void set_setting(RunConfig& config, std::string_view key, std::string_view value);

/// Returns the message of an error. If a setting caused the error, the message names the setting
/// instead of the function's argument: "encoder.num_heads is 5; ...". If several settings have the
/// argument's name, the message names the setting with the rejected value in the section of the
/// layer or optimizer that rejected it. If no setting matches, the message names the argument.
std::string name_setting_in_error(const RunConfig& config,
                                  const ref::numeric::ContractError& error);

/// Returns the settings of list_settings() as JSON, with one object per section.
std::string config_json(const RunConfig& config);
/// Returns all settings as JSON, including the settings that list_settings() leaves out.
std::string whole_config_json(const RunConfig& config);

/// Parses the JSON text of config_json() or a part of it. A setting that is absent from the text
/// gets the default of the task that the text names. If the text names no task, `task` is used. The
/// text may name the task classify, although config_json() leaves it out.
/// Throws    FileError naming `file`, the key and the expectation
RunConfig parse_config(std::string_view text, const std::string& file, Task task = Task::classify);

}  // namespace normproof::verification::training
