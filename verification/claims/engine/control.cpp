#include "verification/claims/engine/control.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace normproof::verification::claims::engine {

namespace {

// Returns a text such as "what: 250 of 250 hold, worst 0.31 (detail)".
std::string summary(const Evidence& evidence, const std::string& what) {
  std::string text =
      fmt::format("{}: {} of {} hold", what, evidence.cases - evidence.violations, evidence.cases);
  if (evidence.worst > 0) text += fmt::format(", worst {:.3g}", evidence.worst);
  if (!evidence.detail.empty()) text += " (" + evidence.detail + ")";
  return text;
}

}  // namespace

Run reduce_case_count(const Run& run) {
  Run result = run;
  result.cases = std::max<std::size_t>(25, run.cases / 4);
  return result;
}

Evidence combine_parts(Evidence main, const Evidence& part, const std::string& what) {
  if (part.observed == Verdict::refuted && main.observed == Verdict::holds) {
    main.observed = Verdict::refuted;
    main.violations = part.violations;
    main.counterexample = what + ": " + part.counterexample;
  }
  if (!(part.worst <= main.worst)) main.worst = part.worst;
  return add_remark(std::move(main), summary(part, what));
}

Evidence refute_with_control(Evidence main, const std::function<Evidence()>& control,
                             const std::string& what) {
  if (main.observed != Verdict::refuted) return main;
  const Evidence restored = control();
  if (restored.observed == Verdict::refuted)
    ref::numeric::contract_failure("refuted_beside", what,
                                   fmt::format("is violated in {} of {}: {}", restored.violations,
                                               restored.cases, restored.counterexample),
                                   "a control that holds");
  return add_remark(std::move(main), summary(restored, what));
}

Evidence refute_every_constant(Evidence evidence) {
  const std::size_t kept = evidence.cases - evidence.violations;
  if (evidence.observed == Verdict::holds) return evidence;
  if (kept == 0) return add_remark(std::move(evidence), "refuted for every constant drawn");
  evidence.observed = Verdict::holds;
  evidence.counterexample.clear();
  const std::string remark =
      fmt::format("{} of {} constants drawn are not refuted", kept, evidence.cases);
  return add_remark(std::move(evidence), remark);
}

Evidence add_remark(Evidence evidence, const std::string& remark) {
  if (!evidence.detail.empty()) evidence.detail += "; ";
  evidence.detail += remark;
  return evidence;
}

}  // namespace normproof::verification::claims::engine
