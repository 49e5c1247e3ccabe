#include "verification/training/dataset.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>

#include "ref/io/sha256.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/support/process/lines.hpp"

namespace normproof::verification::training {

using ref::numeric::UsageError;
using ref::train::LabelledBatch;

namespace {

/// The number that replaces the epoch when the sentences are shuffled before a split. No epoch has
/// this number, so the split has a random stream of its own.
constexpr std::uint64_t kSplitEpoch = std::numeric_limits<std::uint64_t>::max();

LabelledBatch to_labelled_batch(const ref::data::TokenBatch& batch) {
  LabelledBatch result{{{batch.batch_size, batch.seq_len, batch.tokens}, {}}, batch.labels};
  result.inputs.valid = ref::tensor::empty_tensor<bool>({batch.batch_size, batch.seq_len});
  std::ranges::transform(batch.valid, result.inputs.valid.data(),
                         [](std::uint8_t valid) { return valid != 0; });
  return result;
}

std::vector<LabelledBatch> make_sentence_batches(const Sentences& sentences, const Dataset& data,
                                                 const RunConfig& config, bool shuffle,
                                                 std::uint64_t epoch) {
  std::vector<LabelledBatch> batches;
  for (const auto& batch : ref::data::make_batches(sentences.sequences, sentences.labels,
                                                   {.batch_size = config.batch_size,
                                                   .fixed_length = config.fixed_length,
                                                   .drop_last = false,
                                                   .shuffle = shuffle,
                                                   .seed = config.train.seed,
                                                   .epoch = epoch,
                                                   .pad_id = data.pad_id}))
    batches.push_back(to_labelled_batch(batch));
  return batches;
}

}  // namespace

Dataset split(const Sentences& all, const std::vector<std::size_t>& validation,
              const RunConfig& config) {
  const std::size_t count = all.sequences.size();
  std::vector<bool> check_split_indices(count, false);
  if (validation.empty()) {
    const auto order = ref::data::shuffled_order(count, config.train.seed, kSplitEpoch);
    const auto share =
        static_cast<std::size_t>(static_cast<double>(count) * config.validation_share);
    for (std::size_t i = count - share; i < count; ++i) check_split_indices[order[i]] = true;
  }
  for (const std::size_t number : validation) check_split_indices.at(number) = true;
  Dataset data;
  for (std::size_t i = 0; i < count; ++i) {
    Sentences& part = check_split_indices[i] ? data.validation : data.training;
    part.sequences.push_back(all.sequences[i]);
    part.labels.push_back(all.labels[i]);
  }
  for (const auto& [name, part] :
       {std::pair{"train on", &data.training}, std::pair{"validate on", &data.validation}})
    if (part->sequences.empty())
      throw UsageError(
          fmt::format("of {} sentences none is left to {}; expected one at least", count, name));
  return data;
}

std::vector<std::size_t> parse_split(std::string_view text, const std::string& file,
                                     std::size_t sentences) {
  std::vector<std::size_t> numbers;
  std::vector<bool> seen(sentences, false);
  for (const support::process::Line& line : support::process::split_lines(text)) {
    const std::string_view word = line.text;
    std::size_t number = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc{} || stop != word.data() + word.size() || number >= sentences)
      throw ref::numeric::FileError(
          fmt::format("{}: line {} is '{}'; expected the number of a sentence, 0 to {}", file,
                      line.number, word, sentences - 1));
    if (seen[number])
      throw ref::numeric::FileError(fmt::format(
          "{}: line {} names sentence {} again; expected each once", file, line.number, number));
    seen[number] = true;
    numbers.push_back(number);
  }
  return numbers;
}

std::vector<LabelledBatch> training_batches(const Dataset& data, const RunConfig& config,
                                            std::uint64_t epoch) {
  return make_sentence_batches(data.training, data, config, true, epoch);
}

std::span<const LabelledBatch> select_step_batches(std::span<const LabelledBatch> epoch,
                                                   const RunConfig& config, std::size_t k) {
  const auto each = static_cast<std::size_t>(config.train.accumulation);
  const auto rest = epoch.subspan(k * each);
  return rest.first(std::min(each, rest.size()));
}

std::vector<LabelledBatch> validation_batches(const Dataset& data, const RunConfig& config) {
  return make_sentence_batches(data.validation, data, config, false, 0);
}

std::size_t steps_per_epoch(const Dataset& data, const RunConfig& config) {
  const std::size_t batches =
      (data.training.sequences.size() + config.batch_size - 1) / config.batch_size;
  const auto each = static_cast<std::size_t>(config.train.accumulation);
  return (batches + each - 1) / each;
}

std::string data_json(const Dataset& data, const std::string& weights_sha256) {
  const auto part = [](const Sentences& sentences) {
    std::string text;
    for (std::size_t i = 0; i < sentences.sequences.size(); ++i)
      text += fmt::format("{}: {}\n", sentences.labels[i], fmt::join(sentences.sequences[i], " "));
    return nlohmann::ordered_json{{"sentences", sentences.sequences.size()},
                                  {"sha256", ref::io::sha256(text)}};
  };
  nlohmann::ordered_json object = {{"vocab_size", data.vocab_size},
                                   {"training", part(data.training)},
                                   {"validation", part(data.validation)}};
  if (!weights_sha256.empty()) object["weights"] = weights_sha256;
  return object.dump(1) + "\n";
}

ref::tensor::Tensor<double> class_weights(const Dataset& data, const RunConfig& config) {
  using ref::model::ClassWeights;
  if (config.train.class_weights == ClassWeights::none) return {};
  const std::size_t classes = config.train.encoder.num_classes;
  std::vector<double> counts(classes, 0);
  for (const int label : data.training.labels) ++counts.at(static_cast<std::size_t>(label));
  auto weights = ref::tensor::empty_tensor<double>({classes});
  for (std::size_t c = 0; c < classes; ++c) {
    const bool inverse = config.train.class_weights == ClassWeights::inverse_frequency;
    if (inverse && counts[c] == 0)
      throw UsageError(fmt::format(
          "class {} has no training sentence, and loss.class_weights is 'inverse_frequency'; "
          "expected a sentence of each class, or 'none'",
          c));
    const double expected_count =
        static_cast<double>(data.training.labels.size()) / static_cast<double>(classes);
    weights.data()[c] = inverse ? expected_count / counts[c] : counts[c];
  }
  return weights;
}

}  // namespace normproof::verification::training
