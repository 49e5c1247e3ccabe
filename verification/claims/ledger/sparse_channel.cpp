#include "verification/claims/ledger/sparse_channel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "verification/claims/fixtures/plain_channel.hpp"
#include "verification/claims/ledger/boundedness.hpp"

// Claim D13: a channel that is rarely active.
namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;

std::vector<double> nu_series(double alpha, std::size_t K, std::size_t periods,
                              const TestedImplementation& subject) {
  Draw draw(rc::Random(13));
  PlainChannel channel(subject, ref::model::PowerNormOptions{
                                    .eps = 1e-5, .alpha_forward = alpha, .alpha_backward = alpha});
  std::vector<double> series;
  for (std::size_t t = 0; t < periods * K; ++t) {
    std::vector<double> x(8, 0), g(8);
    if (t % K == 0)
      for (double& v : x) v = draw.sign();
    for (double& v : g) v = draw.sign();
    series.push_back(std::fabs(channel.step(x, g).nu));
  }
  return series;
}

bool diverges(double alpha, std::size_t K) {
  using ref::numeric::rational;
  const rational exact(alpha);
  rational power = 1;
  for (std::size_t k = 1; k < K; ++k) power *= exact;
  return power * (2 + exact) < 1;
}

namespace {

struct SparseChannel {
  double alpha = 0.5;
  std::size_t K = 2;
};

rc::Gen<SparseChannel> generate_sparse_channels() {
  return make_shrinking_generator<SparseChannel>(
      [](Draw& draw) {
        SparseChannel s;
        s.alpha = draw.chance(0.3) ? 0.9 : draw.uniform(0.2, 0.94);
        std::size_t least = 1;  // the smallest K that diverges
        while (!diverges(s.alpha, least)) ++least;
        s.K = draw.between(least > 4 ? least - 3 : 1, least + 2);
        return s;
      },
      [](const SparseChannel& s) {
        std::vector<SparseChannel> result;
        if (s.alpha != 0.5) result.push_back({0.5, s.K});
        if (s.alpha != 0.5 && s.alpha != 0.9) result.push_back({0.9, s.K});
        if (s.K > 1) result.push_back({s.alpha, s.K - 1});
        return result;
      });
}

/// One period of a channel in its steady state, with eps = 0. The period has K batches. In the
/// first batch, |x| = |g| = 1. In all other batches, x = 0.
struct Period {
  Bounded start_psi2;     ///< (1 - alpha) alpha^(K-1) / (1 - alpha^K)
  Bounded psi2;           ///< after the period
  Bounded amplification;  ///< the growth factor of a difference in nu per period
  Bounded predicted;      ///< 1 - theta = 1 + alpha - alpha^-(K-1)
};

Period period(const TestedImplementation& subject, const SparseChannel& s) {
  const Bounded alpha(s.alpha);
  Bounded power = 1;
  for (std::size_t k = 1; k < s.K; ++k) power *= alpha;
  Period result;
  result.predicted = Bounded(1) + alpha - Bounded(1) / power;
  result.start_psi2 = (Bounded(1) - alpha) * power / (Bounded(1) - power * alpha);
  Bounded nu[2];
  for (const int start : {0, 1}) {
    PowerNormChannel channel(subject,
                             ref::model::PowerNormOptions{
                                 .eps = 0, .alpha_forward = s.alpha, .alpha_backward = s.alpha});
    channel.set_running_psi2(result.start_psi2);
    channel.set_nu(Bounded(start));
    for (std::size_t t = 0; t < s.K; ++t) channel.step({t == 0 ? 1 : 0}, {1});
    nu[start] = channel.nu();
    result.psi2 = channel.running_psi2();
  }
  result.amplification = nu[1] - nu[0];
  return result;
}

std::string describe_hundred_periods(const Run& run) {
  std::string text = "100 periods from ψ² = 1, ν = 0 with ε = 1e-5 at α = 0.9, max |ν|";
  for (const std::size_t K : {10u, 11u, 12u, 14u}) {
    const auto series = nu_series(0.9, K, 100, run.subject);
    text += fmt::format(", K = {}: {:.2g}", K, *std::max_element(series.begin(), series.end()));
  }
  text += "; the least K that diverges:";
  for (const double alpha : {0.9, 0.99}) {
    std::size_t least = 1;
    while (!diverges(alpha, least)) ++least;
    text += fmt::format(" {} at α = {}{}", least, alpha, alpha == 0.9 ? "," : "");
  }
  return text;
}

Claim claim_d13() {
  return {
      .id = "D13",
      .title = "bounded data keep ν bounded",
      .statement =
          "|x| ≤ 1 and |g| ≤ 1 ⇒ ν stays bounded: from one activation of a channel to the "
          "next its error is not amplified",
      .source = kBoundedGradients,
      .assumptions =
          "a channel that is active once every K batches, ε = 0, steady state; α from 0.2 "
          "to 0.94, K about 1 + ln(2 + α)/ln(1/α)",
      .expected = Verdict::refuted,
      .dropped = "θ < 2: here θ = α^−(K−1) − α, above 2 if and only if K > 1 + ln(2 + α)/ln(1/α)",
      .check = [](const Run& run) {
        const auto describe = [&](const SparseChannel& s) {
          const Period p = period(run.subject, s);
          return fmt::format(
              "alpha = {}, active once every K = {} batches: theta = {}, nu is "
              "multiplied by {} from one activation to the next",
              s.alpha, s.K, show(oracle50(1 - p.predicted.value)), show(p.amplification.value));
        };
        const auto about = [&](std::function<Judgement(const SparseChannel&)> judge,
                               const std::string& meaning) {
          return Property<SparseChannel>{.cases = generate_sparse_channels(),
                                         .judge = std::move(judge),
                                         .describe = describe,
                                         .worst_meaning = meaning};
        };
        const Evidence main = examine(
            run, about(
                     [&](const SparseChannel& s) {
                       return at_most(magnitude(period(run.subject, s).amplification), Bounded(1));
                     },
                     "|amplification over one period|"));
        return add_remark(refute_with_control(
                              main,
                              [&] {
                                return examine(
                                    reduce_case_count(run),
                                    about(
                                        [&](const SparseChannel& s) {
                                          const Period p = period(run.subject, s);
                                          const bool amplified = abs(p.amplification.value) > 1;
                                          return worse_judgement(
                                              worse_judgement(agree(p.amplification, p.predicted),
                                                              agree(p.psi2, p.start_psi2)),
                                              judge_condition(amplified == diverges(s.alpha, s.K)));
                                        },
                                        "|difference| / what rounding at 50 digits may do"));
                              },
                              "it is exactly 1 − θ, and |1 − θ| > 1 just where α^(K−1)(2 + α) < 1"),
                          describe_hundred_periods(run));
      }};
}

}  // namespace

std::vector<Claim> sparse_channel_claims() {
  return {claim_d13()};
}

}  // namespace normproof::verification::claims::ledger
