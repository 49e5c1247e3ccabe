#include "ref/data/parallel_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "ref/data/text_file.hpp"
#include "ref/data/text_lines.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::ref::data {
namespace {

std::vector<std::string> read_sentences(std::string_view bytes, std::string_view name) {
  constexpr std::size_t most = 100'000;
  constexpr std::string_view expectation =
      "a sentence in UTF-8, its words with spaces between, ended by LF";
  std::vector<std::string> lines = split_lines(bytes);
  if (lines.empty()) line_failure(name, 1, "the file is empty", "a sentence a line");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].size() > most)
      line_failure(name, i + 1, fmt::format("the line has {} bytes", lines[i].size()),
                   fmt::format("at most {}", most));
    check_line(lines[i], "sentence", name, i + 1, expectation);
    if (split_words(lines[i]).empty())
      line_failure(name, i + 1, "the line has no word", expectation);
  }
  return lines;
}

}  // namespace

ParallelText parse_parallel_text(std::string_view source, std::string_view source_name,
                                 std::string_view target, std::string_view target_name) {
  ParallelText text{read_sentences(source, source_name), read_sentences(target, target_name)};
  const std::size_t of_source = text.source.size(), of_target = text.target.size();
  if (of_source == of_target) return text;
  const bool source_ends = of_source < of_target;
  line_failure(source_ends ? source_name : target_name, std::min(of_source, of_target) + 1,
               fmt::format("the file has ended, and {} has {} lines",
                           source_ends ? target_name : source_name, std::max(of_source, of_target)),
               "a sentence for each of the other language");
}

ParallelText read_parallel_text(const std::filesystem::path& source,
                                const std::filesystem::path& target) {
  return parse_parallel_text(read_bytes(source), source.string(), read_bytes(target),
                             target.string());
}

ParallelCorpus read_parallel_corpus(const std::filesystem::path& folder, std::string_view source,
                                    std::string_view target) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored))
    throw numeric::FileError(fmt::format(
        "{}: is no folder; expected one that holds train.{}, train.{} and the same of dev and test",
        folder.string(), source, target));
  const auto part = [&](std::string_view name) {
    return read_parallel_text(folder / fmt::format("{}.{}", name, source),
                              folder / fmt::format("{}.{}", name, target));
  };
  ParallelCorpus corpus;
  corpus.training = part("train");
  corpus.validation = part("dev");
  corpus.test = part("test");
  return corpus;
}

}  // namespace normproof::ref::data
