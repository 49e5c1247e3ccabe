#include "verification/cli/golden/golden_museum.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

enum class NameVerdict { right, none, wrong };

NameVerdict judge_name(const ExhibitResult& visit) {
  if (!visit.wrong_names.empty()) return NameVerdict::wrong;
  return visit.named.empty() ? NameVerdict::none : NameVerdict::right;
}

std::size_t count_names(const std::vector<ExhibitResult>& visits, NameVerdict verdict) {
  return static_cast<std::size_t>(std::ranges::count(visits, verdict, judge_name));
}

std::string closing_line(const std::vector<ExhibitResult>& visits) {
  return fmt::format("{} of {} found; {} named rightly, {} without a name, {} named wrongly",
                     count_found_bugs(visits), plural(visits.size(), "exhibit"),
                     count_names(visits, NameVerdict::right),
                     count_names(visits, NameVerdict::none),
                     count_names(visits, NameVerdict::wrong));
}

/// Returns the first name of the bug, or the names that do not describe it.
std::string name_text(const ExhibitResult& visit) {
  if (visit.wrong_names.empty()) return visit.named;
  return fmt::format("WRONG: {}", fmt::join(visit.wrong_names, "; "));
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
                           {name_text(visit)}}});
  return table;
}

}  // namespace

bool are_bugs_found_and_named(const std::vector<ExhibitResult>& visits) {
  return count_found_bugs(visits) == visits.size() && count_names(visits, NameVerdict::wrong) == 0;
}

std::string known_bugs_text(const std::vector<ExhibitResult>& visits) {
  std::string text;
  for (const ExhibitResult& visit : visits) {
    const std::string named =
        name_text(visit).empty() ? "" : fmt::format(", named '{}'", name_text(visit));
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
the first name that the gate gives the mistake. The gate may give none, but each name that it gives in the first
cases that fail must describe the bug (`right_names.cpp` in that folder).

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
                                  {"wrong_names", visit.wrong_names},
                                  {"diagnosed_cases", visit.diagnosed},
                                  {"cases", visit.cases}});
  return object.dump(1) + "\n";
}

}  // namespace normproof::verification::cli::golden
