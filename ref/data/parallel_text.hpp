#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace normproof::ref::data {

/// Sentences in two languages: source[i] and target[i] say the same. Words have spaces between.
struct ParallelText {
  std::vector<std::string> source, target;
  bool operator==(const ParallelText&) const = default;
};

/// What a translator is trained, validated and tested on.
struct ParallelCorpus {
  ParallelText training, validation, test;
  bool operator==(const ParallelCorpus&) const = default;
};

/// A file of each language.
///
/// Computes  the lines of both, without their LF
/// Requires  UTF-8; as many lines in one file as in the other, one at least; each with a word, of
///           at most 100,000 bytes, without NUL and CR, ended by LF (the last one may lack it)
/// Throws    FileError with the file, the number of the line from 1, and the expectation
ParallelText read_parallel_text(const std::filesystem::path& source,
                                const std::filesystem::path& target);

/// `read_parallel_text` of bytes in memory; the names stand for the files in messages.
ParallelText parse_parallel_text(std::string_view source, std::string_view source_name,
                                 std::string_view target, std::string_view target_name);

/// The files train.<language>, dev.<language> and test.<language> of a folder, for two languages:
/// what is trained on, validated on and tested.
/// Throws    FileError naming the folder, the file, or the file and the line
ParallelCorpus read_parallel_corpus(const std::filesystem::path& folder, std::string_view source,
                                    std::string_view target);

}  // namespace normproof::ref::data
