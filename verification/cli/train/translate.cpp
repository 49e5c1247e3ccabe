#include "verification/cli/train/translate.hpp"

#include <fmt/format.h>

#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ref/data/text_file.hpp"
#include "ref/data/text_lines.hpp"
#include "ref/numeric/parallel.hpp"
#include "verification/cli/options.hpp"
#include "verification/cli/standard_streams.hpp"
#include "verification/cli/train/training_source_options.hpp"
#include "verification/training/translation_model.hpp"
#include "verification/training/translator.hpp"

namespace normproof::verification::cli::train {
namespace {

/// Returns the lines of a file. The file may be empty.
std::vector<std::string> read_sentences(const std::filesystem::path& file) {
  const bool is_stdin = file == "-";
  const std::string name = is_stdin ? "standard input" : file.string();
  std::vector<std::string> lines =
      ref::data::split_lines(is_stdin ? read_stdin() : ref::data::read_bytes(file));
  constexpr std::size_t max_bytes = 100'000;
  constexpr std::string_view expectation = "a sentence in UTF-8, or an empty line, ended by LF";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    if (lines[i].size() > max_bytes)
      ref::data::line_failure(name, i + 1, fmt::format("the line has {} bytes", lines[i].size()),
                              fmt::format("at most {}", max_bytes));
    ref::data::check_line(lines[i], "sentence", name, i + 1, expectation);
  }
  return lines;
}

/// Returns an error message for a lack of memory. It begins with the line of the longest sentence:
/// "in.txt:3: ...".
std::string memory_error_text(const std::filesystem::path& file,
                              const training::TranslationModel& model,
                              const std::vector<std::string>& sentences) {
  std::size_t longest = 0, words = 0;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const std::size_t length = model.words.source.encode(sentences[i]).size();
    if (length <= words) continue;
    longest = i;
    words = length;
  }
  return fmt::format(
      "{}:{}: the memory does not suffice for a sentence of {} words; expected shorter ones",
      file == "-" ? "standard input" : file.string(), longest + 1, words);
}

}  // namespace

void TranslateCommand::add(CLI::App& app) {
  add_run(app, folder, average);
  require(add_file_option(
      app, "--in", in,
      "Sentences in UTF-8, one per line, with spaces between the words; - for standard input"));
  add_search_options(app, search);
  add_threads_option(app, threads);
  set_footer(
      app,
      R"(Prints one line for each line. A translation depends neither on the other lines nor on the number of
threads. A word that the translator was not trained with is read as <unk>; an empty line stays
empty. A translation has translation.max_length tokens at most.

Examples:
  normproof translate --run run --in sentences.txt
  normproof translate --run run --in - --beam 4 --length-penalty 1)");
}

Output TranslateCommand::run() const {
  ref::numeric::set_num_threads(threads);
  const training::TranslationModel model = training::read_translation_model(folder, average);
  const std::vector<std::string> sentences = read_sentences(in);
  std::string text;
  try {
    for (const std::string& line :
         training::translate(model.config, model.words, model.state, sentences, search.search()))
      text += line + "\n";
  } catch (const std::bad_alloc&) {
    throw std::runtime_error(memory_error_text(in, model, sentences));
  }
  return printed(std::move(text));
}

}  // namespace normproof::verification::cli::train
