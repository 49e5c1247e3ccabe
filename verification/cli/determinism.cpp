#include "verification/cli/determinism.hpp"

#include <fmt/format.h>

#include <map>
#include <pugixml.hpp>
#include <sstream>

#include "ref/numeric/errors.hpp"
#include "ref/numeric/instruction_set.hpp"
#include "ref/numeric/parallel.hpp"
#include "verification/cli/output_files.hpp"
#include "verification/cli/progress_bar.hpp"
#include "verification/cli/standard_streams.hpp"
#include "verification/cli/text.hpp"
#include "verification/determinism/difference.hpp"

namespace normproof::verification::cli {

using determinism::Difference;

namespace {

std::string junit(const determinism::Recording& here, const std::vector<Difference>& found) {
  std::map<std::string, std::string> sentences;
  for (const Difference& difference : found)
    sentences[difference.probe.empty() ? "contract" : difference.probe] = difference.sentence;
  for (const auto& probe : here.probes) sentences.try_emplace(probe.name);
  pugi::xml_document document;
  pugi::xml_node suite = document.append_child("testsuites").append_child("testsuite");
  suite.append_attribute("name") = "normproof.determinism";
  suite.append_attribute("tests") = sentences.size();
  suite.append_attribute("failures") = found.size();
  for (const auto& [name, sentence] : sentences) {
    pugi::xml_node test = suite.append_child("testcase");
    test.append_attribute("classname") = "normproof.determinism";
    test.append_attribute("name") = name.c_str();
    if (!sentence.empty())
      test.append_child("failure").append_attribute("message") = sentence.c_str();
  }
  std::ostringstream text;
  document.save(text, "  ");
  return text.str();
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
             to_file(command.junit, [&] { return junit(here, found); })});
  return found.empty();
}

}  // namespace normproof::verification::cli
