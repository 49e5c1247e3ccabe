#include "verification/claims/engine/sample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "verification/claims/engine/control.hpp"

namespace normproof::verification::claims::engine {

Evidence sample_evidence(const Run& run, std::size_t draws, const std::vector<SampledMean>& means) {
  Evidence evidence;
  evidence.observed = Verdict::holds;
  evidence.cases = draws;
  evidence.worst_meaning = "distance of a mean from its expectation / what chance may take it off";
  evidence.seed = run.seed;
  for (const SampledMean& m : means) {
    const Judgement judged =
        within(std::fabs(m.mean - (m.least + m.most) / 2), (m.most - m.least) / 2 + m.allowance);
    evidence.worst = std::max(evidence.worst, judged.attained);
    const std::string text = fmt::format("{} = {:.4g}, in [{:.4g}, {:.4g}] ± {:.2g}", m.what,
                                         m.mean, m.least, m.most, m.allowance);
    evidence = add_remark(evidence, text);
    if (judged.outcome == Judgement::Outcome::held) continue;
    if (++evidence.violations == 1) evidence.counterexample = text;
    evidence.observed = Verdict::refuted;
  }
  return evidence;
}

}  // namespace normproof::verification::claims::engine
