#include "verification/cli/train/complete.hpp"

#include <fmt/format.h>

#include "ref/numeric/errors.hpp"
#include "ref/numeric/parallel.hpp"
#include "verification/cli/options.hpp"
#include "verification/cli/train/training_source_options.hpp"
#include "verification/cli/typed_options.hpp"
#include "verification/support/report/text.hpp"
#include "verification/training/completion.hpp"

namespace normproof::verification::cli::train {

void CompleteCommand::add(CLI::App& app) {
  add_run(app, folder, average);
  require(add_text_option(app, "--prompt", prompt, "The text to continue", "TEXT",
                          TextConstraint{[](const std::string& text) { return !text.empty(); },
                                         "a character at least"}));
  add_number_option(app, "--length", length, 0, 1'000'000,
                    "Number of characters to add (default: 200)");
  set_footer(
      app,
      R"(Adds the likeliest character each time, the first one if several are equal. The keys and values of
earlier characters are cached, which changes no bit. When the context is full, the model restarts
with the last half of it.

--average uses the mean of the parameters and of the norms' running statistics over the last K
checkpoints.

Examples:
  normproof complete --run run --prompt 'the old ' --length 100
  normproof complete --run run --prompt 'the old ' --average 5)");
}

Output CompleteCommand::run() const {
  ref::numeric::set_num_threads(1);
  const training::LanguageModel model = training::read_language_model(folder, average);
  if (const auto unknown = model.alphabet.find_unknown_character(prompt, "--prompt"))
    throw ref::numeric::UsageError(fmt::format(
        "--prompt has the character '{}', which the model was not trained with; expected "
        "characters of '{}'",
        support::report::clean_line(*unknown), support::report::clean_line(model.alphabet.text())));
  return printed(prompt + training::complete(model, prompt, length) + "\n");
}

}  // namespace normproof::verification::cli::train
