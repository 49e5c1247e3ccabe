#include "verification/cli/golden/golden_injection.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::golden {

using support::report::count_text;
using support::report::plural;
using verification::golden::gate::InjectionCounts;
using verification::golden::gate::InjectionResult;

std::string injection_text(const InjectionCounts& count) {
  return fmt::format(
      "{}, each in the place of one element: {} refused, {} right there, {} within the bound, {} "
      "not judged",
      plural(count.elements, "value"), count_text(count.refused), count_text(count.right),
      count_text(count.within), count_text(count.unjudged));
}

support::report::Table injection_table(const InjectionResult& planted) {
  support::report::Table table{"", support::report::text_columns({"in the place of each element"})};
  for (const char* number :
       {"elements", "refused", "right there", "within the bound", "not judged"})
    table.columns.push_back(support::report::number_column(number));
  const auto add = [&](const std::string& value, const InjectionCounts& count) {
    table.rows.push_back({{{value}}});
    for (const std::size_t n :
         {count.elements, count.refused, count.right, count.within, count.unjudged})
      table.rows.back().cells.push_back({std::to_string(n)});
  };
  for (const auto& [value, count] : planted.of) add(value, count);
  add("all", planted.total());
  return table;
}

nlohmann::ordered_json injection_json(const InjectionResult& planted) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const auto& [value, count] : planted.of)
    object[value] = {{"elements", count.elements},
                     {"refused", count.refused},
                     {"right", count.right},
                     {"within", count.within},
                     {"unjudged", count.unjudged}};
  return object;
}

}  // namespace normproof::verification::cli::golden
