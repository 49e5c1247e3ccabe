#include "verification/studies/published/rate_statements.hpp"

#include <fmt/ranges.h>

#include <vector>

namespace normproof::verification::studies::published {

namespace {

using Decision = std::optional<bool>;

constexpr const char* kNotRun = "not run";

Column table_column(const RatesRun& run, const TableShape& shape, const std::string& norm) {
  return [&run, shape, norm](const std::string& rate) { return run.converges(shape, norm, rate); };
}

/// Returns the logical "and" of two decisions. It is false if a decision is false, and true if both
/// are true. In all other cases a decision is still unknown, and the result is nothing.
Decision logical_and(const Decision& a, const Decision& b) {
  if (a == false || b == false) return false;
  return a && b ? Decision(true) : std::nullopt;
}

bool has_results(const Column& column) {
  return highest_rate_text(column) != kNotRun;
}

/// Lists the decided parts, followed by the undecided ones: "..., ...; not decided: tables 3, 5".
std::string join_decisions(const std::vector<std::string>& decided, const char* of,
                           const std::vector<std::size_t>& undecided) {
  std::string text = fmt::format("{}", fmt::join(decided, ", "));
  if (!undecided.empty())
    text += fmt::format("; not decided: {}{} {}", of, undecided.size() == 1 ? "" : "s",
                        fmt::join(undecided, ", "));
  return text;
}

}  // namespace

std::string highest_rate_text(const Column& column) {
  std::size_t answers = 0;
  for (const std::string& rate : study_rates()) {
    const auto converged = column(rate);
    if (!converged) continue;
    if (*converged) return rate;
    ++answers;
  }
  if (answers == 0) return kNotRun;
  return answers == study_rates().size() ? "no rate" : "no rate of those run";
}

std::optional<std::strong_ordering> compare_highest(const Column& left, const Column& right,
                                                    const std::set<std::string>& run) {
  bool whole = true;  // whether `run` contained all rates so far
  for (const std::string& rate : study_rates()) {
    if (!run.contains(rate)) {
      whole = false;
      continue;
    }
    const auto of_left = left(rate), of_right = right(rate);
    if (!of_left || !of_right) return std::nullopt;
    if (*of_left != *of_right)
      return *of_left ? std::strong_ordering::greater : std::strong_ordering::less;
    if (*of_left) break;
  }
  return whole ? std::optional(std::strong_ordering::equal) : std::nullopt;
}

RateDecision converges_at_higher_rates(const RatesRun& run, const std::string& norm,
                                       const std::string& other) {
  std::vector<std::string> decided;
  std::vector<std::size_t> undecided;
  bool never_lower = true, once_higher = false, begun = false;
  for (const TableShape& shape : table_shapes()) {
    const Column own = table_column(run, shape, norm), others = table_column(run, shape, other);
    const auto order = compare_highest(own, others, run.rates);
    if (!order) {
      undecided.push_back(shape.number);
      begun = begun || has_results(own) || has_results(others);
      continue;
    }
    decided.push_back(fmt::format("table {}: {} against {}", shape.number, highest_rate_text(own),
                                  highest_rate_text(others)));
    never_lower = never_lower && *order >= 0;
    once_higher = once_higher || *order > 0;
  }
  // The decision can still change: an unfinished table may show a lower rate. If all rates are
  // equal so far, a missing table may show a higher rate.
  const bool open = never_lower && (begun || (!once_higher && !undecided.empty()));
  if (decided.empty() || open) return {};
  return {join_decisions(decided, "table", undecided), never_lower && once_higher};
}

RateDecision deep_needs_lower_rates(const RatesRun& run) {
  std::vector<std::string> decided;
  std::vector<std::size_t> undecided;
  bool holds = true, begun = false;
  const auto lower = [&](const Column& a, const Column& b) -> Decision {
    const auto order = compare_highest(a, b, run.rates);
    return order ? Decision(*order < 0) : std::nullopt;
  };
  for (std::size_t width = 0; width < 3; ++width) {
    const TableShape &shallow = table_shapes()[width], &deep = table_shapes()[width + 3];
    const Column none = table_column(run, deep, "none"),
                 shallow_none = table_column(run, shallow, "none");
    const Column layer_norm = table_column(run, deep, "layer_norm");
    const Decision here = logical_and(lower(none, layer_norm), lower(none, shallow_none));
    if (!here) {
      undecided.push_back(deep.d_ff);
      begun = begun || has_results(none) || has_results(layer_norm);
      continue;
    }
    decided.push_back(fmt::format(
        "width {}: without norm {} at 5 layers, {} at 1; layer_norm {} at 5", deep.d_ff,
        highest_rate_text(none), highest_rate_text(shallow_none), highest_rate_text(layer_norm)));
    holds = holds && *here;
  }
  if (decided.empty() || (holds && begun)) return {};
  return {join_decisions(decided, "width", undecided), holds};
}

}  // namespace normproof::verification::studies::published
