#include "verification/cli/tools/determinism.hpp"

#include <fmt/format.h>

#include <map>

#include "ref/numeric/errors.hpp"
#include "ref/numeric/instruction_set.hpp"
#include "ref/numeric/parallel.hpp"
#include "verification/checks/determinism/difference.hpp"
#include "verification/cli/options.hpp"
#include "verification/cli/output_files.hpp"
#include "verification/cli/progress_bar.hpp"
#include "verification/cli/standard_streams.hpp"
#include "verification/support/report/junit.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::tools {

using checks::determinism::Difference;
using support::report::clean_line;

namespace {

support::report::Checks checks_of(const checks::determinism::Recording& here,
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

}  // namespace

void DeterminismCommand::add(CLI::App& app) {
  add_file(app, "--against", against,
           "Compare with what --json wrote elsewhere, in one line: which probe differs first, and "
           "both values (default: with the hashes of the contract, which are in the program)");
  reports.add(app, {ReportForm::json, ReportForm::junit});
  add_threads(app, threads);
  const TextRule not_empty = {[](const std::string& text) { return !text.empty(); },
                              "the name of a set"};
  add_text(app, "--instruction-set", instruction_set,
           "baseline, avx2 or avx512 (default: the widest that this processor has); the bits do "
           "not depend on it",
           "SET", not_empty);
  set_footer(
      app,
      R"(A probe is a computation of the reference on inputs of its own: every elementary function, sum,
matmul layout, layer forward and backward, and random stream. Its hash is SHA-256 of its
values' bits. Prints the environment and the hashes; with --against one line.
Exit status 1 if a bit is another one, 3 if FILE is not what --json wrote.

Examples:
  normproof determinism
  normproof determinism --json here.json --threads 4
  normproof determinism --against there.json)");
}

ExitStatus DeterminismCommand::run() const {
  check_outputs({{"--against", against}}, reports.named());
  // The other recording is read first, so that an unreadable file is reported before the work.
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
  write_all(
      {[&] {
         write_stdout((against ? "" : table(here)) +
                      checks::determinism::verdict_line(here, found, there_name) + "\n");
       },
       to_file(reports.json, [&] { return checks::determinism::recording_json(here); }),
       to_file(reports.junit, [&] { return support::report::junit(checks_of(here, found)); })});
  return found.empty() ? kSuccess : kNumericalFailure;
}

}  // namespace normproof::verification::cli::tools
