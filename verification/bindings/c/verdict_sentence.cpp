#include "verification/bindings/c/verdict_sentence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "ref/numeric/nan_sign.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::bindings::c {

using golden::gate::CaseResult;
using golden::gate::TensorResult;
using ref::numeric::remove_nan_signs;
using support::report::count_text;

namespace {

std::string element_text(const TensorResult& t) {
  return fmt::format("{} at {}: got {:.9g}, exact {:.9g}, bound {:.3g} (ratio {:.3g})", t.name,
                     t.where, remove_nan_signs(t.got), remove_nan_signs(t.exact), t.bound, t.ratio);
}

}  // namespace

double largest_ratio(const CaseResult& result) {
  double ratio = 0;
  bool compared = result.problem.empty() && !result.declined;
  for (const TensorResult& t : result.tensors) {
    compared = compared && t.problem.empty();
    ratio = std::max(ratio, t.ratio);
  }
  return compared ? ratio : std::numeric_limits<double>::infinity();
}

std::string verdict_sentence(const CaseResult& result) {
  if (result.declined)
    return fmt::format("declined{}{}", result.problem.empty() ? "" : ": ", result.problem);
  if (result.passed()) {
    const auto worst = std::ranges::max_element(result.tensors, {}, &TensorResult::ratio);
    return worst->where.empty() ? "passed" : fmt::format("passed; {}", element_text(*worst));
  }
  std::string text = result.problem;
  const auto add = [&text](const std::string& part) {
    text += fmt::format("{}{}", text.empty() ? "" : "; ", part);
  };
  for (const TensorResult& t : result.tensors) {
    if (t.passed()) continue;
    if (t.problem.empty())
      add(fmt::format("{}, {} of {} elements", element_text(t), count_text(t.failed.size()),
                      count_text(t.count)));
    else
      add(fmt::format("{} {}", t.name, t.problem));
  }
  for (const golden::gate::Diagnosis& diagnosis : result.diagnosis) add(diagnosis.sentence());
  return text;
}

}  // namespace normproof::verification::bindings::c
