#include "verification/cli/golden/golden_museum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "verification/support/report/markdown.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::golden {

using support::report::number_text;
using support::report::plural;

namespace {

std::size_t count_found_bugs(const std::vector<ExhibitResult>& visits) {
  return static_cast<std::size_t>(std::ranges::count_if(visits, &ExhibitResult::found));
}

std::string closing_line(const std::vector<ExhibitResult>& visits) {
  return fmt::format("{} of {} found", count_found_bugs(visits), plural(visits.size(), "exhibit"));
}

/// Returns the name of the case that found the bug, such as "quick/layer_norm/odd-13x17-float32".
/// If the bug violates a relation between outputs, the name of the relation comes first: "relation
/// memory, quick/...". If no case found it, returns how close a case came to finding it.
std::string detecting_case_text(const ExhibitResult& visit) {
  if (!visit.found())
    return fmt::format("missed by {}; the largest share of a bound is {}",
                       plural(visit.cases, "case"), number_text(visit.closest));
  return visit.relation.empty() ? visit.case_path
                                : fmt::format("relation {}, {}", visit.relation, visit.case_path);
}

std::string dtype_name(const ExhibitResult& visit) {
  return visit.exhibit.dtype ? std::string(to_string(*visit.exhibit.dtype)) : "any";
}

support::report::Table known_bugs_table(const std::vector<ExhibitResult>& visits) {
  support::report::Table table{
      "", support::report::text_columns({"exhibit", "of", "operation", "dtype", "what goes wrong",
                                         "what its tests had not tried", "found by", "named"})};
  for (const ExhibitResult& visit : visits)
    table.rows.push_back({{{visit.exhibit.name},
                           {visit.exhibit.link},
                           {visit.exhibit.op},
                           {dtype_name(visit)},
                           {visit.exhibit.sentence},
                           {visit.exhibit.missed_by},
                           {detecting_case_text(visit)},
                           {visit.named}}});
  return table;
}

}  // namespace

bool are_all_bugs_found(const std::vector<ExhibitResult>& visits) {
  return count_found_bugs(visits) == visits.size();
}

std::string known_bugs_text(const std::vector<ExhibitResult>& visits) {
  std::string text;
  for (const ExhibitResult& visit : visits) {
    const std::string named = visit.named.empty() ? "" : fmt::format(", named '{}'", visit.named);
    text += fmt::format("{:<6} {} ({}): {}{}\n", visit.found() ? "found" : "MISSED",
                        visit.exhibit.name, visit.exhibit.link, detecting_case_text(visit), named);
  }
  return text + closing_line(visits) + "\n";
}

support::report::Document known_bugs_document(const std::vector<ExhibitResult>& visits) {
  support::report::Document document{"normproof: museum"};
  document.add(known_bugs_table(visits));
  document.add(support::report::Paragraph{closing_line(visits)});
  return document;
}

std::string known_bugs_markdown(const std::vector<ExhibitResult>& visits,
                                verification::golden::museum::Tier tier) {
  constexpr const char* kText =
      R"(Bugs of 2023 to 2026 that were public: `of` names the project, and the number of an issue or a pull request
at GitHub. Each is made again from its description, with no line of its code, as a small wrong kernel
(`verification/golden/museum`) that answers every case of its operation and dtype, and a right answer where the
bug does not show. `found by`: the first case that rejects it, or the relation that it breaks there; `named`:
what the gate takes the mistake for.

)";
  const std::string option = tier == verification::golden::museum::Tier::quick
                                 ? ""
                                 : fmt::format(" --tier {}", to_string(tier));
  return fmt::format(
      "# Museum\n\nWhat `normproof golden power --museum{} --markdown FILE` writes.\n\n{}{}",
      option, kText, support::report::markdown(known_bugs_document(visits)));
}

std::string known_bugs_json(const std::vector<ExhibitResult>& visits,
                            verification::golden::museum::Tier tier) {
  using nlohmann::ordered_json;
  ordered_json object = {{"tier", to_string(tier)},
                         {"found", count_found_bugs(visits)},
                         {"exhibits", ordered_json::array()}};
  for (const ExhibitResult& visit : visits)
    object["exhibits"].push_back({{"name", visit.exhibit.name},
                                  {"link", visit.exhibit.link},
                                  {"operation", visit.exhibit.op},
                                  {"dtype", dtype_name(visit)},
                                  {"what_goes_wrong", visit.exhibit.sentence},
                                  {"what_its_tests_had_not_tried", visit.exhibit.missed_by},
                                  {"found", visit.found()},
                                  {"found_by", visit.case_path},
                                  {"relation", visit.relation},
                                  {"named", visit.named},
                                  {"cases", visit.cases}});
  return object.dump(1) + "\n";
}

}  // namespace normproof::verification::cli::golden
