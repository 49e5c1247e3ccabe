#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <sstream>
#include <utility>

#include "verification/cli/golden.hpp"
#include "verification/cli/golden_report.hpp"
#include "verification/cli/output_files.hpp"
#include "verification/cli/progress_bar.hpp"
#include "verification/cli/standard_streams.hpp"
#include "verification/cli/text.hpp"

namespace normproof::verification::cli {

using golden::gate::RelationOutcome;
using golden::gate::RelationResult;

namespace {

constexpr const char* kNothingSaid = "expected 1 relation or more that holds";

std::string_view to_string(RelationOutcome outcome) {
  switch (outcome) {
    case RelationOutcome::held:
      return "held";
    case RelationOutcome::broken:
      return "broken";
    case RelationOutcome::declined:
      return "declined";
    default:
      return "does not apply";
  }
}

std::size_t count_of(const std::vector<RelationResult>& results, RelationOutcome outcome) {
  return static_cast<std::size_t>(std::ranges::count(results, outcome, &RelationResult::outcome));
}

std::string relation_repro(const GoldenRelationsCommand& command, const RelationResult& result) {
  std::string line = fmt::format("normproof golden relations --golden {} --pipe {}",
                                 shell_word(command.golden.string()), shell_word(command.pipe));
  if (command.timeout != GoldenRelationsCommand{}.timeout)
    line += fmt::format(" --timeout {}", command.timeout);
  return line + fmt::format(" --relations {} --only {}", golden::gate::to_string(result.relation),
                            shell_word(result.path));
}

bool all_held(const std::vector<RelationResult>& results) {
  return count_of(results, RelationOutcome::broken) == 0 &&
         count_of(results, RelationOutcome::held) > 0;
}

std::string relations_text(const std::vector<RelationResult>& results,
                           const GoldenRelationsCommand& command, std::size_t cases) {
  std::string text = fmt::format("{:<10} {:>7} {:>7} {:>15} {:>9}\n", "relation", "held", "broken",
                                 "does not apply", "declined");
  for (const golden::gate::Relation relation : command.relations) {
    std::map<RelationOutcome, std::size_t> counts;
    for (const RelationResult& result : results)
      if (result.relation == relation) ++counts[result.outcome];
    text += fmt::format("{:<10} {:>7} {:>7} {:>15} {:>9}\n", golden::gate::to_string(relation),
                        counts[RelationOutcome::held], counts[RelationOutcome::broken],
                        counts[RelationOutcome::not_applicable], counts[RelationOutcome::declined]);
  }
  for (const RelationResult& result : results)
    if (result.outcome == RelationOutcome::broken)
      text += fmt::format("\nBROKEN {}: {}: {}\n  repro: {}\n", result.path,
                          golden::gate::to_string(result.relation), clean_line(result.sentence),
                          relation_repro(command, result));
  const std::size_t held = count_of(results, RelationOutcome::held);
  const std::size_t declined = count_of(results, RelationOutcome::declined);
  text += fmt::format(
      "\n{}: {} of {} hold, {}", all_held(results) ? "PASSED" : "FAILED", count_text(held),
      plural(held + count_of(results, RelationOutcome::broken), "relation"), plural(cases, "case"));
  if (declined > 0) text += fmt::format("; {} declined", plural(declined, "relation"));
  if (held == 0) text += fmt::format("; {}", kNothingSaid);
  return text + "\n";
}

std::string relations_json(const std::vector<RelationResult>& results,
                           const GoldenRelationsCommand& command) {
  std::string lines;
  for (const RelationResult& result : results) {
    nlohmann::ordered_json line = {{"path", result.path},
                                   {"relation", golden::gate::to_string(result.relation)},
                                   {"outcome", to_string(result.outcome)}};
    if (result.outcome == RelationOutcome::broken) {
      line["problem"] = clean(result.sentence);
      line["repro"] = clean(relation_repro(command, result));
    }
    lines += line.dump() + "\n";
  }
  return lines;
}

std::string relations_junit(const std::vector<RelationResult>& results,
                            const GoldenRelationsCommand& command) {
  pugi::xml_document document;
  pugi::xml_node suite = document.append_child("testsuites").append_child("testsuite");
  suite.append_attribute("name") = "normproof golden relations";
  const bool none = count_of(results, RelationOutcome::held) == 0 &&
                    count_of(results, RelationOutcome::broken) == 0;
  suite.append_attribute("tests") = results.size() + (none ? 1 : 0);
  suite.append_attribute("failures") = count_of(results, RelationOutcome::broken) + (none ? 1 : 0);
  suite.append_attribute("skipped") = count_of(results, RelationOutcome::not_applicable) +
                                      count_of(results, RelationOutcome::declined);
  for (const RelationResult& result : results) {
    pugi::xml_node test = suite.append_child("testcase");
    test.append_attribute("classname") = result.path.c_str();
    test.append_attribute("name") = std::string(golden::gate::to_string(result.relation)).c_str();
    if (result.outcome == RelationOutcome::broken) {
      const std::string message = clean_line(result.sentence);
      pugi::xml_node failure = test.append_child("failure");
      failure.append_attribute("message") = message.c_str();
      failure.text() = clean(relation_repro(command, result)).c_str();
    } else if (result.outcome == RelationOutcome::not_applicable) {
      test.append_child("skipped").append_attribute("message") =
          "the relation says nothing about this case";
    } else if (result.outcome == RelationOutcome::declined) {
      test.append_child("skipped").append_attribute("message") = "the case is declined";
    }
  }
  if (none) {  // else a reader of this file alone would see no failure
    pugi::xml_node test = suite.append_child("testcase");
    test.append_attribute("classname") = "normproof.golden";
    test.append_attribute("name") = "relations";
    test.append_child("failure").append_attribute("message") = kNothingSaid;
  }
  std::ostringstream out;
  document.save(out, "  ");
  return out.str();
}

}  // namespace

bool golden_relations(const GoldenRelationsCommand& command) {
  check_outputs({{"--golden", command.golden / "manifest.json"}},
                {{"--json", command.json}, {"--junit", command.junit}});
  const auto cases = golden::certify::list_corpus(command.golden, command.only);
  ProgressBar progress;
  const std::vector<RelationResult> results = golden::gate::check_relations(
      command.golden, cases, golden::gate::relation_asks(command.pipe, command.timeout),
      command.relations,
      [&](std::size_t done) { progress.show("asking", done, cases.size(), cases[done - 1].path); });
  write_all({[&] { write_stdout(relations_text(results, command, cases.size())); },
             to_file(command.json, [&] { return relations_json(results, command); }),
             to_file(command.junit, [&] { return relations_junit(results, command); })});
  return all_held(results);
}

}  // namespace normproof::verification::cli
