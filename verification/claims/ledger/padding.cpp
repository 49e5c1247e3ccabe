#include <fmt/format.h>

#include <cmath>

#include "verification/claims/fixtures/backward_check.hpp"
#include "verification/claims/ledger/recursion.hpp"

// Claims C12 to C15: padded rows, and what group scaling bounds.
namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;

namespace {

constexpr auto kPaddedRowsText =
    "at least one valid and one padded row; any α, ε, start; no group scaling";

/// Returns the history with upstream gradients of zero in the padded rows.
History clear_gradients_at_padding(History h) {
  for (auto& g : h.grad_y)
    for (std::size_t i = 0; i < h.rows(); ++i)
      if (!h.is_valid(i)) g[i] = 0;
  return h;
}

/// Returns the history with different numbers in the padded rows of x.
History change_padding(History h) {
  for (auto& x : h.x)
    for (std::size_t i = 0; i < h.rows(); ++i)
      if (!h.is_valid(i)) x[i] = 5 * x[i] + 1;
  return h;
}

/// Runs the history with the released code. `pads_in_backward` says whether its backward includes
/// the padded rows.
std::vector<ChannelMoment> released(const TestedImplementation& subject, const History& h,
                                    bool pads_in_backward) {
  auto options = h.released();
  options.pads_in_backward = pads_in_backward;
  return run_history(make_channel(subject, options, h), h);
}
std::vector<ChannelMoment> paper(const TestedImplementation& subject, const History& h) {
  return run_history(make_channel(subject, h.paper(), h), h);
}

/// Judges whether grad_x is 0, up to rounding, in all padded rows.
Judgement judge_padding_gradient(const std::vector<ChannelMoment>& moments, const History& h) {
  Judgement judged = judge_condition(true);
  for (const ChannelMoment& m : moments)
    for (std::size_t i = 0; i < h.rows(); ++i)
      if (!h.is_valid(i)) judged = worse_judgement(judged, agree(m.grad_x[i], Bounded(0)));
  return judged;
}
Judgement judge_padding_gradient_exactly(const std::vector<ChannelMoment>& moments,
                                         const History& h) {
  for (const ChannelMoment& m : moments)
    for (std::size_t i = 0; i < h.rows(); ++i)
      if (!h.is_valid(i) && m.grad_x[i].value != 0) return judge_condition(false);
  return judge_condition(true);
}

Judgement same_bits(const ChannelMoment& a, const ChannelMoment& b) {
  return judge_condition(a.nu.value == b.nu.value && a.running_psi2.value == b.running_psi2.value);
}

Property<History> make_padding_property(std::function<Judgement(const History&)> judge,
                                        std::function<std::string(const History&)> describe,
                                        const std::string& meaning) {
  return {.cases = generate_histories({.padded = true}),
          .judge = std::move(judge),
          .describe = std::move(describe),
          .worst_meaning = meaning};
}

Claim claim_c12() {
  return {.id = "C12",
          .title = "released code: padded rows get no gradient",
          .statement = "∂L/∂y = 0 in the padded rows ⇒ grad_x = 0 there",
          .source = "released code; author's answer in its issue 11",
          .assumptions = kPaddedRowsText,
          .expected = Verdict::refuted,
          .dropped =
              "Γ, Λ and X̃′ over the valid rows alone: the released backward subtracts ν x̂ from "
              "every row",
          .check = [](const Run& run) {
            const auto describe = [&](const History& drawn) {
              const History h = clear_gradients_at_padding(drawn);
              std::vector<std::string> numbers;
              const ChannelMoment last = released(run.subject, h, true).back();
              for (const Bounded& v : last.grad_x) numbers.push_back(show(v.value));
              return fmt::format("{}: grad_x of the last step ({})", show(h),
                                 fmt::join(numbers, ", "));
            };
            const Evidence main =
                examine(run, make_padding_property(
                                 [&](const History& drawn) {
                                   const History h = clear_gradients_at_padding(drawn);
                                   return judge_padding_gradient(released(run.subject, h, true), h);
                                 },
                                 describe, kRounding));
            return refute_with_control(
                main,
                [&] {
                  return examine(
                      reduce_case_count(run),
                      make_padding_property(
                          [&](const History& drawn) {
                            const History h = clear_gradients_at_padding(drawn);
                            return worse_judgement(
                                judge_padding_gradient_exactly(paper(run.subject, h), h),
                                judge_padding_gradient_exactly(released(run.subject, h, false), h));
                          },
                          describe, "exact"));
                },
                "exactly 0 in power_norm, and as released with pads_in_backward = false");
          }};
}

Claim claim_c13() {
  return {
      .id = "C13",
      .title = "released code: ν does not depend on padded content",
      .statement =
          "two histories that differ in the padded rows of x alone leave the same "
          "ema_gz",
      .source = "released code; author's answer in its issue 11",
      .assumptions = kPaddedRowsText,
      .expected = Verdict::refuted,
      .dropped = "Γ and Λ over the valid rows alone: the released code averages over all rows",
      .check = [](const Run& run) {
        const auto describe = [&](const History& h) {
          return fmt::format("{}: ema_gz = {}; with 5 x + 1 in the padded rows: {}", show(h),
                             show(released(run.subject, h, true).back().nu.value),
                             show(released(run.subject, change_padding(h), true).back().nu.value));
        };
        const Evidence main = examine(
            run, make_padding_property(
                     [&](const History& h) {
                       return agree(released(run.subject, h, true).back().nu,
                                    released(run.subject, change_padding(h), true).back().nu);
                     },
                     describe, kRounding));
        return refute_with_control(
            main,
            [&] {
              return examine(
                  reduce_case_count(run),
                  make_padding_property(
                      [&](const History& h) {
                        const History other = change_padding(h);
                        const auto psi2 = [&](const History& history) {
                          return released(run.subject, history, true).back().running_psi2.value;
                        };
                        const Judgement judged =
                            worse_judgement(same_bits(paper(run.subject, h).back(),
                                                      paper(run.subject, other).back()),
                                            same_bits(released(run.subject, h, false).back(),
                                                      released(run.subject, other, false).back()));
                        return worse_judgement(judged, judge_condition(psi2(h) == psi2(other)));
                      },
                      describe, "exact"));
            },
            "the same bits of ν in power_norm and as released with pads_in_backward = false, "
            "and of ψ² everywhere");
      }};
}

/// The mean and the biased variance of one column over the listed rows, as the implementation
/// computes them, with error bounds.
struct Variance {
  Bounded mean, variance;
};
Variance compute_variance(const std::vector<Bounded>& x, const NormStep<oracle50>& step,
                          std::size_t column) {
  Variance result;
  std::vector<Bounded> squares;
  squares.reserve(x.size());
  result.mean = mean(x);
  for (const Bounded& v : x) squares.push_back((v - result.mean) * (v - result.mean));
  result.variance = mean(squares);
  result.mean.value = step.outputs.at("mean").data()[column];
  result.variance.value = step.outputs.at("biased_variance").data()[column];
  return result;
}

/// Two versions of a column's statistics that should be equal. The first one uses the mask, so that
/// only valid rows count. The second one uses all rows, after each padded row was replaced by the
/// mean of the valid rows.
struct ComparedVariances {
  Variance masked, filled;
};
std::vector<ComparedVariances> fill(const TestedImplementation& subject, const Batch& b) {
  const NormOptions options =
      ref::model::BatchNormOptions{.eps = b.eps, .unbiased_running_variance = false};
  NormInputs<oracle50> inputs = b.inputs<oracle50>();
  const auto masked = subject.step<oracle50>(options, inputs);
  for (std::size_t i = 0; i < b.rows; ++i)
    for (std::size_t j = 0; j < b.features; ++j)
      if (!b.is_valid(i)) inputs.x(i, j) = masked.outputs.at("mean").data()[j];
  inputs.valid = ref::tensor::Mask();
  const auto filled = subject.step<oracle50>(options, inputs);

  std::vector<ComparedVariances> result;
  for (std::size_t j = 0; j < b.features; ++j) {
    std::vector<Bounded> valid, all;
    for (std::size_t i = 0; i < b.rows; ++i)
      if (b.is_valid(i)) valid.emplace_back(b.x_at(i, j));
    ComparedVariances column;
    column.masked = compute_variance(valid, masked, j);
    for (std::size_t i = 0; i < b.rows; ++i)
      all.push_back(b.is_valid(i) ? Bounded(b.x_at(i, j)) : column.masked.mean);
    column.filled = compute_variance(all, filled, j);
    result.push_back(column);
  }
  return result;
}

Claim claim_c14() {
  return {
      .id = "C14",
      .title = "pads filled with the mean shrink the variance",
      .statement =
          "padded rows overwritten by the valid mean, then BatchNorm over all rows: the "
          "mean is exact, the variance (1 − p) σ_V², p = share of padded rows",
      .source = "the BatchNorm baseline of the released code; derived: docs/derivations/norms.md",
      .assumptions = "at least one valid row; offsets up to 2²⁶ σ",
      .expected = Verdict::holds,
      .check = [](const Run& run) {
        const auto share = [](const Batch& b) {
          return Bounded(static_cast<double>(b.valid_rows())) /
                 Bounded(static_cast<double>(b.rows));
        };
        const auto describe = [&](const Batch& b) {
          const ComparedVariances f = fill(run.subject, b).front();
          return fmt::format("{}: mean {}, σ_V² = {}; after filling mean {}, variance {}", show(b),
                             show(f.masked.mean.value), show(f.masked.variance.value),
                             show(f.filled.mean.value), show(f.filled.variance.value));
        };
        const BatchKind kind{.max_features = 2, .affine = false, .masked = true};
        const auto property = [&](std::function<Judgement(const Batch&)> judge) {
          return Property<Batch>{.cases = batches(kind),
                                 .judge = std::move(judge),
                                 .describe = describe,
                                 .worst_meaning = kRounding};
        };
        Evidence main =
            examine(run, property([&](const Batch& b) {
                      Judgement judged = judge_condition(true);
                      for (const ComparedVariances& f : fill(run.subject, b)) {
                        judged = worse_judgement(judged, agree(f.filled.mean, f.masked.mean));
                        judged = worse_judgement(
                            judged, agree(f.filled.variance, share(b) * f.masked.variance));
                      }
                      return judged;
                    }));
        const Evidence equal = examine(reduce_case_count(run), property([&](const Batch& b) {
                                         Judgement judged = judge_condition(true);
                                         for (const ComparedVariances& f : fill(run.subject, b))
                                           judged = worse_judgement(
                                               judged, agree(f.filled.variance, f.masked.variance));
                                         return judged;
                                       }));
        if (equal.violations == 0) {
          main.observed = Verdict::refuted;
          main.counterexample = "the filled variance is the masked one in every case";
        }
        return add_remark(main, fmt::format("σ_V² itself is missed in {} of {}, e.g. {}",
                                            equal.violations, equal.cases, equal.counterexample));
      }};
}

struct ScaledToken {
  std::vector<Bounded> y;  ///< of one group of one token
  Bounded mean_square;
};
ScaledToken scale_group(const Batch& b, const NormStep<oracle50>& step, std::size_t token,
                        std::size_t first, std::size_t count) {
  ScaledToken result;
  std::vector<Bounded> squares;
  for (std::size_t j = first; j < first + count; ++j)
    squares.push_back(Bounded(b.x_at(token, j)) * Bounded(b.x_at(token, j)));
  result.mean_square = mean(squares);
  const Bounded rstd = Bounded(1) / sqrt(result.mean_square + Bounded(b.eps));
  for (std::size_t j = first; j < first + count; ++j) {
    result.y.push_back(Bounded(b.x_at(token, j)) * rstd);
    result.y.back().value = step.outputs.at("y").data()[token * b.features + j];
  }
  return result;
}

Judgement judge_bounded_group(const TestedImplementation& subject, const Batch& b) {
  const std::size_t groups = group_count(b), count = b.features / groups;
  const auto step = subject.step<oracle50>(
      ref::model::GroupScalingOptions{.eps = b.eps, .groups = static_cast<std::int64_t>(groups)},
      b.inputs<oracle50>());
  const Bounded size(static_cast<double>(count)), rows(static_cast<double>(b.rows));
  Judgement judged = judge_condition(true);
  for (std::size_t group = 0; group < groups; ++group) {
    std::vector<Bounded> squares, shares;
    for (std::size_t i = 0; i < b.rows; ++i) {
      const ScaledToken token = scale_group(b, step, i, group * count, count);
      shares.push_back(token.mean_square / (token.mean_square + Bounded(b.eps)));
      for (const Bounded& y : token.y) {
        squares.push_back(y * y);
        judged = worse_judgement(judged, at_most(magnitude(y), sqrt(size)));
      }
    }
    const Bounded total = sum(squares) / rows;  // sum over the group's channels of psi_B^2
    judged = worse_judgement(judged, agree(total, size * mean(shares)));
    judged = worse_judgement(judged, at_most(total, size));
  }
  return judged;
}

Claim claim_c15() {
  return {.id = "C15",
          .title = "what group scaling bounds",
          .statement =
              "after group scaling |x_ic| ≤ √C_g, and over the channels of a group "
              "Σ_c ψ_B,c² = C_g mean_i(m_i/(m_i + ε)) ≤ C_g, m_i the group's mean square",
          .source = "derived: docs/derivations/norms.md; [CPV+19] layer scaling",
          .assumptions = "ε > 0; C_g channels a group",
          .expected = Verdict::holds,
          .check = [](const Run& run) {
            return examine(
                run,
                Property<Batch>{
                    .cases = batches({.max_rows = 5, .max_features = 6, .affine = false}),
                    .judge = [&](const Batch& b) { return judge_bounded_group(run.subject, b); },
                    .describe =
                        [&](const Batch& b) {
                          const auto groups = static_cast<std::int64_t>(group_count(b));
                          const auto step = run.subject.step<double>(
                              ref::model::GroupScalingOptions{.eps = b.eps, .groups = groups},
                              b.inputs<double>());
                          const auto& y = step.outputs.at("y");
                          return fmt::format("{}, {} groups: scaled to {}", show(b), groups,
                                             show(std::vector<double>(y.begin(), y.end())));
                        },
                    .worst_meaning = "|x|/√C_g, Σψ²/C_g, and roundings over their bound"});
          }};
}

}  // namespace

std::vector<Claim> padding_claims() {
  return {claim_c12(), claim_c13(), claim_c14(), claim_c15()};
}

}  // namespace normproof::verification::claims::ledger
