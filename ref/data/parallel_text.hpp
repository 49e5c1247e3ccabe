#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace normproof::ref::data {

/// Sentences in two languages: source[i] and target[i] have the same meaning. Words are separated
/// by spaces.
struct ParallelText {
  std::vector<std::string> source, target;
  bool operator==(const ParallelText&) const = default;
};

/// Sentence pairs for training, validating and testing a translator.
struct ParallelCorpus {
  ParallelText training, validation, test;
  bool operator==(const ParallelCorpus&) const = default;
};

/// Reads sentence pairs from two files, one file per language.
///
/// Computes  the lines of both files, without their LF
/// Requires  UTF-8; both files have the same number of lines, at least one. Each line has a word,
///           at most 100,000 bytes, no NUL and no CR, and ends with LF; the LF of the last line may
///           be absent
/// Throws    FileError with the file, the number of the line (the first is 1) and the expectation
ParallelText read_parallel_text(const std::filesystem::path& source,
                                const std::filesystem::path& target);

/// Does what read_parallel_text does, for bytes in memory. Error messages use the given names
/// instead of file names.
ParallelText parse_parallel_text(std::string_view source, std::string_view source_name,
                                 std::string_view target, std::string_view target_name);

/// Reads the files train.<language>, dev.<language> and test.<language> of a folder, for the
/// languages `source` and `target`.
/// Throws    FileError that names the folder, the file, or the file and the line
ParallelCorpus read_parallel_corpus(const std::filesystem::path& folder, std::string_view source,
                                    std::string_view target);

}  // namespace normproof::ref::data
