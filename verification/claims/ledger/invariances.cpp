#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <string>

#include "verification/claims/engine/control.hpp"
#include "verification/claims/fixtures/channel.hpp"
#include "verification/claims/ledger/geometry.hpp"

// Claims B17 and B18: changes of the input that leave PN-V's output unchanged, and one that does
// not.
namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;

namespace {

// The outputs for x and for a changed input f(x), with a bound of the rounding error of their
// difference, for each element.
struct ComparedOutputs {
  Vector before, after;
  oracle50 bound;
};

ComparedOutputs compare_outputs(const TestedImplementation& subject, const NormOptions& options,
                                Statistic statistic, const Batch& b,
                                const std::function<oracle50(const oracle50&)>& f) {
  Vector x = wide(b.x), shifted;
  for (const oracle50& v : x) shifted.push_back(f(v));
  const Vector none(x.size());
  return {channel_step(subject, options, x, none).y,
          channel_step(subject, options, shifted, none).y,
          Slice(x, {}, statistic, 0).x_hat_roundoff() +
              Slice(shifted, {}, statistic, 0).x_hat_roundoff()};
}

Judgement equal_up_to_sign(const ComparedOutputs& m, int sign) {
  Judgement all = judge_condition(true);
  for (std::size_t i = 0; i < m.before.size(); ++i)
    all = worse_judgement(all, within(absolute(m.after[i] - sign * m.before[i]), m.bound));
  return all;
}

std::string show_compared_outputs(const Batch& b, const std::string& how,
                                  const ComparedOutputs& m) {
  return fmt::format("x = {}: f(x) = {}, f({}) = {}", show(b.x), show(narrow(m.before)), how,
                     show(narrow(m.after)));
}

// Whether, in double, scaling x by a power of two or changing its sign has exactly the expected
// effect on the output.
bool is_exact_in_double(const TestedImplementation& subject, const Batch& b, double factor) {
  Batch scaled = b;
  for (double& v : scaled.x) v *= factor;
  const auto y =
      subject.step<double>(make_power_norm_v_options(0), b.inputs<double>()).outputs.at("y");
  const auto z =
      subject.step<double>(make_power_norm_v_options(0), scaled.inputs<double>()).outputs.at("y");
  for (std::size_t i = 0; i < y.size(); ++i)
    if (z.data()[i] != (factor < 0 ? -y.data()[i] : y.data()[i])) return false;
  return true;
}

Claim scale_claim() {
  return {.id = "B17",
          .title = "PN-V does not see the scale of its input",
          .statement =
              "f(c x) = f(x) for c > 0, f(−x) = −f(x), at ε = 0; in double for c = ±2ᵏ bit by bit",
          .source = "derived: docs/derivations/claims.md, B17",
          .assumptions = "ε = 0, ψ > 0, no overflow",
          .expected = Verdict::holds,
          .check = [](const Run& run) {
            const auto& subject = run.subject;
            const auto scaled = [&](const Batch& b, int sign) {
              return compare_outputs(
                  subject, make_power_norm_v_options(0), Statistic::quadratic_mean, b,
                  [&](const oracle50& v) { return oracle50(sign * b.extra[0] * v); });
            };
            return examine(
                run, Property<Batch>{
                         .cases = channels(1, 9, false, 1),
                         .judge =
                             [&](const Batch& b) {
                               const double two = std::ldexp(1.0, std::ilogb(b.extra[0]));
                               return worse_judgement(
                                   worse_judgement(equal_up_to_sign(scaled(b, 1), 1),
                                                   equal_up_to_sign(scaled(b, -1), -1)),
                                   judge_condition(is_exact_in_double(subject, b, two) &&
                                                   is_exact_in_double(subject, b, -two)));
                             },
                         .describe =
                             [&](const Batch& b) {
                               return show_compared_outputs(b, fmt::format("{} x", b.extra[0]),
                                                            scaled(b, 1)) +
                                      "; " +
                                      show_compared_outputs(b, fmt::format("−{} x", b.extra[0]),
                                                            scaled(b, -1));
                             },
                         .worst_meaning = "|f(c x) − f(x)| / bound of rounding at 50 digits"});
          }};
}

// Both layers use the error bound of BatchNorm, which is larger because sigma <= psi.
Property<Batch> shift_property(const TestedImplementation& subject, const NormOptions& options) {
  const auto shifted = [&subject, options](const Batch& b) {
    return compare_outputs(subject, options, Statistic::variance, b,
                           [&](const oracle50& v) { return oracle50(v + b.extra[0]); });
  };
  return {.cases = channels(2, 8, true, 1),
          .judge = [=](const Batch& b) { return equal_up_to_sign(shifted(b), 1); },
          .describe =
              [=](const Batch& b) {
                return show_compared_outputs(b, fmt::format("x + {}", b.extra[0]), shifted(b));
              },
          .worst_meaning = "|f(x + t) − f(x)| / bound of rounding at 50 digits"};
}

Claim shift_claim() {
  return {.id = "B18",
          .title = "PN-V does not see a shift of its input",
          .statement = "f(x + t) = f(x)",
          .source = "derived: docs/derivations/claims.md, B17",
          .assumptions = "ε = 0, σ > 0, t > 0",
          .expected = Verdict::refuted,
          .dropped = "centring: BN subtracts the mean and is invariant, PN-V does not",
          .check = [](const Run& run) {
            return refute_with_control(
                examine(run, shift_property(run.subject, make_power_norm_v_options(0))),
                [&] {
                  return examine(reduce_case_count(run),
                                 shift_property(run.subject, make_batch_norm_options(0)));
                },
                "for BN it holds");
          }};
}

}  // namespace

std::vector<Claim> invariance_claims() {
  return {scale_claim(), shift_claim()};
}

}  // namespace normproof::verification::claims::ledger
