#include "verification/cli/tools/determinism.hpp"

#include <fmt/format.h>

#include <map>

#include "ref/numeric/errors.hpp"
#include "ref/numeric/instruction_set.hpp"
#include "ref/numeric/parallel.hpp"
#include "verification/checks/determinism/difference.hpp"
#include "verification/cli/options.hpp"
#include "verification/cli/progress_bar.hpp"
#include "verification/support/report/checks.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::tools {

using checks::determinism::Difference;
using support::report::clean_line;

namespace {

support::report::Checks make_checks(const checks::determinism::Recording& here,
                                    const std::vector<Difference>& found) {
  std::map<std::string, std::string> sentences;
  for (const Difference& difference : found)
    sentences[difference.probe.empty() ? "contract" : difference.probe] = difference.sentence;
  for (const auto& probe : here.probes) sentences.try_emplace(probe.name);
  support::report::CheckSuite suite{"normproof.determinism"};
  for (const auto& [name, sentence] : sentences) {
    suite.checks.push_back({.group = suite.name, .name = name});
    if (sentence.empty()) continue;
    suite.checks.back().outcome = support::report::Outcome::failed;
    suite.checks.back().findings = {{name, sentence}};
  }
  return {suite};
}

std::string table(const checks::determinism::Recording& here) {
  std::string text = fmt::format("contract {}\n", here.contract);
  for (const auto& [name, value] : here.environment)
    text += fmt::format("{:<16} {}\n", name, clean_line(value));
  text += "\n";
  for (const auto& probe : here.probes)
    text += fmt::format("{}  {:>5} {}\n", probe.sha256, probe.count, probe.name);
  return text + "\n";
}

support::report::Document determinism_document(const checks::determinism::Recording& here,
                                               const std::string& verdict, bool same) {
  support::report::Document document{"normproof: determinism"};
  document.add(support::report::Heading{1, "normproof: the bits of every probe"});
  document.add(support::report::Paragraph{
      verdict, same ? support::report::Tone::good : support::report::Tone::bad});
  support::report::Table environment{"", support::report::text_columns({"environment", "value"})};
  environment.rows.push_back({{{"contract"}, {fmt::format("{}", here.contract)}}});
  for (const auto& [name, value] : here.environment)
    environment.rows.push_back({{{name}, {value}}});
  document.add(std::move(environment));
  support::report::Table probes =
      support::report::numbers_table("", {"probe", "SHA-256"}, {"numbers"});
  for (const auto& probe : here.probes)
    probes.rows.push_back({{{probe.name}, {probe.sha256}, {fmt::format("{}", probe.count)}}});
  document.add(std::move(probes));
  return document;
}

}  // namespace

void DeterminismCommand::add(CLI::App& app) {
  add_file_option(
      app, "--against", against,
      "Compare with the file that --json wrote elsewhere, and print one line: which probe "
      "differs first, with both values (default: compare with the hashes of the contract, "
      "which the program contains)");
  reports.add(app);
  add_threads_option(app, threads);
  const TextConstraint not_empty = {[](const std::string& text) { return !text.empty(); },
                                    "the name of a set"};
  add_text_option(
      app, "--instruction-set", instruction_set,
      "baseline, avx2 or avx512 (default: the widest that this processor has); the bits do "
      "not depend on it",
      "SET", not_empty);
  set_footer(
      app,
      R"(A probe is a computation of the reference on fixed inputs. There are probes for every elementary
function, sum, matmul layout, layer forward and backward, and random stream. The hash of a probe is
the SHA-256 of the bits of its values. Prints the environment and the hashes; with --against one
line. Exit status 1 if a bit differs, 3 if FILE was not written by --json.

Examples:
  normproof determinism
  normproof determinism --json here.json --threads 4
  normproof determinism --against there.json)");
}

std::vector<NamedFile> DeterminismCommand::inputs() const {
  return {{"--against", against}};
}

Output DeterminismCommand::run() const {
  // The file with which the results are compared is read first, so that an unreadable file is
  // reported before the long computation.
  const checks::determinism::Recording there = against
                                                   ? checks::determinism::read_recording(*against)
                                                   : checks::determinism::expected_recording();
  const std::string there_name = against ? clean_line(against->filename().string())
                                         : fmt::format("contract {}", there.contract);
  if (instruction_set) ref::numeric::select_instruction_set(*instruction_set);
  ref::numeric::set_num_threads(threads);
  const auto probes = checks::determinism::probes();
  ProgressBar progress;
  const checks::determinism::Recording here =
      checks::determinism::record(probes, [&](const std::string& probe, std::size_t done) {
        progress.show("running probes", done, probes.size(), probe);
      });
  const std::vector<Difference> found = checks::determinism::differences(here, there);
  const std::string verdict = checks::determinism::verdict_line(here, found, there_name);
  return {.status = found.empty() ? kSuccess : kNumericalFailure,
          .document = determinism_document(here, verdict, found.empty()),
          .checks = make_checks(here, found),
          .text = (against ? "" : table(here)) + verdict + "\n",
          .json = checks::determinism::recording_json(here)};
}

}  // namespace normproof::verification::cli::tools
