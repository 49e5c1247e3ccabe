#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "verification/checks/statistics/statistics.hpp"

namespace normproof::verification::cli {

/// The files of a corpus of sentences. A user gives the two files; if the user gives none, the
/// synthetic corpus is used.
struct CorpusFiles {
  std::optional<std::filesystem::path> data = {};   ///< file in the format of Financial PhraseBank
  std::optional<std::filesystem::path> vocab = {};  ///< file vocab.txt of a BERT release
};

struct Corpus {
  std::string name;  ///< name of the file without its folder, or "synthetic corpus"
  checks::statistics::TokenizedCorpus tokenized;
};

/// The seed of the synthetic corpus. It is fixed, so that the synthetic sentences are always the
/// same.
inline constexpr std::uint64_t synthetic_seed = 42;

/// Loads the sentences of a corpus and splits them into tokens.
///
/// Computes  the token ids of each sentence, including [CLS] and [SEP], cut to at most `max_length`
///           ids
/// Throws    UsageError if only one of the two files is given; FileError if read_phrasebank or
///           Vocabulary::load throws it
Corpus load_corpus(const CorpusFiles& files, std::optional<std::size_t> max_length = std::nullopt);

/// Returns the token ids as text: one sentence per line, with single spaces between ids.
std::string format_token_ids(const checks::statistics::TokenizedCorpus& corpus);

}  // namespace normproof::verification::cli
