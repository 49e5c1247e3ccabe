#include "verification/cli/train/evaluate.hpp"

#include <fmt/format.h>

#include "ref/numeric/elementary.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/numeric/parallel.hpp"
#include "verification/cli/train/training_source.hpp"
#include "verification/cli/train/training_source_options.hpp"
#include "verification/cli/typed_options.hpp"
#include "verification/support/report/text.hpp"
#include "verification/training/language_model.hpp"
#include "verification/training/language_task.hpp"
#include "verification/training/run.hpp"
#include "verification/training/run_folder.hpp"
#include "verification/training/translate_task.hpp"
#include "verification/training/translation_model.hpp"
#include "verification/training/translator.hpp"

namespace normproof::verification::cli::train {
namespace {

const Choices<TextPart>& text_part_names() {
  static const Choices<TextPart> names = {
      {"validation", TextPart::validation}, {"test", TextPart::test}, {"whole", TextPart::whole}};
  return names;
}

/// Returns the tokens of a part of the text, in the alphabet of the model.
std::vector<std::int32_t> encode_part(const ref::data::Alphabet& alphabet, const std::string& text,
                                      const std::string& name, TextPart part) {
  const std::vector<std::int32_t> all = alphabet.encode(text, name);
  const training::TextRange range = training::text_range(all.size(), part == TextPart::test);
  const bool whole = part == TextPart::whole;
  std::vector<std::int32_t> tokens(all.begin() + (whole ? 0 : range.begin),
                                   whole ? all.end() : all.begin() + range.end);
  if (tokens.size() < 2)
    throw ref::numeric::FileError(fmt::format(
        "{}: has {} characters to predict; expected two at least", name, tokens.size()));
  return tokens;
}

/// Returns a document with one paragraph per line.
support::report::Document make_document(const std::vector<std::string>& lines) {
  support::report::Document document{"normproof: evaluation"};
  for (const std::string& line : lines) document.add(support::report::Paragraph{line});
  return document;
}

/// Describes the evaluated model as text: "the mean of 3 checkpoints up to step 120".
std::string state_text(std::size_t average, std::int64_t step) {
  return fmt::format("{}step {}",
                     average == 1 ? "" : fmt::format("the mean of {} checkpoints up to ", average),
                     step);
}

support::report::Document evaluate_language(const EvaluateCommand& command) {
  training::LanguageModel model = training::read_language_model(command.folder, command.average);
  check_no_languages(command.languages, model.config.task);
  check_no_search_options(command.search, model.config.task);
  const auto [text, name] = load_text(command.data);
  const auto tokens = encode_part(model.alphabet, text, name, command.part);
  const double loss = ref::train::language_loss<double>(
      model.config.train, training::make_batches_in_order(tokens, model.config), model.state);
  const training::Qualities found = training::language_qualities(loss);
  return make_document(
      {fmt::format("{}: {}, {} characters", name, state_text(command.average, model.state.step),
                   support::report::count_text(tokens.size())),
       fmt::format("loss {:.6f}, perplexity {:.6f}, bits per character {:.6f}", loss,
                   training::quality(found, "perplexity"),
                   training::quality(found, "bits_per_character"))});
}

ref::data::ParallelText select_pairs(ref::data::ParallelCorpus corpus, TextPart part) {
  if (part == TextPart::validation) return std::move(corpus.validation);
  if (part == TextPart::test) return std::move(corpus.test);
  ref::data::ParallelText whole = std::move(corpus.training);
  for (const auto* more : {&corpus.validation, &corpus.test}) {
    whole.source.insert(whole.source.end(), more->source.begin(), more->source.end());
    whole.target.insert(whole.target.end(), more->target.begin(), more->target.end());
  }
  return whole;
}

/// Throws an error if the synthetic sentence pairs are used (without --data), but the translator
/// was trained on other words. The translator would not know the words of the synthetic pairs.
void check_words(const EvaluateCommand& command, const ref::data::ParallelCorpus& corpus,
                 const training::TranslationModel& model) {
  if (command.data) return;
  const training::PairVocabularies vocabularies =
      training::add_vocabularies(corpus, model.config).words;
  if (vocabularies.source.text() != model.words.source.text() ||
      vocabularies.target.text() != model.words.target.text())
    throw ref::numeric::UsageError(fmt::format(
        "--data is not given, and the run in {} was not trained on the synthetic pairs; "
        "expected --data, --source and --target",
        command.folder.string()));
}

support::report::Document evaluate_translator(const EvaluateCommand& command) {
  training::TranslationModel model =
      training::read_translation_model(command.folder, command.average);
  auto [corpus, name] = load_pairs(command.data, command.languages);
  check_words(command, corpus, model);
  const ref::data::ParallelText pairs = select_pairs(std::move(corpus), command.part);
  const training::TranslationSearch search = command.search.search();
  const double loss = ref::train::translation_loss<double>(
      training::translation_config(model.config, model.words),
      training::make_pairs_in_order(pairs, model.words, model.config), model.state);
  const auto translations =
      training::translate(model.config, model.words, model.state, pairs.source, search);
  return make_document(
      {fmt::format(
           "{}: {}, {}, {:.1f} % of the source's words and {:.1f} % of the target's unknown", name,
           state_text(command.average, model.state.step),
           support::report::plural(pairs.source.size(), "pair"),
           100 * training::unknown_fraction(model.words.source, pairs.source),
           100 * training::unknown_fraction(model.words.target, pairs.target)),
       fmt::format("loss {:.6f}, perplexity {:.6f}", loss, ref::numeric::exp(loss)),
       to_string(
           training::corpus_bleu(translations, pairs.target, training::translation_tokenizer)),
       fmt::format("{}, beam {}, length penalty {}",
                   training::bleu_signature(training::translation_tokenizer), search.width,
                   search.length_penalty)});
}

}  // namespace

void EvaluateCommand::add(CLI::App& app) {
  add_run(app, folder, average);
  add_file_option(app, "--data", data,
                  "A text in UTF-8, or a folder of pairs (default: synthetic ones)");
  add_languages(app, languages);
  add_search_options(app, search);
  add_choice_option(
      app, "--part", part, text_part_names(),
      "The part of a text: the 5 % that a run validates on, the last 5 % (default), or all "
      "of it. For pairs: the files dev, test or all");
  add_threads_option(app, threads);
  reports.add(app);
  set_footer(
      app,
      R"(Prints three numbers. The loss is the mean of -log p over the characters, where p is the probability
that the model gives to a character after those before it. The perplexity is exp(loss), and the bits
per character are loss / log 2. Each character but the first is predicted once, from 1 to
training.context characters.
For a translator the mean is over words and ends of sentences. BLEU is that of sacrebleu for
sentences whose words are separated by spaces; the last line has its signature and the settings of
the search.
--average uses the mean of the parameters and of the norms' running statistics over the last K
checkpoints.

Examples:
  normproof evaluate --run run
  normproof evaluate --run run --data input.txt --part validation
  normproof evaluate --run run --average 5
  normproof evaluate --run run --data pairs --source ja --target en --beam 4)");
}

std::vector<NamedFile> EvaluateCommand::inputs() const {
  return {{"--data", data}};
}

Output EvaluateCommand::run() const {
  ref::numeric::set_num_threads(threads);
  const training::Task task = training::read_run_folder(folder).config.task;
  if (task == training::Task::classify)
    throw ref::numeric::UsageError(fmt::format(
        "the run in {} has the task classify; expected language or translate", folder.string()));
  const bool is_translation = task == training::Task::translate;
  return {.document = is_translation ? evaluate_translator(*this) : evaluate_language(*this)};
}

}  // namespace normproof::verification::cli::train
