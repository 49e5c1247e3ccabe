#include "verification/training/pair_data.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "ref/data/contexts.hpp"
#include "ref/io/json_reader.hpp"
#include "ref/io/sha256.hpp"

namespace normproof::verification::training {

using nlohmann::ordered_json;
using ref::train::PairBatch;

namespace {

static_assert(ref::data::kNoTarget == ref::train::kIgnored);

ref::encoder::EncoderInputs translation_side_json(std::size_t rows, std::size_t columns,
                                                  std::vector<std::int32_t> ids,
                                                  const std::vector<std::uint8_t>& valid) {
  ref::encoder::EncoderInputs side{{rows, columns, std::move(ids)},
                                   ref::tensor::empty_tensor<bool>({rows, columns})};
  std::ranges::transform(valid, side.valid.data(), [](std::uint8_t own) { return own != 0; });
  return side;
}

ref::data::SentenceIds encode_sentences(const std::vector<std::string>& sentences,
                                        const ref::data::WordVocabulary& words) {
  ref::data::SentenceIds ids;
  ids.reserve(sentences.size());
  for (const std::string& sentence : sentences) ids.push_back(words.encode(sentence));
  return ids;
}

std::vector<PairBatch> build_pair_batches(const ref::data::ParallelText& text,
                                          const PairVocabularies& words,
                                          const ref::data::PairOptions& options) {
  const ref::data::SpecialTokenIds marks{
      .source_end = words.source.end_id(),
      .source_padding = words.source.padding_id(),
      .target_begin = words.target.begin_id(),
      .target_end = words.target.end_id(),
      .target_padding = words.target.padding_id(),
  };
  std::vector<PairBatch> batches;
  for (auto& own :
       ref::data::make_pair_batches(encode_sentences(text.source, words.source),
                                    encode_sentences(text.target, words.target), marks, options))
    batches.push_back({{translation_side_json(own.batch_size, own.source_len, std::move(own.source),
                                              own.source_valid),
                        translation_side_json(own.batch_size, own.target_len, std::move(own.inputs),
                                              own.target_valid)},
                       std::move(own.targets)});
  return batches;
}

ordered_json text_part_json(const ref::data::ParallelText& text) {
  const auto hash = [](const std::vector<std::string>& sentences) {
    return ref::io::sha256(fmt::format("{}\n", fmt::join(sentences, "\n")));
  };
  return {{"pairs", text.source.size()},
          {"source_sha256", hash(text.source)},
          {"target_sha256", hash(text.target)}};
}

}  // namespace

ref::train::TranslationConfig translation_config(const RunConfig& config,
                                                 const PairVocabularies& words) {
  ref::train::TranslationConfig own{config.translator, config.train};
  own.model.source_vocab_size = words.source.size();
  own.model.target_vocab_size = words.target.size();
  return own;
}

PairData add_vocabularies(ref::data::ParallelCorpus text, const RunConfig& config) {
  const auto words = [&](const std::vector<std::string>& sentences) {
    return ref::data::WordVocabulary::from_sentences(sentences, config.translation.vocabulary_size);
  };
  PairVocabularies both{words(text.training.source), words(text.training.target)};
  return {std::move(text), std::move(both)};
}

std::vector<PairBatch> pair_batches(const PairData& data, const RunConfig& config,
                                    std::uint64_t epoch) {
  return build_pair_batches(
      data.text.training, data.words,
      {.batch_size = config.batch_size, .seed = config.train.seed, .epoch = epoch});
}

std::vector<PairBatch> make_pairs_in_order(const ref::data::ParallelText& text,
                                           const PairVocabularies& words, const RunConfig& config) {
  return build_pair_batches(text, words, {.batch_size = config.batch_size, .shuffle = false});
}

double unknown_fraction(const ref::data::WordVocabulary& words,
                        const std::vector<std::string>& sentences) {
  std::size_t all = 0, unknown = 0;
  for (const std::string& sentence : sentences)
    for (const std::int32_t id : words.encode(sentence)) {
      ++all;
      if (id == words.unknown_id()) ++unknown;
    }
  return all == 0 ? 0 : static_cast<double>(unknown) / static_cast<double>(all);
}

std::string pairs_json(const PairData& data) {
  const ordered_json object = {{"source_words", data.words.source.text()},
                               {"target_words", data.words.target.text()},
                               {"training", text_part_json(data.text.training)},
                               {"validation", text_part_json(data.text.validation)},
                               {"test", text_part_json(data.text.test)}};
  return object.dump(1) + "\n";
}

PairVocabularies read_pair_words(std::string_view json, const std::string& file) {
  const ref::io::JsonReader reader(file);
  const auto object = reader.parse(json, "what 'normproof train --task translate' wrote");
  const auto words = [&](const char* key) {
    if (!object.contains(key) || !object[key].is_string())
      reader.fail(key, "is absent", "the words of the sentences that were trained on, a line each");
    return ref::data::WordVocabulary::parse(object[key].get<std::string>(),
                                            fmt::format("{}: {}", file, key));
  };
  return {words("source_words"), words("target_words")};
}

}  // namespace normproof::verification::training
