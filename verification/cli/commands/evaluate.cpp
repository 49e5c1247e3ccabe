#include "verification/cli/commands/evaluate.hpp"

#include <fmt/format.h>

#include "ref/numeric/errors.hpp"
#include "ref/numeric/parallel.hpp"
#include "verification/cli/commands/training_source.hpp"
#include "verification/cli/standard_streams.hpp"
#include "verification/cli/typed_options.hpp"
#include "verification/report/text.hpp"
#include "verification/training/language_model.hpp"
#include "verification/training/language_task.hpp"
#include "verification/training/run.hpp"

namespace normproof::verification::cli::commands {
namespace {

const Choices<TextPart>& part_names() {
  static const Choices<TextPart> names = {
      {"validation", TextPart::validation}, {"test", TextPart::test}, {"whole", TextPart::whole}};
  return names;
}

/// The tokens of the part, by the alphabet of the model.
std::vector<std::int32_t> tokens_of(const ref::data::Alphabet& alphabet, const std::string& text,
                                    const std::string& name, TextPart part) {
  const std::vector<std::int32_t> all = alphabet.encode(text, name);
  const training::PartOfText range = training::part_of_text(all.size(), part == TextPart::test);
  const bool whole = part == TextPart::whole;
  std::vector<std::int32_t> tokens(all.begin() + (whole ? 0 : range.begin),
                                   whole ? all.end() : all.begin() + range.end);
  if (tokens.size() < 2)
    throw ref::numeric::FileError(fmt::format(
        "{}: has {} characters to predict; expected two at least", name, tokens.size()));
  return tokens;
}

}  // namespace

void EvaluateCommand::add(CLI::App& app) {
  require(add_folder(app, "--run", folder, "The folder that normproof train --out made"));
  add_file(app, "--data", data, "A text in UTF-8 (default: the synthetic text)");
  add_choice(
      app, "--part", part, part_names(),
      "What of the text: its 5 % that a run validates on, the last 5 % (default), or all of it");
  add_number(
      app, "--average", average, 1, 1000,
      "The mean of the last K checkpoints, of a run with training.keep_checkpoints K or more "
      "(default: 1)",
      "K");
  add_threads(app, threads);
  set_footer(
      app,
      R"(Prints the mean of -log p over the characters, p what the model gives to each from those before it
in its context, the perplexity, its exp, and the bits per character, its share of log 2. Each
character but the first is predicted once, from 0 to training.context - 1 characters before the
one that it follows.
--average takes the mean of the parameters of the last K checkpoints, and of the running statistics
of the norms.

Examples:
  normproof evaluate --run run
  normproof evaluate --run run --data input.txt --part validation
  normproof evaluate --run run --average 5)");
}

ExitStatus EvaluateCommand::run() const {
  ref::numeric::set_num_threads(threads);
  training::LanguageModel model = training::read_language_model(folder, average);
  const auto [text, of_file] = load_text(data);
  const auto tokens = tokens_of(model.alphabet, text, of_file, part);
  const double loss = ref::train::language_loss<double>(
      model.config.train, training::batches_in_order(tokens, model.config), model.state);
  const training::Qualities found = training::language_qualities(loss);
  write_stdout(fmt::format(
      "{}: {}step {}, {} characters\nloss {:.6f}, perplexity {:.6f}, bits per character {:.6f}\n",
      report::clean_line(of_file),
      average == 1 ? "" : fmt::format("the mean of {} checkpoints up to ", average),
      model.state.step, report::count_text(tokens.size()), loss,
      training::quality(found, "perplexity"), training::quality(found, "bits_per_character")));
  return kSuccess;
}

}  // namespace normproof::verification::cli::commands
