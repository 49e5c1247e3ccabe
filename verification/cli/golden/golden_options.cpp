#include "verification/cli/golden/golden_options.hpp"

#include <fmt/format.h>

#include "ref/numeric/errors.hpp"
#include "verification/cli/standard_streams.hpp"
#include "verification/cli/typed_options.hpp"
#include "verification/golden/certify/corpus_files.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::golden {

namespace {

template <class Field>
CLI::Option* add_pipe_and_timeout_options(CLI::App& app, Field& pipe, double& timeout) {
  constexpr int kMaxSeconds = 86400;
  constexpr TextConstraint kCommandConstraint = {
      [](const std::string& text) { return !text.empty(); }, "a command for sh"};
  CLI::Option* const option = add_text_option(
      app, "--pipe", pipe,
      "A command that reads one line per case and prints the output (docs/guide/formats.md)", "CMD",
      kCommandConstraint);
  add_value_option(
      app, "--timeout", timeout,
      [](const std::string& text) { return parse_number("--timeout", text, 1, kMaxSeconds); },
      [](double seconds) { return fmt::format("{}", seconds); },
      "Seconds that the command may take for one case (default: 60)", "S");
  return option;
}

template <class Field>
CLI::Option* add_corpus_folder_option(CLI::App& app, Field& golden) {
  const auto parse = [](const std::string& text) {
    if (text.empty())
      throw ref::numeric::UsageError("--golden is ''; expected the name of a folder");
    return verification::golden::certify::corpus_folder(text);
  };
  const auto print = [](const std::filesystem::path& path) { return path.string(); };
  return add_value_option(
      app, "--golden", golden, parse, print,
      "A corpus that 'normproof golden make' wrote, or a folder that contains one in 'data'",
      "DIR");
}

}  // namespace

void add_golden_option(CLI::App& app, std::filesystem::path& golden) {
  require(add_corpus_folder_option(app, golden));
}

void add_golden_option(CLI::App& app, std::optional<std::filesystem::path>& golden) {
  add_corpus_folder_option(app, golden);
}

void add_new_folder_option(CLI::App& app, std::filesystem::path& out) {
  require(add_folder_option(app, "--out", out, "The folder to create; it must be new or empty"));
}

void add_only_option(CLI::App& app, verification::golden::corpus::PathGlobs& only) {
  accept_several_values(add_bound_option(
      app, "--only",
      {[&only](const Texts& given) { only.globs = given; }, [&only] { return only.globs; }},
      "Only cases whose path matches this glob; may be repeated (default: all)", "GLOB"));
}

void add_candidate(CLI::App& app, std::optional<std::filesystem::path>& candidate) {
  add_folder_option(
      app, "--candidate", candidate,
      "The outputs to check: <path of the case>/expected.safetensors or .npz, with the "
      "names of the corpus");
}

void check_is_not_corpus(const std::filesystem::path& candidate,
                         const std::filesystem::path& golden) {
  std::error_code error;
  if (std::filesystem::equivalent(candidate, golden, error))
    throw ref::numeric::UsageError(
        fmt::format("--candidate {} is the corpus itself; expected a folder of outputs that the "
                    "candidate computed",
                    support::report::clean_line(candidate.string())));
}

void add_pipe_option(CLI::App& app, std::optional<std::string>& pipe, double& timeout) {
  add_pipe_and_timeout_options(app, pipe, timeout);
}

void add_pipe_option(CLI::App& app, std::string& pipe, double& timeout) {
  require(add_pipe_and_timeout_options(app, pipe, timeout));
}

void print_candidate_errors(const std::string& last) {
  write_stderr(fmt::format("the candidate's standard error ends with:\n{}{}",
                           support::report::clean(last), last.ends_with('\n') ? "" : "\n"));
}

void add_accumulation_option(
    CLI::App& app, std::optional<verification::golden::corpus::Accumulation>& accumulation,
    const std::string& help) {
  using verification::golden::corpus::Accumulation;
  const auto print = [](Accumulation a) { return verification::golden::corpus::to_string(a); };
  add_value_option(app, "--accumulation", accumulation,
                   verification::golden::corpus::parse_accumulation, print, help, "DTYPE");
}

void add_formula_option(CLI::App& app, verification::golden::tolerance::Formula& formula,
                        const std::string& help) {
  add_named_value_option(app, "--formula", formula, verification::golden::tolerance::parse_formula,
                         help, "NAME");
}

void add_cast_order_option(CLI::App& app, verification::golden::tolerance::CastOrder& order,
                           const std::string& help) {
  add_named_value_option(app, "--cast-order", order,
                         verification::golden::tolerance::parse_cast_order, help, "NAME");
}

void add_loss_dtype_option(CLI::App& app, verification::golden::tolerance::LossDtype& dtype,
                           const std::string& help) {
  add_named_value_option(app, "--loss-dtype", dtype,
                         verification::golden::tolerance::parse_loss_dtype, help, "NAME");
}

void add_scale_rounding_option(CLI::App& app, verification::golden::corpus::ScaleRounding& rounding,
                               const std::string& help) {
  add_named_value_option(app, "--scale-rounding", rounding,
                         verification::golden::corpus::parse_scale_rounding, help, "NAME");
}

}  // namespace normproof::verification::cli::golden
