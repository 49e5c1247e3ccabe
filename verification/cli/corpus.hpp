#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "verification/checks/statistics/statistics.hpp"

namespace normproof::verification::cli {

/// Where the sentences come from: two files, or neither and the synthetic corpus.
struct CorpusFiles {
  std::optional<std::filesystem::path> data = {};   ///< in the format of Financial PhraseBank
  std::optional<std::filesystem::path> vocab = {};  ///< vocab.txt of a BERT release
};

struct Corpus {
  std::string name;  ///< the file's name without its folder, or "synthetic corpus"
  checks::statistics::TokenizedCorpus tokenized;
};

/// Seed of the synthetic corpus: every run without files sees the same sentences.
inline constexpr std::uint64_t synthetic_seed = 42;

/// Computes  the sentences of the corpus as ids, [CLS] and [SEP] included, of at most `max_length`
///           ids each
/// Throws    UsageError where only one of the two files is given; FileError as read_phrasebank and
///           Vocabulary::load
Corpus load_corpus(const CorpusFiles& files, std::optional<std::size_t> max_length = std::nullopt);

/// Computes  the ids of each sentence, separated by single spaces, one line a sentence
std::string format_ids(const checks::statistics::TokenizedCorpus& corpus);

}  // namespace normproof::verification::cli
