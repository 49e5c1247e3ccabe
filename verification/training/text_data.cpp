#include "verification/training/text_data.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ref/data/contexts.hpp"
#include "ref/io/json_reader.hpp"
#include "ref/io/sha256.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/train/cross_entropy.hpp"

namespace normproof::verification::training {

using nlohmann::ordered_json;
using ref::train::TextBatch;

namespace {

static_assert(ref::data::kNoTarget == ref::train::kIgnored);

constexpr std::size_t kMinTextLength = 40;  // leaves two characters in each 5 % of the text

std::vector<TextBatch> build_text_batches(const std::vector<std::int32_t>& text,
                                          const ref::data::ContextOptions& options) {
  std::vector<TextBatch> batches;
  for (auto& own : ref::data::make_contexts(text, options)) {
    TextBatch batch{{{own.batch_size, own.seq_len, std::move(own.tokens)}, {}},
                    std::move(own.targets)};
    batch.inputs.valid = ref::tensor::empty_tensor<bool>({own.batch_size, own.seq_len});
    std::ranges::transform(own.valid, batch.inputs.valid.data(),
                           [](std::uint8_t valid) { return valid != 0; });
    batches.push_back(std::move(batch));
  }
  return batches;
}

ordered_json part_json(const std::vector<std::int32_t>& tokens) {
  return {{"characters", tokens.size()},
          {"sha256", ref::io::sha256(fmt::format("{}", fmt::join(tokens, " ")))}};
}

}  // namespace

TextRange text_range(std::size_t characters, bool test) {
  const auto at = [&](std::size_t twentieths) {
    return static_cast<std::ptrdiff_t>(characters * twentieths / 20);
  };
  return test ? TextRange{at(19), at(20)} : TextRange{at(18), at(19)};
}

TextData split_text(std::string_view text, const std::string& name) {
  TextData data{ref::data::Alphabet::from_text(text, name), {}, {}, {}};
  const std::vector<std::int32_t> all = data.alphabet.encode(text, name);
  if (all.size() < kMinTextLength)
    throw ref::numeric::FileError(fmt::format("{}: has {} characters; expected {} at least", name,
                                              all.size(), kMinTextLength));
  const TextRange validation = text_range(all.size(), false);
  data.training.assign(all.begin(), all.begin() + validation.begin);
  data.validation.assign(all.begin() + validation.begin, all.begin() + validation.end);
  data.test.assign(all.begin() + validation.end, all.end());
  return data;
}

std::vector<TextBatch> text_batches(const TextData& data, const RunConfig& config,
                                    std::uint64_t epoch) {
  return build_text_batches(data.training, {.length = config.context,
                                            .batch_size = config.batch_size,
                                            .seed = config.train.seed,
                                            .epoch = epoch});
}

std::vector<TextBatch> make_batches_in_order(const std::vector<std::int32_t>& text,
                                             const RunConfig& config) {
  return build_text_batches(
      text, {.length = config.context, .batch_size = config.batch_size, .shuffle = false});
}

std::string text_json(const TextData& data) {
  const ordered_json object = {{"alphabet", data.alphabet.text()},
                               {"training", part_json(data.training)},
                               {"validation", part_json(data.validation)},
                               {"test", part_json(data.test)}};
  return object.dump(1) + "\n";
}

ref::data::Alphabet read_alphabet(std::string_view json, const std::string& file) {
  const ref::io::JsonReader reader(file);
  const auto object = reader.parse(json, "what 'normproof train --task language' wrote");
  if (!object.contains("alphabet") || !object["alphabet"].is_string())
    reader.fail("alphabet", "is absent", "the characters of the text that was trained on");
  return ref::data::Alphabet::from_text(object["alphabet"].get<std::string>(), file);
}

}  // namespace normproof::verification::training
