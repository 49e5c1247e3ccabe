#include "verification/golden/reports/report_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "ref/numeric/nan_sign.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::golden::reports {

using gate::TensorResult;
using support::report::count_text;
using support::report::number_text;
using support::report::percent;
using support::report::plural;

namespace {

/// Returns an element of the output, or its exact value. A number of 16 bits has so few digits that
/// all of them are shown. Then it is plain whether the exact value lies between two such numbers.
std::string element_text(const TensorResult& t, double v) {
  constexpr std::size_t kNarrow = 2;  // bytes
  const double value = ref::numeric::remove_nan_signs(v);
  return t.item_size <= kNarrow ? fmt::format("{}", value) : fmt::format("{:.9g}", value);
}

}  // namespace

std::string failure_text(const TensorResult& t) {
  if (!t.problem.empty()) return fmt::format("{} {}", t.name, t.problem);
  std::string text = fmt::format(
      "{} at {}: got {}, exact {}, bound {:.3g} (ratio {}); {} of {} element{}", t.name, t.where,
      element_text(t, t.got), element_text(t, t.exact), t.bound, number_text(t.ratio),
      count_text(t.failed.size()), count_text(t.count), t.count == 1 ? "" : "s");
  const std::pair<const char*, double> metrics[] = {{"; max abs", t.max_absolute},
                                                    {", max rel", t.max_relative},
                                                    {", max ulp", t.max_ulp},
                                                    {", norm-wise", t.norm_wise}};
  for (const auto& [name, worst] : metrics)
    if (std::isfinite(worst) && worst > 0) text += fmt::format("{} {}", name, number_text(worst));
  if (t.unverified() > 0) text += fmt::format("; {} not judged", count_text(t.unverified()));
  if (std::isinf(t.input_sensitivity))
    text += "; one rounding of the inputs may move it by any amount";
  else if (t.input_sensitivity > 0)
    text += fmt::format("; one rounding of the inputs moves {}",
                        t.input_sensitivity < 1
                            ? percent(t.input_sensitivity) + " of the bound"
                            : number_text(t.input_sensitivity) + " times the bound");
  return text;
}

/// Returns the smallest condition number among the failed cases of each layer. A layer is included
/// only if all of its failed cases are ill-conditioned and a well-conditioned case passed.
std::map<std::string, double> min_condition_of_failures(const GoldenReport& report) {
  constexpr double kIllConditionedThreshold = 20;
  std::map<std::string, double> failed, passed;
  for (const CheckedCase& c : report.cases) {
    if (c.outcome == Outcome::declined) continue;
    const bool unanswered = std::ranges::all_of(
        c.result.tensors, [](const TensorResult& t) { return !t.problem.empty(); });
    if (unanswered) continue;
    const double condition = c.result.description.condition;
    auto& minima = c.outcome == Outcome::failed ? failed : passed;
    const auto [entry, fresh] =
        minima.emplace(corpus::case_operation_name(c.result.description.c), condition);
    if (!fresh) entry->second = std::min(entry->second, condition);
  }
  std::erase_if(failed, [&](const auto& entry) {
    return entry.second < kIllConditionedThreshold || !passed.contains(entry.first) ||
           passed[entry.first] >= kIllConditionedThreshold;
  });
  return failed;
}

std::vector<std::string> diagnosis_lines(const GoldenReport& report) {
  struct Agreement {
    std::size_t cases = 0, outputs = 0;
    auto operator<=>(const Agreement&) const = default;
  };
  std::map<std::string, std::map<std::string, Agreement>> agreeing;   // by layer and explanation
  std::map<std::string, std::map<std::string, std::size_t>> options;  // by layer and option
  std::map<std::string, std::size_t> failed;
  for (const CheckedCase& c : report.cases) {
    if (c.outcome != Outcome::failed) continue;
    const std::string layer = corpus::case_operation_name(c.result.description.c);
    ++failed[layer];
    for (const gate::Diagnosis& diagnosis : c.result.diagnosis) {
      if (diagnosis.kind == gate::Diagnosis::Kind::option) ++options[layer][diagnosis.what];
      if (diagnosis.kind != gate::Diagnosis::Kind::mistake) continue;
      Agreement& agreement = agreeing[layer][diagnosis.what];
      ++agreement.cases;
      agreement.outputs += diagnosis.outputs.size();
    }
  }
  std::vector<std::string> lines;
  for (const auto& [layer, condition] : min_condition_of_failures(report)) {
    if (agreeing.contains(layer)) continue;  // the wrong formula says more
    lines.push_back(
        fmt::format("{}: every failure is at a condition number of {} or more, as of one-pass "
                    "variance, E[x^2] - E[x]^2",
                    layer, number_text(condition)));
  }
  for (const auto& [layer, found] : agreeing) {
    const auto best =
        std::ranges::max_element(found, {}, [](const auto& entry) { return entry.second; });
    lines.push_back(fmt::format("{}: '{}' agrees with {} of {}", layer, best->first,
                                count_text(best->second.cases),
                                plural(failed[layer], "failed case")));
  }
  for (const auto& [layer, found] : options)
    for (const auto& [option, cases] : found)
      lines.push_back(fmt::format("{0}: with {3}, {1} of {2} would pass", layer, count_text(cases),
                                  plural(failed[layer], "failed case"), option));
  return lines;
}

std::vector<std::string> corpus_lines(const GoldenReport& report) {
  if (!report.corpus) return {};
  const certify::CorpusVersion built = certify::built_corpus_version();
  std::vector<std::string> lines = {fmt::format("corpus {}", report.corpus->text())};
  if (report.corpus->is_older_than(built))
    lines.push_back(
        fmt::format("the corpus is behind that of this program, {}: 'normproof golden make' makes "
                    "the newer one, docs/changelog.md says what is new",
                    built.text()));
  return lines;
}

std::vector<std::string> declined_lines(const GoldenReport& report) {
  struct Declined {
    std::size_t count = 0, of = 0;
    std::string first;  // e.g. "quick/sgd/odd: the device has no optimizers"
  };
  std::map<std::string, Declined> layers;
  for (const CheckedCase& c : report.cases) {
    Declined& layer = layers[corpus::case_operation_name(c.result.description.c)];
    ++layer.of;
    if (c.outcome != Outcome::declined || layer.count++ > 0) continue;
    layer.first = c.result.description.path;
    if (!c.result.problem.empty()) layer.first += ": " + c.result.problem;
  }
  std::vector<std::string> lines;
  for (const auto& [layer, declined] : layers)
    if (declined.count > 0)
      lines.push_back(fmt::format("{}: {} of {} declined: the candidate does not offer {}, {}{}",
                                  layer, count_text(declined.count), plural(declined.of, "case"),
                                  declined.count == 1 ? "it" : "them",
                                  declined.count == 1 ? "" : "such as ", declined.first));
  return lines;
}

std::vector<std::string> note_lines(const GoldenReport& report) {
  // The number of outputs and the description of the first one, by layer.
  std::map<std::string, std::pair<std::size_t, std::string>> layers;
  for (const CheckedCase& c : report.cases)
    for (const TensorResult& t : c.result.tensors) {
      if (t.note.empty()) continue;
      auto& [outputs, first] = layers[corpus::case_operation_name(c.result.description.c)];
      if (outputs++ == 0)
        first = fmt::format("{} of {} {}", t.name, c.result.description.path, t.note);
    }
  std::vector<std::string> lines;
  lines.reserve(layers.size());
  for (const auto& [layer, found] : layers)
    lines.push_back(
        fmt::format("{}: {} judged as stored, with more digits than the dtype of the case has: {}",
                    layer, plural(found.first, "output"), found.second));
  return lines;
}

std::vector<std::string> unasked_lines(const GoldenReport& report) {
  std::map<std::string, std::pair<std::size_t, std::string>> layers;
  for (const CheckedCase& c : report.cases)
    for (const TensorResult& t : c.result.tensors) {
      if (t.unasked == 0) continue;
      auto& [elements, first] = layers[corpus::case_operation_name(c.result.description.c)];
      if (elements == 0) first = fmt::format("{} of {}", t.name, c.result.description.path);
      elements += t.unasked;
    }
  std::vector<std::string> lines;
  lines.reserve(layers.size());
  for (const auto& [layer, found] : layers)
    lines.push_back(
        fmt::format("{}: {} not asked for, because zeros would be within the bounds of any correct "
                    "implementation: {}",
                    layer, plural(found.first, "element"), found.second));
  return lines;
}

}  // namespace normproof::verification::golden::reports
