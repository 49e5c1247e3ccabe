#include "verification/cli/golden/golden_coverage.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "verification/cli/golden/golden_options.hpp"
#include "verification/cli/typed_options.hpp"
#include "verification/golden/certify/corpus_files.hpp"
#include "verification/golden/recipes/corpus.hpp"
#include "verification/golden/recipes/unreached_limits.hpp"
#include "verification/support/report/markdown.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::golden {

using support::report::number_text;
using verification::golden::corpus::Case;
using verification::golden::corpus::case_operation_name;
using verification::golden::corpus::Tier;
using verification::golden::recipes::Counts;
using verification::golden::recipes::Coverage;
using verification::golden::recipes::MagnitudeRange;

namespace {

/// Pointers to the coverage of one operation, one pointer per tier. A pointer is null if the tier
/// has no case of the operation.
using CoveredTiers = std::vector<const Coverage*>;

std::string counts_text(const Counts& counts) {
  std::vector<std::string> parts;
  for (const auto& [value, cases] : counts) parts.push_back(fmt::format("{} ({})", value, cases));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string values_text(const Counts& counts) {
  std::vector<std::string> values;
  for (const auto& [value, cases] : counts) values.push_back(value);
  return fmt::format("{}", fmt::join(values, ", "));
}

/// Returns a range of magnitudes as text, such as "1.2e-07 to 4.5, 0, NaN".
std::string magnitudes_text(const MagnitudeRange& reach) {
  std::vector<std::string> parts;
  if (reach.greatest > 0)
    parts.push_back(fmt::format("{} to {}", number_text(reach.least), number_text(reach.greatest)));
  if (reach.zero) parts.emplace_back("0");
  if (reach.infinity) parts.emplace_back("infinity");
  if (reach.not_a_number) parts.emplace_back("NaN");
  if (!reach.negative) parts.emplace_back("none negative");
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Returns the keys of a map in Coverage, united over all tiers. `member` points to the map. Each
/// key is returned once.
template <class Member>
auto collect_keys(const CoveredTiers& tiers, Member Coverage::*member) {
  std::set<typename Member::key_type> keys;
  for (const Coverage* const tier : tiers)
    if (tier != nullptr)
      for (const auto& entry : tier->*member) keys.insert(entry.first);
  return keys;
}

/// The coverage of one operation as a table. It has one column per tier, and one row per option,
/// extent, dtype or magnitude.
class OperationTable {
 public:
  OperationTable(const std::vector<std::string>& names, CoveredTiers tiers)
      : tiers_(std::move(tiers)), table_{"", support::report::text_columns({"of"})} {
    for (const std::string& name : names)
      table_.columns.push_back(support::report::text_columns({name})[0]);
  }

  support::report::Table make() {
    row("cases", [](const Coverage& c) { return std::to_string(c.cases); });
    row("dtype", [](const Coverage& c) { return counts_text(c.dtypes); });
    row("mode", [](const Coverage& c) { return counts_text(c.modes); });
    rows("option ", &Coverage::options, values_text);
    rows("", &Coverage::inputs, counts_text);
    rows("", &Coverage::extents,
         [](const auto& extents) { return fmt::format("{}", fmt::join(extents, ", ")); });
    for (const auto& key : collect_keys(tiers_, &Coverage::magnitudes))
      row(fmt::format("magnitude of {}, {}", key.first, ref::io::to_string(key.second)),
          [&](const Coverage& c) { return entry_text(c.magnitudes, key, magnitudes_text); });
    return std::move(table_);
  }

 private:
  template <class Map, class Key, class Text>
  static std::string entry_text(const Map& map, const Key& key, Text text) {
    const auto found = map.find(key);
    return found == map.end() ? "" : text(found->second);
  }

  void row(const std::string& of, const std::function<std::string(const Coverage&)>& text) {
    support::report::Row row{{{of}}};
    for (const Coverage* const tier : tiers_)
      row.cells.push_back({tier == nullptr ? "" : text(*tier)});
    table_.rows.push_back(std::move(row));
  }

  template <class Member, class Text>
  void rows(const char* prefix, Member Coverage::*member, Text text) {
    for (const std::string& name : collect_keys(tiers_, member))
      row(prefix + name, [&](const Coverage& c) { return entry_text(c.*member, name, text); });
  }

  CoveredTiers tiers_;
  support::report::Table table_;
};

/// Returns the coverage of each operation, united over all tiers.
std::map<std::string, Coverage> merge_tiers(const TierCoverage& tiers) {
  std::map<std::string, Coverage> all;
  for (const auto& [tier, operations] : tiers)
    for (const auto& [operation, coverage] : operations) all[operation] += coverage;
  return all;
}

support::report::Table uncovered_values_table(const std::map<std::string, Coverage>& operations) {
  support::report::Table table{"", support::report::text_columns({"not touched", "of", "why"})};
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> holes;
  for (const auto& [operation, coverage] : operations)
    for (const std::string& end :
         verification::golden::recipes::unreached_limits(operation, coverage))
      holes[{end,
             std::string(verification::golden::recipes::unreached_limit_reason(operation, end))}]
          .push_back(operation);
  for (const auto& [hole, of] : holes)
    table.rows.push_back({{{hole.first}, {fmt::format("{}", fmt::join(of, ", "))}, {hole.second}}});
  return table;
}

support::report::Document coverage_document(const TierCoverage& tiers) {
  support::report::Document document{"normproof: coverage"};
  std::vector<std::string> names;
  for (const auto& [tier, operations] : tiers) names.emplace_back(to_string(tier));
  const std::map<std::string, Coverage> all = merge_tiers(tiers);
  document.add(support::report::Heading{2, "What no case touches"});
  document.add(uncovered_values_table(all));
  for (const auto& [operation, coverage] : all) {
    CoveredTiers of;
    for (const auto& [tier, operations] : tiers) {
      const auto found = operations.find(operation);
      of.push_back(found == operations.end() ? nullptr : &found->second);
    }
    document.add(support::report::Heading{2, operation});
    document.add(OperationTable(names, of).make());
  }
  return document;
}

std::string coverage_heading(const TierCoverage& tiers) {
  constexpr const char* kText =
      R"(What the cases cover, operation by operation: the values of each option, and of an input that may be
absent whether it is given, with the number of cases in brackets where that is told; every extent;
of each tensor the least magnitude that is not 0 and the greatest that is finite, by dtype. In an
encoder the tensors of a name, such as all `gamma`, are one. `not touched`: an end of what the
specification allows (an option's least and greatest number in use, each of its names, each dtype,
extent 1 and one past 1024, numbers of features that models have), where no case is.

)";
  std::vector<std::string_view> names;
  for (const auto& [tier, operations] : tiers) names.push_back(to_string(tier));
  return fmt::format(
      "# Coverage\n\nWhat `normproof golden coverage --tier {} --markdown FILE` writes.\n\n{}",
      fmt::join(names, ","), kText);
}

nlohmann::ordered_json coverage_entry(const Coverage& coverage) {
  using nlohmann::ordered_json;
  const auto counts = [](const Counts& of) {
    ordered_json object = ordered_json::object();
    for (const auto& [value, cases] : of) object[value] = cases;
    return object;
  };
  ordered_json object = {{"cases", coverage.cases},
                         {"dtypes", counts(coverage.dtypes)},
                         {"modes", counts(coverage.modes)},
                         {"options", ordered_json::object()},
                         {"inputs", ordered_json::object()},
                         {"extents", ordered_json::object()},
                         {"magnitudes", ordered_json::array()}};
  for (const auto& [name, of] : coverage.options) object["options"][name] = counts(of);
  for (const auto& [name, of] : coverage.inputs) object["inputs"][name] = counts(of);
  for (const auto& [name, extents] : coverage.extents) object["extents"][name] = extents;
  for (const auto& [key, reach] : coverage.magnitudes) {
    ordered_json entry = {{"tensor", key.first},        {"dtype", ref::io::to_string(key.second)},
                          {"zero", reach.zero},         {"negative", reach.negative},
                          {"infinity", reach.infinity}, {"nan", reach.not_a_number}};
    if (reach.greatest > 0) {
      entry["least"] = reach.least;
      entry["greatest"] = reach.greatest;
    }
    object["magnitudes"].push_back(std::move(entry));
  }
  return object;
}

std::string coverage_json(const TierCoverage& tiers) {
  using nlohmann::ordered_json;
  ordered_json object = {{"tiers", ordered_json::object()}, {"not_touched", ordered_json::array()}};
  for (const auto& [tier, operations] : tiers)
    for (const auto& [operation, coverage] : operations)
      object["tiers"][std::string(to_string(tier))][operation] = coverage_entry(coverage);
  for (const auto& [operation, coverage] : merge_tiers(tiers))
    for (const std::string& end :
         verification::golden::recipes::unreached_limits(operation, coverage))
      object["not_touched"].push_back(
          {{"operation", operation},
           {"end", end},
           {"why", verification::golden::recipes::unreached_limit_reason(operation, end)}});
  return object.dump(1) + "\n";
}

}  // namespace

void GoldenCoverageCommand::add(CLI::App& app) {
  add_name_list_option(app, "--tier", tiers, verification::golden::corpus::parse_tier,
                       "quick (default), standard or full, or several of them separated by commas",
                       "TIER");
  add_golden_option(app, golden);
  reports.add(app);
  set_footer(
      app,
      R"(Without --golden the inputs of the tiers are generated, without expected values; with it they are
read. docs/generated/coverage.md is the report of the quick and the standard tier.

Examples:
  normproof golden coverage
  normproof golden coverage --tier quick,standard --markdown coverage.md)");
}

TierCoverage GoldenCoverageCommand::read_coverage() const {
  TierCoverage coverage;
  if (!golden) {
    for (const Tier tier : tiers)
      for (const Case& c : verification::golden::recipes::corpus(tier))
        coverage[tier][case_operation_name(c)].add(c);
    return coverage;
  }
  std::set<std::string> tiers_there;
  for (const auto& description : verification::golden::certify::list_corpus(*golden, {})) {
    tiers_there.emplace(to_string(description.c.tier));
    if (const Tier tier = description.c.tier; std::ranges::find(tiers, tier) != tiers.end())
      coverage[tier][case_operation_name(description.c)].add(
          verification::golden::certify::read_case(*golden, description).description.c);
  }
  for (const Tier tier : tiers)
    if (!coverage.contains(tier))
      throw ref::numeric::UsageError(
          fmt::format("{} has no case of tier {}; expected --tier {}, which it has",
                      golden->string(), to_string(tier), fmt::join(tiers_there, ",")));
  return coverage;
}

std::vector<NamedFile> GoldenCoverageCommand::inputs() const {
  return {{"--golden", golden}};
}

Output GoldenCoverageCommand::run() const {
  const TierCoverage coverage = read_coverage();
  const support::report::Document document = coverage_document(coverage);
  const std::string text = support::report::markdown(document);
  return {.document = document,
          .text = text,
          .json = [coverage] { return coverage_json(coverage); },
          .markdown = coverage_heading(coverage) + text};
}

}  // namespace normproof::verification::cli::golden
