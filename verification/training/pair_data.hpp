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

/// The vocabularies of a translator's source and target language.
struct PairVocabularies {
  ref::data::WordVocabulary source, target;
};

/// Sentence pairs for training, validation and test, with the vocabularies of the training
/// sentences.
struct PairData {
  ref::data::ParallelCorpus text;
  PairVocabularies words;
};

/// Returns the configuration of a translator and its training. The vocabulary sizes are the sizes
/// of the vocabularies in `words`.
ref::train::TranslationConfig translation_config(const RunConfig& config,
                                                 const PairVocabularies& words);

/// Builds the vocabularies of a corpus of sentence pairs and stores them with the corpus.
///
/// Computes  for each language, the most frequent words of `text.training`. A vocabulary has at
///           most translation.vocabulary_size entries
/// Requires  the requirements of WordVocabulary::from_sentences
PairData add_vocabularies(ref::data::ParallelCorpus text, const RunConfig& config);

/// Returns the training batches of an epoch. `epoch` is counted from 0. A batch has pairs of
/// similar length. The order depends on the seed and the epoch.
std::vector<ref::train::PairBatch> pair_batches(const PairData& data, const RunConfig& config,
                                                std::uint64_t epoch);

/// Returns batches with all sentence pairs of a corpus, sorted by length.
std::vector<ref::train::PairBatch> make_pairs_in_order(const ref::data::ParallelText& text,
                                                       const PairVocabularies& words,
                                                       const RunConfig& config);

/// Returns which fraction of the words in the sentences is missing in the vocabulary. It is 0 if
/// the sentences have no words.
double unknown_fraction(const ref::data::WordVocabulary& words,
                        const std::vector<std::string>& sentences);

/// Returns a JSON text with the vocabularies, sizes and hashes of the corpus.
std::string pairs_json(const PairData& data);

/// Reads the vocabularies that pairs_json wrote.
/// Throws    FileError naming `file`
PairVocabularies read_pair_words(std::string_view json, const std::string& file);

}  // namespace normproof::verification::training
