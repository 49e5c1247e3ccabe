#include "verification/cli/train/complete.hpp"

#include <fmt/format.h>

#include "ref/numeric/errors.hpp"
#include "ref/numeric/parallel.hpp"
#include "verification/cli/options.hpp"
#include "verification/cli/standard_streams.hpp"
#include "verification/cli/train/training_source_options.hpp"
#include "verification/cli/typed_options.hpp"
#include "verification/support/report/text.hpp"
#include "verification/training/completion.hpp"

namespace normproof::verification::cli::train {

void CompleteCommand::add(CLI::App& app) {
  add_run(app, folder, average);
  require(add_text(
      app, "--prompt", prompt, "The text that is gone on from", "TEXT",
      TextRule{[](const std::string& text) { return !text.empty(); }, "a character at least"}));
  add_number(app, "--length", length, 0, 1'000'000, "How many characters follow (default: 200)");
  set_footer(
      app,
      R"(Each time the likeliest character, the first of equal ones. Keys and values of the characters so far
are kept, which moves no bit; where the context is full the model begins anew with its last half.

--average takes the mean of the parameters of the last K checkpoints, and of the running statistics
of the norms.

Examples:
  normproof complete --run run --prompt 'the old ' --length 100
  normproof complete --run run --prompt 'the old ' --average 5)");
}

ExitStatus CompleteCommand::run() const {
  ref::numeric::set_num_threads(1);
  const training::LanguageModel model = training::read_language_model(folder, average);
  if (const auto unknown = model.alphabet.first_unknown(prompt, "--prompt"))
    throw ref::numeric::UsageError(fmt::format(
        "--prompt has the character '{}', which the model was not trained with; expected "
        "characters of '{}'",
        support::report::clean_line(*unknown), support::report::clean_line(model.alphabet.text())));
  write_stdout(prompt + training::complete(model, prompt, length) + "\n");
  return kSuccess;
}

}  // namespace normproof::verification::cli::train
