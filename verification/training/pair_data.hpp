#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ref/data/pair_batches.hpp"
#include "ref/data/parallel_text.hpp"
#include "ref/data/word_vocabulary.hpp"
#include "ref/train/translation.hpp"
#include "verification/training/run_config.hpp"

namespace normproof::verification::training {

/// The vocabularies of both languages of a translator.
struct PairVocabularies {
  ref::data::WordVocabulary source, target;
};

/// Sentence pairs for training, validation and test, and the vocabularies of the training
/// sentences.
struct PairData {
  ref::data::ParallelCorpus text;
  PairVocabularies words;
};

/// Returns the configuration of the training steps, with the vocabulary sizes of `words`.
ref::train::TranslationConfig translation_config(const RunConfig& config,
                                                 const PairVocabularies& words);

/// Adds vocabularies to a corpus.
///
/// Computes  the most frequent words of `text.training`, at most translation.vocabulary_size in
///           either language
/// Requires  those of WordVocabulary::of_sentences
PairData add_vocabularies(ref::data::ParallelCorpus text, const RunConfig& config);

/// Returns the training batches of an epoch, counted from 0: pairs of similar length, shuffled by
/// (seed, epoch).
std::vector<ref::train::PairBatch> pair_batches(const PairData& data, const RunConfig& config,
                                                std::uint64_t epoch);

/// Returns batches of the pairs of a text, sorted by length.
std::vector<ref::train::PairBatch> pairs_in_order(const ref::data::ParallelText& text,
                                                  const PairVocabularies& words,
                                                  const RunConfig& config);

/// Returns the fraction of words in the sentences that are not in the vocabulary; 0 without any
/// word.
double unknown_fraction(const ref::data::WordVocabulary& words,
                        const std::vector<std::string>& sentences);

/// Describes the corpus as JSON: the vocabularies, sizes and hashes.
std::string pairs_json(const PairData& data);

/// Reads the vocabularies that pairs_json wrote.
/// Throws    FileError naming `file`
PairVocabularies read_pair_words(std::string_view json, const std::string& file);

}  // namespace normproof::verification::training
