#include "verification/cli/determinism.hpp"

#include <fmt/format.h>

#include <map>

#include "ref/numeric/errors.hpp"
#include "ref/numeric/instruction_set.hpp"
#include "ref/numeric/parallel.hpp"
#include "verification/cli/output_files.hpp"
#include "verification/cli/progress_bar.hpp"
#include "verification/cli/standard_streams.hpp"
#include "verification/cli/text.hpp"
#include "verification/determinism/difference.hpp"
#include "verification/report/junit.hpp"

namespace normproof::verification::cli {

using determinism::Difference;

namespace {

report::Checks checks_of(const determinism::Recording& here, const std::vector<Difference>& found) {
  std::map<std::string, std::string> sentences;
  for (const Difference& difference : found)
    sentences[difference.probe.empty() ? "contract" : difference.probe] = difference.sentence;
  for (const auto& probe : here.probes) sentences.try_emplace(probe.name);
  report::CheckSuite suite{"normproof.determinism"};
  for (const auto& [name, sentence] : sentences) {
    suite.checks.push_back({.group = suite.name, .name = name});
    if (sentence.empty()) continue;
    suite.checks.back().outcome = report::Outcome::failed;
    suite.checks.back().findings = {{name, sentence}};
  }
  return {suite};
}

std::string table(const determinism::Recording& here) {
  std::string text = fmt::format("contract {}\n", here.contract);
  for (const auto& [name, value] : here.environment)
    text += fmt::format("{:<16} {}\n", name, clean_line(value));
  text += "\n";
  for (const auto& probe : here.probes)
    text += fmt::format("{}  {:>5} {}\n", probe.sha256, probe.count, probe.name);
  return text + "\n";
}

}  // namespace

bool determinism(const DeterminismCommand& command) {
  check_outputs({{"--against", command.against}},
                {{"--json", command.json}, {"--junit", command.junit}});
  // The other side is read first: a file that cannot be read costs no work.
  const determinism::Recording there = command.against
                                           ? determinism::read_recording(*command.against)
                                           : determinism::expected_recording();
  const std::string there_name = command.against ? clean_line(command.against->filename().string())
                                                 : fmt::format("contract {}", there.contract);
  if (!command.instruction_set.empty())
    ref::numeric::select_instruction_set(command.instruction_set);
  ref::numeric::set_num_threads(command.threads);
  const auto probes = determinism::probes();
  ProgressBar progress;
  const determinism::Recording here =
      determinism::record(probes, [&](const std::string& name, std::size_t done) {
        progress.show("running probes", done, probes.size(), name);
      });
  const std::vector<Difference> found = determinism::differences(here, there);
  write_all({[&] {
               write_stdout((command.against ? "" : table(here)) +
                            determinism::verdict_line(here, found, there_name) + "\n");
             },
             to_file(command.json, [&] { return determinism::recording_json(here); }),
             to_file(command.junit, [&] { return report::junit(checks_of(here, found)); })});
  return found.empty();
}

}  // namespace normproof::verification::cli
