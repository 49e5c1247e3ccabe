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

/// classify: a class a sentence. language: the next character of a text, by a causal encoder.
/// translate: a sentence in another language, by an encoder and a decoder.
enum class Task { classify, language, translate };

inline ref::model::EnumNames<Task> names_of(Task) {
  static constexpr std::pair<const char*, Task> kNames[] = {
      {"classify", Task::classify}, {"language", Task::language}, {"translate", Task::translate}};
  return kNames;
}

/// What a translator has beside its model.
struct TranslationSettings {
  std::size_t vocabulary_size = 4096;  ///< words of either language at most, special ones included
  std::size_t max_length = 50;         ///< tokens of a translation, its end included
  std::size_t bleu_pairs =
      100;  ///< how many of the first pairs validated on are translated; 0: no BLEU
};

/// A run of `normproof train`: what is trained, and on what batches.
struct RunConfig {
  ref::model::TrainConfig train = {.optimizer = ref::model::AdamOptions{}, .learning_rate = 0.003};
  std::size_t batch_size = 64;
  std::size_t epochs = 10;
  std::optional<std::size_t> fixed_length = {};  ///< absent: as long as the longest of the batch
  double validation_share = 0.2;                 ///< of the sentences, unless a split is given
  Task task = Task::classify;
  std::size_t context = 32;  ///< tokens that a language model sees at once
  /// How many of the last checkpoints stay. 1: checkpoint.safetensors alone; more: beside it too.
  std::size_t keep_checkpoints = 1;
  ref::model::DecoderConfig translator = {};  ///< of a translator, in place of train.encoder
  TranslationSettings translation = {};
};

/// What a run of a task is where nothing else is said.
RunConfig default_config(Task task);

/// Every setting as "section.name" and text, in one order: "encoder.d_model", "norm.name",
/// "norm.eps", "training.seed", ... What is absent is "none". Those that the task has: a task that
/// is not classify is one of them, "training.task", and so is "training.keep_checkpoints" where it
/// is not 1.
std::vector<std::pair<std::string, std::string>> list_settings(const RunConfig& config);

/// Sets one of them. "norm.name", "optimizer.name" and their like choose the defaults of that name.
/// Throws    UsageError with the nearest known key, or naming key, value and expectation: the task
///           is the one that the configuration has
void set_setting(RunConfig& config, std::string_view key, std::string_view value);

/// The sentence of a refusal, its argument under the name of the setting that it is:
/// "encoder.num_heads is 5; ...". Where several are called so, that which has the refused value in
/// a section of the layer or optimizer that refuses it. As it is where there is none.
std::string sentence_by_setting(const RunConfig& config, const ref::numeric::ContractError& error);

/// The settings of list_settings as JSON: an object a section.
std::string config_json(const RunConfig& config);
/// Every setting, those too that list_settings leaves out.
std::string whole_config_json(const RunConfig& config);

/// Reads what config_json writes, or a part of it; the others keep the defaults of its task, or,
/// where it has none, of `task`; training.task may be classify too.
/// Throws    FileError naming `file`, the key and the expectation
RunConfig parse_config(std::string_view text, const std::string& file, Task task = Task::classify);

}  // namespace normproof::verification::training
