#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "verification/claims/engine/control.hpp"
#include "verification/claims/fixtures/channel.hpp"
#include "verification/claims/ledger/encoders.hpp"

// Claims E4, E5 and E11: the operator norm of LayerNorm's Jacobian.
namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;

namespace {

rc::Gen<Batch> tokens(std::size_t least, double max_eps,
                      const std::function<bool(const Batch&)>& accept) {
  const BatchKind kind{.min_rows = least,
                       .max_rows = 7,
                       .max_features = 1,
                       .affine = false,
                       .min_eps = max_eps == 0 ? 0 : 1e-12,
                       .max_eps = max_eps,
                       .degenerate = false};
  return batches(kind, [accept](const Batch& b) {
    const bool spread = std::any_of(b.x.begin(), b.x.end(), [&](double v) { return v != b.x[0]; });
    return spread && accept(b);
  });
}

/// Projects each coordinate unit vector onto the orthogonal complement of x and the vector of ones.
/// Returns the longest projection. Its length is at least sqrt(1/3).
Vector find_most_amplified_direction(const Vector& x) {
  Vector best = project_out_ones_and_vector(x, unit(x.size(), 0));
  for (std::size_t k = 1; k < x.size(); ++k) {
    Vector other = project_out_ones_and_vector(x, unit(x.size(), k));
    if (square(other) > square(best)) best = std::move(other);
  }
  return best;
}

/// The value of ||J^T g||^2, and a bound of the rounding error of this value.
struct SquaredGain {
  oracle50 squared, bound;
};
SquaredGain compute_layer_norm_gain(const TestedImplementation& subject, double eps,
                                    const Vector& x, const Vector& g) {
  return {square(channel_step(subject, make_layer_norm_options(eps), x, g, Axis::features).grad_x),
          Slice(x, g, Statistic::variance, eps).square_roundoff()};
}

/// Judges all elements of the Jacobian of LayerNorm. Element (i, j), computed by dual numbers, must
/// be `(delta_ij - 1/d - x_hat_i x_hat_j / d) / s`, where `s = sqrt(variance + eps)` and d is the
/// number of features. The backward of Slice for the i-th unit vector as upstream gradient must
/// give row i.
Judgement judge_entries(const TestedImplementation& subject, const Batch& b) {
  const std::size_t d = b.x.size();
  const Vector x = wide(b.x);
  NormInputs<dual> in;
  in.x = ref::tensor::empty_tensor<dual>({1, d});
  for (std::size_t i = 0; i < d; ++i) in.x.data()[i] = dual(b.x[i]);
  Judgement all = judge_condition(true);
  for (std::size_t j = 0; j < d; ++j) {
    in.x.data()[j].derivative = 1;
    const auto y = subject.step<dual>(make_layer_norm_options(b.eps), in).outputs.at("y");
    in.x.data()[j].derivative = 0;
    for (std::size_t i = 0; i < d; ++i) {
      const Slice row(x, unit(d, i), Statistic::variance, b.eps);
      all = worse_judgement(all, within(absolute(y.data()[i].derivative - row.grad_x[j]),
                                        2 * row.gradient_roundoff()));
    }
  }
  return all;
}

struct NormOfJacobian {
  oracle50 squared, expected, bound;
};

/// Compares the operator norm with its formula; d is the number of features. For d >= 3, a vector g
/// that is orthogonal to x and to the vector of ones attains the norm. If g is only nearly
/// orthogonal, the error is of second order. For d = 2, (1, -1) attains the norm, and the square of
/// the norm is eps^2/s^6 with s = sqrt(variance + eps).
NormOfJacobian compare_jacobian_norm(const TestedImplementation& subject, const Batch& b) {
  const Vector x = wide(b.x);
  const Slice slice(x, {}, Statistic::variance, b.eps);
  const oracle50 s2 = slice.s * slice.s;
  const bool two = x.size() == 2;
  const Vector g = two ? Vector{1, -1} : find_most_amplified_direction(x);
  const SquaredGain stretched = compute_layer_norm_gain(subject, b.eps, x, g);
  const oracle50 share = two ? oracle50(b.eps / s2) : oracle50(1);
  return {stretched.squared, square(g) * share * share / s2, stretched.bound};
}

Judgement judge_norm(const TestedImplementation& subject, const Batch& b) {
  const NormOfJacobian n = compare_jacobian_norm(subject, b);
  const Vector x = wide(b.x), g = wide(b.grad_y);
  const SquaredGain any = compute_layer_norm_gain(subject, b.eps, x, g);
  const oracle50 limit =
      n.expected / square(x.size() == 2 ? Vector{1, -1} : find_most_amplified_direction(x));
  return worse_judgement(worse_judgement(within(absolute(n.squared - n.expected), n.bound),
                                         within(any.squared, square(g) * limit + any.bound)),
                         judge_entries(subject, b));
}

Property<Batch> norm_property(const TestedImplementation& subject, double max_eps) {
  return {.cases = tokens(2, max_eps, [](const Batch&) { return true; }),
          .judge = [&](const Batch& b) { return judge_norm(subject, b); },
          .describe =
              [&](const Batch& b) {
                const NormOfJacobian n = compare_jacobian_norm(subject, b);
                return fmt::format("{}: ‖Jᵀg‖² = {} at the worst g, expected {}", show(b),
                                   show(n.squared), show(n.expected));
              },
          .worst_meaning = "distance / bound of rounding at 50 digits; ‖Jᵀg‖² by its limit"};
}

Claim exact_norm_claim() {
  return {.id = "E4",
          .title = "the operator norm of LayerNorm's Jacobian",
          .statement =
              "J = (I − 11ᵀ/d − x̂x̂ᵀ/d)/s, s = √(σ² + ε): ‖J‖₂ = 1/s for d ≥ 3, which is "
              "√d/‖x − mean‖ at ε = 0; ‖J‖₂ = ε/s³ for d = 2",
          .source = "[XYH+20] Lemma 3, made exact; derived: docs/derivations/claims.md, E",
          .assumptions = "σ > 0, no gamma; attained at g ⊥ 1, x and not exceeded elsewhere",
          .expected = Verdict::holds,
          .check = [](const Run& run) {
            return combine_parts(examine(run, norm_property(run.subject, 0)),
                                 examine(run, norm_property(run.subject, 1)), "with ε > 0");
          }};
}

// ---- E5: ||J|| ||x||/sqrt(d) = sqrt(1 + mean^2/variance) is not bounded.

struct Ratio {
  oracle50 squared, bound;
};

Ratio ratio(const TestedImplementation& subject, const Vector& x) {
  const Vector g = find_most_amplified_direction(x);
  const SquaredGain stretched = compute_layer_norm_gain(subject, 0, x, g);
  const oracle50 factor = square(x) / (static_cast<double>(x.size()) * square(g));
  return {stretched.squared * factor, stretched.bound * factor};
}

/// A token x that violates a claim with the constant C. Its |mean| is 2 C times its largest
/// deviation from the mean, and the largest deviation is at least sigma. If a small mean is
/// requested, |mean| is at most sigma instead.
struct Token {
  double constant = 2;
  std::vector<double> deviations = {-1, 0, 1};
  double mean = 1;  ///< in units of 2 C times the largest deviation, or of sigma if it is small

  Vector x(bool small_mean) const {
    const Slice slice(wide(deviations), {}, Statistic::variance, 0);
    Vector result;
    oracle50 largest = 0;
    for (const oracle50& v : slice.x) {
      result.push_back(v - slice.mean);
      largest = std::max(largest, absolute(result.back()));
    }
    const oracle50 distance = small_mean ? oracle50(slice.s * mean) : 2 * constant * mean * largest;
    for (oracle50& v : result) v += distance;
    return result;
  }
};

rc::Gen<Token> shifted_tokens(bool small_mean) {
  return make_shrinking_generator<Token>(
      [small_mean](Draw& draw) {
        Token t;
        t.constant = std::ldexp(draw.uniform(1, 2), static_cast<int>(draw.between(0, 39)));
        t.mean = small_mean ? draw.uniform(-1, 1) : draw.sign();
        t.deviations.resize(draw.between(3, 7));
        for (double& v : t.deviations) v = draw.normal();
        if (t.deviations[0] == t.deviations[1]) t.deviations[0] += 1;
        return t;
      },
      [](const Token& t) {
        std::vector<Token> result;
        const Token least;
        if (t.constant != least.constant) result.push_back({least.constant, t.deviations, t.mean});
        if (t.deviations != least.deviations)
          result.push_back({t.constant, least.deviations, t.mean});
        if (t.mean < 0) result.push_back({t.constant, t.deviations, -t.mean});
        return result;
      });
}

Property<Token> ratio_property(const TestedImplementation& subject, bool small_mean) {
  return {.cases = shifted_tokens(small_mean),
          .judge =
              [&subject, small_mean](const Token& t) {
                const Ratio r = ratio(subject, t.x(small_mean));
                const oracle50 constant = t.constant;
                return within(r.squared,
                              (small_mean ? oracle50(2) : constant * constant) + r.bound);
              },
          .describe =
              [&subject, small_mean](const Token& t) {
                return fmt::format("C = {}: x = {}: ‖J‖₂ ‖x‖/√d = {}", t.constant,
                                   show(narrow(t.x(small_mean))),
                                   show(oracle50(sqrt(ratio(subject, t.x(small_mean)).squared))));
              },
          .worst_meaning = "(‖J‖₂ ‖x‖/√d)²/C²"};
}

Claim jacobian_norm_from_row_length_claim() {
  return {.id = "E5",
          .title = "the norm of LayerNorm's Jacobian by the length of x",
          .statement = "one C for all x: ‖J_LN(x)‖₂ ≤ C √d/‖x‖₂",
          .source =
              "[XYH+20] Lemma 3, whose proof puts ‖x‖ for ‖x − mean‖; derived: "
              "docs/derivations/claims.md, E",
          .assumptions =
              "ε = 0, σ > 0, d ≥ 3; each case: a C from 1 to 2⁴⁰ and an x with |mean|/σ = 2C; the "
              "theorem "
              "has every C",
          .expected = Verdict::refuted,
          .dropped = "a bound on |mean|/σ: ‖J‖₂ ‖x‖/√d = √(1 + mean²/σ²)",
          .check = [](const Run& run) {
            const Evidence evidence = refute_with_control(
                refute_every_constant(examine(run, ratio_property(run.subject, false))),
                [&] { return examine(reduce_case_count(run), ratio_property(run.subject, true)); },
                "with |mean| ≤ σ C = √2 does");
            const Ratio hundred = ratio(run.subject, wide({99, 100, 101}));
            return add_remark(evidence, fmt::format("x = (99, 100, 101): ‖J‖₂ ‖x‖/√d = {}",
                                                    show(oracle50(sqrt(hundred.squared)))));
          }};
}

// ---- E11: a distribution of N states (r, -r, 0) with the probability 1/N each, and the numbers of
// the theorem's proof: alpha_0 = epsilon = 1/10, so that epsilon/(1 + epsilon - alpha_0) = 1/10.

struct Distribution {
  std::vector<double> r;  ///< each above 0
};

/// Draws a distribution of `10 k + 9` states `(r, -r, 0)` for a random integer k. In `k + 1` of
/// these states, r is smaller than in the others. ||J_LN|| is large at a small r. The distribution
/// nearly violates the claim: it would violate the claim if ||J_LN|| exceeded its limit at all
/// `k + 1` states. The small r is at most a tenth above the smallest value that the assumption
/// `Y <= 1.1 E Y` allows, where `Y = ||x||^2`.
Distribution draw_distribution_with_low_states(Draw& draw) {
  const std::size_t tens = draw.between(0, 3), low = tens + 1, count = 10 * tens + 9;
  const auto states = static_cast<double>(count), lower = static_cast<double>(low);
  const double square = (states / 1.1 - (states - lower)) / lower;
  Distribution law{std::vector<double>(count, 1)};
  std::fill_n(law.r.begin(), low, std::sqrt(square) * draw.uniform(1, 1.1));
  return law;
}

rc::Gen<Distribution> distributions(bool bounded) {
  return make_shrinking_generator<Distribution>(
      [=](Draw& draw) {
        if (bounded && draw.chance(0.5)) return draw_distribution_with_low_states(draw);
        Distribution law;
        law.r.assign(20, 1);
        const std::size_t low = draw.between(0, bounded ? 1 : 3);
        for (std::size_t i = 0; i < low; ++i) law.r[i] = std::fabs(draw.power(-4, -1));
        if (!bounded) law.r.back() = std::ldexp(1.0, static_cast<int>(draw.between(0, 8)));
        return law;
      },
      [](const Distribution& law) {
        std::vector<Distribution> result;
        for (std::size_t i = 0; i < law.r.size(); ++i) {
          if (law.r.size() > 2) {
            result.push_back(law);
            result.back().r.erase(result.back().r.begin() + static_cast<long>(i));
          }
          for (const double v : simpler_doubles(law.r[i])) {
            if (!(v > 0)) continue;
            result.push_back(law);
            result.back().r[i] = v;
          }
        }
        return result;
      });
}

/// The number of states in which `Y = ||x||^2` exceeds `1.1 E Y`, and the number of states in which
/// ||J_LN||^2 exceeds `d / (E Y / 10)` for d features. The squares and their sum are exact at 50
/// digits. ||J_LN||^2 is computed as rstd^2, with an error below 16 roundings.
struct CountedStates {
  std::size_t above = 0, steep = 0;
};

CountedStates count_states(const TestedImplementation& subject, const Distribution& law) {
  const std::size_t count = law.r.size();
  NormInputs<oracle50> in;
  in.x = ref::tensor::full_tensor<oracle50>({count, 3}, 0);
  oracle50 total = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const oracle50 r = law.r[i];
    in.x(i, 0) = r;
    in.x(i, 1) = -r;
    total += 2 * r * r;
  }
  const auto rstd = subject.step<oracle50>(make_layer_norm_options(0), in).outputs.at("rstd");
  const oracle50 states = static_cast<double>(count);
  CountedStates counted;
  for (std::size_t i = 0; i < count; ++i) {
    const oracle50 r = law.r[i], norm = rstd.data()[i];
    if (10 * states * 2 * r * r > 11 * total) ++counted.above;
    if (norm * norm * total > 30 * states * (1 + 16 * epsilon50())) ++counted.steep;
  }
  return counted;
}

Property<Distribution> distribution_property(const TestedImplementation& subject,
                                             std::size_t max_above) {
  return {.cases = distributions(max_above == 0),
          .judge =
              [&subject, max_above](const Distribution& law) {
                const CountedStates counted = count_states(subject, law);
                if (counted.above > max_above) return discarded();
                const auto states = static_cast<double>(law.r.size());
                return within(static_cast<double>(10 * counted.steep),
                              static_cast<double>(10 * max_above) + states);
              },
          .describe =
              [&subject, max_above](const Distribution& law) {
                const CountedStates counted = count_states(subject, law);
                const std::size_t states = law.r.size();
                return fmt::format(
                    "x = (r, −r, 0), r = {}, with probability 1/{} each: {} of them "
                    "have ‖x‖² > 1.1 E‖x‖²; ‖J_LN‖² > 10 d/E‖x‖² in {}, allowed "
                    "{}/{} + 1/10",
                    show(law.r), states, counted.above, counted.steep, max_above, states);
              },
          .worst_meaning = "P(‖J_LN‖² > d/(α₀ E Y)) / (δ + ε/(1 + ε − α₀))"};
}

Claim reverse_markov_claim() {
  return {
      .id = "E11",
      .title = "the reverse Markov inequality where Y ≤ (1 + ε) E Y with probability 1 − δ alone",
      .statement =
          "P(Y ≤ (1 + ε) E Y) ≥ 1 − δ, Y = ‖x‖² ⇒ P(‖J_LN(x)‖² > d/(α₀ E Y)) ≤ "
          "δ + ε/(1 + ε − α₀), α₀ = 1/10",
      .source = "[XYH+20] proof of Theorem 1; derived: docs/derivations/claims.md, E",
      .assumptions = "mean(x) = 0, d = 3, ε = 1/10; N equally likely states, δ = 1/N",
      .expected = Verdict::refuted,
      .dropped = "Y ≤ (1 + ε) E Y always (δ = 0): one state of large Y moves E Y past the rest",
      .check = [](const Run& run) {
        return refute_with_control(
            examine(run, distribution_property(run.subject, 1)),
            [&] { return examine(reduce_case_count(run), distribution_property(run.subject, 0)); },
            "with Y ≤ (1 + ε) E Y always it holds");
      }};
}

}  // namespace

std::vector<Claim> jacobian_norm_claims() {
  return {exact_norm_claim(), jacobian_norm_from_row_length_claim(), reverse_markov_claim()};
}

}  // namespace normproof::verification::claims::ledger
