#include <fmt/format.h>

#include <algorithm>

#include "verification/claims/ledger/recursion.hpp"

// Claims C3, C9, C10 and C11: properties that PowerNorm's backward has or lacks.
namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;

namespace {

constexpr auto kAnyHistoryText =
    "any α, ε, and ψ² and ν at the start; no padding, no group scaling, W = 0";

std::vector<Bounded> scaled(const std::vector<Bounded>& values, const Bounded& factor) {
  std::vector<Bounded> result;
  result.reserve(values.size());
  for (const Bounded& v : values) result.push_back(v * factor);
  return result;
}

/// The results of every step, computed by the released code and by the paper's layer.
struct BothBackwards {
  std::vector<ChannelMoment> released, paper;
};
BothBackwards run_both_layers(const TestedImplementation& subject, const History& h,
                              bool divide_by_batch_psi) {
  auto options = h.released();
  options.divide_by_batch_psi = divide_by_batch_psi;
  return {run_history(make_channel(subject, options, h), h),
          run_history(paper_channel(subject, h), h)};
}

Judgement judge_equal_gradients(const BothBackwards& s) {
  Judgement judged = judge_condition(true);
  for (std::size_t t = 0; t < s.paper.size(); ++t)
    judged = worse_judgement(judged, agree(s.released[t].grad_x, s.paper[t].grad_x));
  return judged;
}

/// Judges whether the two gradients have this exact relation: `grad_released * sqrt(psi_B^2 + eps)
/// = grad_paper * sqrt(psi_(t-1)^2 + eps)`. psi_B^2 is the quadratic mean of the batch, and
/// psi_(t-1)^2 is the running quadratic mean before the step.
Judgement judge_exact_ratio(const BothBackwards& s, const History& h) {
  Judgement judged = judge_condition(true);
  Bounded old = h.psi2;
  for (std::size_t t = 0; t < s.paper.size(); ++t) {
    const Bounded batch = sqrt(s.released[t].quadratic_mean + Bounded(h.eps));
    const Bounded running = sqrt(old + Bounded(h.eps));
    judged = worse_judgement(
        judged, agree(scaled(s.released[t].grad_x, batch), scaled(s.paper[t].grad_x, running)));
    old = s.paper[t].running_psi2;
  }
  return judged;
}

std::string show_gradients(const History& h, const BothBackwards& s) {
  std::string text = show(h) + ": grad_x of the last step ";
  for (const auto* side : {&s.released, &s.paper}) {
    std::vector<std::string> numbers;
    for (const Bounded& v : side->back().grad_x) numbers.push_back(show(v.value));
    text += fmt::format("{}({})", side == &s.released ? "released " : ", paper ",
                        fmt::join(numbers, ", "));
  }
  return text;
}

/// Returns a text with the range of |grad_x released| / |grad_x paper| over 400 random batches of
/// moderate size.
std::string describe_ratio_range(const Run& run) {
  Draw draw(make_case_random(run, 0));
  History h;
  h.alpha_forward = h.alpha_backward = 0.9;
  h.eps = 1e-5;
  for (int t = 0; t < 400; ++t) {
    const double scale = draw.uniform(0.4, 2);
    std::vector<double> x, g;
    for (int i = 0; i < 4; ++i) {
      x.push_back(scale * draw.normal());
      g.push_back(draw.normal());
    }
    h.x.push_back(x);
    h.grad_y.push_back(g);
  }
  const BothBackwards s = run_both_layers(run.subject, h, true);
  double least = 1, most = 1;
  for (std::size_t t = 0; t < h.steps(); ++t) {
    const double ratio = static_cast<double>(
        oracle50(s.released[t].grad_x.front().value / s.paper[t].grad_x.front().value));
    least = std::min(least, ratio);
    most = std::max(most, ratio);
  }
  return fmt::format(
      "over 400 batches of scale 0.4 to 2 the ratio of the two gradients runs from "
      "{:.2f} to {:.2f}",
      least, most);
}

Claim claim_c3() {
  return {.id = "C3",
          .title = "the released gradient is the paper's",
          .statement = "grad_x of the released code = X̃′/√(ψ_{t−1}² + ε), the paper's",
          .source = "released code against [SYG+20] Algorithm 2, line 7",
          .assumptions = kAnyHistoryText,
          .expected = Verdict::refuted,
          .dropped =
              "the backward divides by the ψ that produced x̂: the released code divides by the "
              "batch's √(ψ_B² + ε)",
          .check = [](const Run& run) {
            const auto judge_with = [&](bool divide, bool ratio) {
              return [&, divide, ratio](const History& h) {
                const BothBackwards s = run_both_layers(run.subject, h, divide);
                return ratio ? judge_exact_ratio(s, h) : judge_equal_gradients(s);
              };
            };
            const auto describe = [&](const History& h) {
              return show_gradients(h, run_both_layers(run.subject, h, true));
            };
            const HistoryKind kind;
            Evidence main = examine(run, Property<History>{.cases = generate_histories(kind),
                                                           .judge = judge_with(true, false),
                                                           .describe = describe,
                                                           .worst_meaning = kRounding});
            main = refute_with_control(
                main,
                [&] {
                  return examine(reduce_case_count(run),
                                 Property<History>{.cases = generate_histories(kind),
                                                   .judge = judge_with(true, true),
                                                   .describe = describe,
                                                   .worst_meaning = kRounding});
                },
                "the ratio is exactly √((ψ_{t−1}² + ε)/(ψ_B² + ε))");
            main = refute_with_control(
                main,
                [&] {
                  return examine(reduce_case_count(run),
                                 Property<History>{.cases = generate_histories(kind),
                                                   .judge = judge_with(false, false),
                                                   .describe = describe,
                                                   .worst_meaning = kRounding});
                },
                "equal with divide_by_batch_psi = false");
            return add_remark(main, describe_ratio_range(run));
          }};
}

/// Returns the history with an upstream gradient of zero in its last step.
History clear_last_gradient(History h) {
  std::fill(h.grad_y.back().begin(), h.grad_y.back().end(), 0.0);
  return h;
}

Claim claim_c9() {
  return {
      .id = "C9",
      .title = "no gradient from above, none below",
      .statement = "∂L/∂y = 0 ⇒ grad_x = 0, as for every Jacobian",
      .source = "derived: docs/derivations/norms.md; [SYG+20] Algorithm 2, lines 6 and 7",
      .assumptions = kAnyHistoryText,
      .expected = Verdict::refuted,
      .dropped = "ν_{t−1} = 0: the backward is affine in ∂L/∂y, grad_x = (g − ν x̂)/ψ, not linear",
      .check = [](const Run& run) {
        const auto last = [&](const History& h) {
          return run_history(make_channel(run.subject, h.paper(), h), h).back();
        };
        const auto describe = [&](const History& h) {
          const ChannelMoment m = last(clear_last_gradient(h));
          return fmt::format("{}: grad_x of the last step begins with {}",
                             show(clear_last_gradient(h)), show(m.grad_x.front().value));
        };
        Evidence main = examine(
            run, Property<History>{.cases = generate_histories({}),
                                   .judge =
                                       [&](const History& h) {
                                         const ChannelMoment m = last(clear_last_gradient(h));
                                         return agree(m.grad_x,
                                                      std::vector<Bounded>(h.rows(), Bounded(0)));
                                       },
                                   .describe = describe,
                                   .worst_meaning = kRounding});
        main = refute_with_control(
            main,
            [&] {
              return examine(reduce_case_count(run),
                             Property<History>{
                                 .cases = generate_histories({}),
                                 .judge =
                                     [&](const History& h) {
                                       const ChannelMoment m = last(h);
                                       const ChannelMoment zero = last(clear_last_gradient(h));
                                       std::vector<Bounded> linear, expected;
                                       for (std::size_t i = 0; i < h.rows(); ++i) {
                                         linear.push_back(m.grad_x[i] - zero.grad_x[i]);
                                         expected.push_back(Bounded(h.gamma) *
                                                            Bounded(h.grad_y.back()[i]) * m.rstd);
                                       }
                                       return agree(linear, expected);
                                     },
                                 .describe = describe,
                                 .worst_meaning = kRounding});
            },
            "affine: grad_x(g) − grad_x(0) = g/ψ");
        return refute_with_control(
            main,
            [&] {
              return examine(reduce_case_count(run),
                             Property<History>{.cases = generate_histories({.max_steps = 1}),
                                               .judge =
                                                   [&](History h) {
                                                     h.nu = 0;
                                                     for (const Bounded& v :
                                                          last(clear_last_gradient(h)).grad_x)
                                                       if (v.value != 0)
                                                         return judge_condition(false);
                                                     return judge_condition(true);
                                                   },
                                               .describe = describe,
                                               .worst_meaning = "exact"});
            },
            "exactly 0 where ν = 0");
      }};
}

/// Runs the history with loss scaling and returns the last gradient, divided by the loss scale.
/// Steps are counted from 0. In the steps before step `change`, the loss scale is the argument
/// `before`. From step `change` on, it is the argument `after`. If `rescale`, the state nu is
/// rescaled in step `change`.
std::vector<Bounded> last_unscaled_gradient(const TestedImplementation& subject, const History& h,
                                            double before, std::size_t change, double after,
                                            bool rescale) {
  PowerNormChannel channel = make_channel(subject, h.paper(), h);
  channel.set_nu(Bounded(h.nu) * Bounded(before));
  std::vector<Bounded> last;
  for (std::size_t t = 0; t < h.steps(); ++t) {
    if (t == change && rescale) channel.set_nu(channel.nu() * Bounded(after) / Bounded(before));
    const double scale = t < change ? before : after;
    PowerNormChannel::Row grad_y = to_bounded_row(h.grad_y[t]);
    for (oracle50& g : grad_y) g *= scale;
    last = scaled(channel.step(to_bounded_row(h.x[t]), grad_y).grad_x, Bounded(1) / Bounded(scale));
  }
  return last;
}

Judgement judge_harmless_loss_scale(const TestedImplementation& subject, const History& h,
                                    double before, std::size_t change, double after, bool rescale) {
  return agree(last_unscaled_gradient(subject, h, before, change, after, rescale),
               last_unscaled_gradient(subject, h, 1, 0, 1, false));
}

Claim claim_c10() {
  return {
      .id = "C10",
      .title = "a constant loss scale is harmless",
      .statement =
          "(c g_1, …, c g_T) and c ν_0 give c grad_x_T: homogeneous of degree 1 in the "
          "whole history of gradients",
      .source = "derived: docs/derivations/norms.md",
      .assumptions = "any α, ε and start; c = 1024 and c = −3, constant over the history",
      .expected = Verdict::holds,
      .check = [](const Run& run) {
        return examine(
            run,
            Property<History>{
                .cases = generate_histories({}),
                .judge =
                    [&](const History& h) {
                      return worse_judgement(
                          judge_harmless_loss_scale(run.subject, h, 1024, h.steps(), 1024, false),
                          judge_harmless_loss_scale(run.subject, h, -3, h.steps(), -3, false));
                    },
                .describe =
                    [&](const History& h) {
                      return fmt::format(
                          "{}: grad_x of the last step begins with {}, scaled by 1024 and back "
                          "with {}",
                          show(h),
                          show(last_unscaled_gradient(run.subject, h, 1, 0, 1, false)[0].value),
                          show(last_unscaled_gradient(run.subject, h, 1024, h.steps(), 1024,
                                                      false)[0]
                                   .value));
                    },
                .worst_meaning = kRounding});
      }};
}

Claim claim_c11() {
  return {
      .id = "C11",
      .title = "a change of the loss scale is harmless",
      .statement =
          "loss scale halved two steps before the end, gradients unscaled afterwards: "
          "grad_x_T is the same",
      .source = "derived: docs/derivations/norms.md; dynamic loss scaling in mixed precision",
      .assumptions = "any α, ε and start, T ≥ 3; ν is kept in the units of the scaled loss",
      .expected = Verdict::refuted,
      .dropped = "one loss scale over the whole history",
      .check = [](const Run& run) {
        const HistoryKind kind{.min_steps = 3};
        const auto judge = [&](bool rescale) {
          return [&, rescale](const History& h) {
            return judge_harmless_loss_scale(run.subject, h, 1024, h.steps() - 2, 512, rescale);
          };
        };
        const auto describe = [&](const History& h) {
          return fmt::format(
              "{}: grad_x of the last step begins with {}; loss scale 1024, then 512 for the last "
              "two steps: {}",
              show(h), show(last_unscaled_gradient(run.subject, h, 1, 0, 1, false)[0].value),
              show(last_unscaled_gradient(run.subject, h, 1024, h.steps() - 2, 512, false)[0]
                       .value));
        };
        return refute_with_control(
            examine(run, Property<History>{.cases = generate_histories(kind),
                                           .judge = judge(false),
                                           .describe = describe,
                                           .worst_meaning = kRounding}),
            [&] {
              return examine(reduce_case_count(run),
                             Property<History>{.cases = generate_histories(kind),
                                               .judge = judge(true),
                                               .describe = describe,
                                               .worst_meaning = kRounding});
            },
            "harmless where ν is rescaled with the loss");
      }};
}

}  // namespace

std::vector<Claim> affine_backward_claims() {
  return {claim_c3(), claim_c9(), claim_c10(), claim_c11()};
}

}  // namespace normproof::verification::claims::ledger
