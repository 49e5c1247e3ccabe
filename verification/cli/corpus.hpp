#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "verification/checks/statistics/statistics.hpp"

namespace normproof::verification::cli {

/// The files of a corpus: both are given, or neither for the synthetic corpus.
struct CorpusFiles {
  std::optional<std::filesystem::path> data = {};   ///< in the format of Financial PhraseBank
  std::optional<std::filesystem::path> vocab = {};  ///< vocab.txt of a BERT release
};

struct Corpus {
  std::string name;  ///< the file's name without its folder, or "synthetic corpus"
  checks::statistics::TokenizedCorpus tokenized;
};

/// The seed of the synthetic corpus, so that every run without files has the same sentences.
inline constexpr std::uint64_t synthetic_seed = 42;

/// Loads and tokenizes the sentences of a corpus.
///
/// Computes  the sentences as ids, including [CLS] and [SEP], cut to at most `max_length` ids each
/// Throws    UsageError if only one of the two files is given; FileError as read_phrasebank and
///           Vocabulary::load
Corpus load_corpus(const CorpusFiles& files, std::optional<std::size_t> max_length = std::nullopt);

/// Writes the ids of each sentence on one line, separated by single spaces.
std::string format_ids(const checks::statistics::TokenizedCorpus& corpus);

}  // namespace normproof::verification::cli
