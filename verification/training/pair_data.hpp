#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ref/data/pair_batches.hpp"
#include "ref/data/parallel_text.hpp"
#include "ref/data/word_vocabulary.hpp"
#include "ref/translation/translation.hpp"
#include "verification/training/run_config.hpp"

namespace normproof::verification::training {

/// The words of both languages that a translator knows.
struct PairWords {
  ref::data::WordVocabulary source, target;
};

/// Sentences in two languages, to train on, to validate on and to test, and their words: those of
/// what is trained on.
struct PairData {
  ref::data::ParallelCorpus text;
  PairWords words;
};

/// The configuration of training as a step takes it, with the extents of the words.
ref::translation::TranslationConfig translation_config(const RunConfig& config,
                                                       const PairWords& words);

/// Computes  the words of `text.training`, translation.vocabulary_size at most of either language
/// Requires  those of WordVocabulary::of_sentences
PairData with_words(ref::data::ParallelCorpus text, const RunConfig& config);

/// The batches of an epoch, from 0, of the part to train on: pairs of similar length, shuffled by
/// (seed, epoch).
std::vector<ref::translation::PairBatch> pair_batches(const PairData& data, const RunConfig& config,
                                                      std::uint64_t epoch);

/// The pairs of a text in the order of their lengths.
std::vector<ref::translation::PairBatch> pairs_in_order(const ref::data::ParallelText& text,
                                                        const PairWords& words,
                                                        const RunConfig& config);

/// The share of the words of the sentences that are not in the vocabulary; 0 where there is none.
double unknown_share(const ref::data::WordVocabulary& words,
                     const std::vector<std::string>& sentences);

/// What tells one corpus from another, as JSON: the words, sizes and hashes.
std::string pairs_json(const PairData& data);

/// The words that pairs_json wrote.
/// Throws    FileError naming `file`
PairWords words_of(std::string_view json, const std::string& file);

}  // namespace normproof::verification::training
