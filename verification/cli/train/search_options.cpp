#include "verification/cli/train/search_options.hpp"

#include <fmt/format.h>

#include <utility>

#include "ref/model/option_fields.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/cli/typed_options.hpp"

namespace normproof::verification::cli::train {
namespace {

double parse_length_penalty(const std::string& text) {
  double alpha = 0;
  ref::model::parse_field("--length-penalty", text, alpha);
  if (!(alpha >= 0 && alpha <= 10))
    ref::model::throw_invalid_value("--length-penalty", text, "a number from 0 to 10");
  return alpha;
}

}  // namespace

training::TranslationSearch SearchOptions::search() const {
  const training::TranslationSearch otherwise;
  return {.width = beam.value_or(otherwise.width),
          .length_penalty = length_penalty.value_or(otherwise.length_penalty)};
}

void add_search_options(CLI::App& app, SearchOptions& options) {
  add_number_option(app, "--beam", options.beam, 1, 1000,
                    "Hypotheses per translation (default: 1, the likeliest word each time)");
  add_value_option(
      app, "--length-penalty", options.length_penalty, parse_length_penalty,
      [](double alpha) { return fmt::format("{}", alpha); },
      "In a beam search, divide log-probabilities by ((5 + length) / 6)^A (default: 0.6)", "A");
}

void check_no_search_options(const SearchOptions& options, training::Task task) {
  for (const auto& [option, given] :
       {std::pair{"--beam", options.beam.has_value()},
        std::pair{"--length-penalty", options.length_penalty.has_value()}})
    if (given)
      throw ref::numeric::UsageError(
          fmt::format("{} is given; expected none but of the task translate, not {}", option,
                      ref::model::print_field(task)));
}

}  // namespace normproof::verification::cli::train
