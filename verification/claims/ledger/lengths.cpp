#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ref/numeric/elementary.hpp"
#include "ref/numeric/random.hpp"
#include "verification/claims/engine/control.hpp"
#include "verification/claims/engine/deviation.hpp"
#include "verification/claims/engine/sample.hpp"
#include "verification/claims/ledger/encoders.hpp"

// Claims E1, E2, E3 and E10: the lengths of the vectors inside an encoder at initialization.
namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;

namespace {

using ref::model::NormPlacement;
using ref::numeric::ball;

constexpr std::size_t kPostNormWidth = 64, kPreNormWidth = 8;  // widths of the random networks
constexpr std::size_t kDepth = 3;                              // number of their layers
constexpr std::size_t kReluInputs = 64;                        // width of a random relu

Tensor<double> row_tensor(const std::vector<double>& values) {
  Tensor<double> result = ref::tensor::empty_tensor<double>({1, values.size()});
  std::copy(values.begin(), values.end(), result.data());
  return result;
}

std::vector<double> negate_values(std::vector<double> values) {
  for (double& v : values) v = -v;
  return values;
}

/// Returns kReluInputs random normal numbers.
std::vector<double> draw_normal_row(const Run& run, std::size_t index) {
  const ref::numeric::RandomStream stream(run.seed, fmt::format("claims/{}/{}", run.claim, index));
  std::vector<double> values(kReluInputs);
  for (std::size_t i = 0; i < kReluInputs; ++i) values[i] = stream.normal(i);
  return values;
}

// ---- E1

/// Judges whether relu(x)^2 + relu(-x)^2 = x^2 for each x. If this holds, the mean of relu(x)^2
/// under a symmetric distribution is half of E x^2. Squares of doubles and 0 are exact at 50
/// digits.
Property<Batch> relu_property(const TestedImplementation& subject) {
  return {.cases = batches({.affine = false, .min_eps = 0, .max_eps = 0}),
          .judge =
              [&](const Batch& b) {
                const auto there = subject.relu(row_tensor(b.x));
                const auto back = subject.relu(row_tensor(negate_values(b.x)));
                Judgement all = judge_condition(true);
                for (std::size_t i = 0; i < b.x.size(); ++i) {
                  const oracle50 x = b.x[i], p = there.data()[i], q = back.data()[i];
                  all = worse_judgement(all, judge_condition(p * p + q * q == x * x));
                }
                return all;
              },
          .describe =
              [&](const Batch& b) {
                const auto y = subject.relu(row_tensor(b.x));
                return fmt::format("x = {}: relu(x) = {}", show(b.x),
                                   show(std::vector<double>(y.begin(), y.end())));
              },
          .worst_meaning = "exact: relu(x)² + relu(−x)² = x², or not"};
}

Evidence sample_relu_lengths(const Run& run) {
  Deviation deviation;
  double sum = 0;
  for (std::size_t index = 0; index < run.cases; ++index) {
    const double sigma = std::ldexp(1.0, static_cast<int>(index % 7) - 3);
    std::vector<double> x = draw_normal_row(run, index);
    for (double& v : x) v *= sigma;
    sum += square_sum(run.subject.relu(row_tensor(x))) / (sigma * sigma);
    deviation.add(relu_square_increment().variance, relu_square_increment().scale, kReluInputs);
  }
  const double count = static_cast<double>(run.cases * kReluInputs);
  return sample_evidence(run, run.cases,
                         {{"‖ReLU(X)‖²/(σ² d)", sum / count, 0.5, 0.5, deviation.bound() / count}});
}

Claim relu_length_claim() {
  return {.id = "E1",
          .title = "the length of ReLU of a normal vector",
          .statement = "E ‖ReLU(X)‖² = σ² d/2 for X ~ N(0, σ² I_d)",
          .source = "[XYH+20] Lemma 1; derived: docs/derivations/claims.md, E",
          .assumptions = "any law that is symmetric about 0; drawn: d = 64, σ from 1/8 to 8",
          .expected = Verdict::holds,
          .check = [](const Run& run) {
            return combine_parts(examine(run, relu_property(run.subject)), sample_relu_lengths(run),
                                 "normal draws");
          }};
}

// ---- The exact part of E2 and E3: means over all signs of the elements of the last layer's W_V,
// W_1 and W_2. These signs have the second moments of normal weights.

struct MeanSquare {
  Judgement judgement = judge_condition(true);
  double mean = 0, expected = 0;  // of the first token
};

/// Computes the squared length of each token after the last layer, averaged over all signs of the
/// weights. Compares this mean with the expectation that follows from the input of the last layer.
MeanSquare mean_over_signs(const TestedImplementation& subject, const EncoderCase& c) {
  const ref::numeric::BallPrecision precision(kEncoderBits);
  const bool post = c.placement == NormPlacement::post;
  const std::size_t d = c.d_model, last = c.layers.size() - 1;
  std::vector<ball> sums(c.tokens, ball(0)), expected(c.tokens);
  const int combinations = post ? 4 : 8;
  for (int signs = 0; signs < combinations; ++signs) {
    EncoderCase signed_case = c;
    LayerWeights& w = signed_case.layers.back();
    if ((signs & 1) != 0) w.first = negate_values(w.first);
    if ((signs & 2) != 0) w.second = negate_values(w.second);
    if ((signs & 4) != 0) w.value = negate_values(w.value);
    const StackStep<ball> step = subject.stack_ball(signed_case.inputs<ball>(false));
    const Tensor<ball>& end = post ? step.values.at(layer_value_name(last, "norm2.x")) : step.y;
    for (std::size_t t = 0; t < c.tokens; ++t) sums[t] += square_sum(end, t * d, d);
    if (signs > 0) continue;
    // The expected squared length after attention is d (post-norm) or ||x||^2 + ||mean of LN(x)||^2
    // (pre-norm). The feed-forward adds ||W_2||_F^2/2, which is d/2 for variance 1/d.
    ball squared_length_after_attention(static_cast<double>(d)), second(0);
    for (const double v : w.second) second += ball(v) * ball(v);
    if (!post) {
      const Tensor<ball>& normalised = step.values.at(layer_value_name(last, "norm1.y"));
      squared_length_after_attention = ball(0);
      for (std::size_t j = 0; j < d; ++j) {
        ball sum(0);
        for (std::size_t t = 0; t < c.tokens; ++t) sum += normalised.data()[t * d + j];
        sum /= ball(static_cast<double>(c.tokens));
        squared_length_after_attention += sum * sum;
      }
    }
    for (std::size_t t = 0; t < c.tokens; ++t) {
      expected[t] = squared_length_after_attention + second / ball(2);
      if (!post)
        expected[t] += square_sum(step.values.at(layer_value_name(last, "norm1.x")), t * d, d);
    }
  }
  MeanSquare result;
  for (std::size_t t = 0; t < c.tokens; ++t)
    result.judgement =
        worse_judgement(result.judgement, judge_overlap(sums[t] / ball(combinations), expected[t]));
  result.mean = (sums[0] / ball(combinations)).midpoint();
  result.expected = expected[0].midpoint();
  return result;
}

Property<EncoderCase> sign_property(const TestedImplementation& subject, NormPlacement placement) {
  return {.cases = encoders({.placement = placement, .max_tokens = 3, .orthogonal = true}),
          .judge = [&](const EncoderCase& c) { return mean_over_signs(subject, c).judgement; },
          .describe =
              [&](const EncoderCase& c) {
                const MeanSquare m = mean_over_signs(subject, c);
                return fmt::format("{}: mean over signs {}, expected {}", show(c), m.mean,
                                   m.expected);
              },
          .worst_meaning = "|mean over signs − expected| / the radii of both enclosures"};
}

/// For each layer, the sum of squared lengths over random networks, and the deviation of this sum
/// that is allowed because the networks are random.
struct SquaredLengthSums {
  std::vector<double> sums = std::vector<double>(kDepth);
  std::vector<Deviation> deviations = std::vector<Deviation>(kDepth);

  Evidence evidence(const Run& run, std::size_t width, double least, double most,
                    double growth) const {
    const double networks = static_cast<double>(run.cases * width);
    std::vector<SampledMean> means;
    means.reserve(kDepth);
    for (std::size_t l = 0; l < kDepth; ++l) {
      const double layers = growth * static_cast<double>(l + 1);
      means.push_back({fmt::format("layer {}: ‖x‖²/d", l + 1), sums[l] / networks,
                       1 + least * (layers + 1 - growth), 1 + most * (layers + 1 - growth),
                       deviations[l].bound() / networks});
    }
    return sample_evidence(run, run.cases, means);
  }
};

void add(Deviation& deviation, const Increment& increment, std::size_t count = 1) {
  deviation.add(increment.variance, increment.scale, count);
}

Evidence sample_post_norm_lengths(const Run& run) {
  SquaredLengthSums lengths;
  for (std::size_t index = 0; index < run.cases; ++index) {
    const EncoderCase c =
        draw_network_in_law(run, NormPlacement::post, index, kPostNormWidth, kDepth);
    const StackStep<double> step = run.subject.stack_double(c.inputs<double>(false));
    for (std::size_t l = 0; l < kDepth; ++l) {
      lengths.sums[l] += square_sum(step.values.at(layer_value_name(l, "norm2.x")));
      const double active = square_sum(step.values.at(layer_value_name(l, "feed_forward.active")));
      const double given = square_sum(step.values.at(layer_value_name(l, "norm1.y")));
      add(lengths.deviations[l], relu_square_increment(), kPostNormWidth);
      add(lengths.deviations[l],
          noncentral_square_increment(given, active / kPostNormWidth, kPostNormWidth));
    }
  }
  return lengths.evidence(run, kPostNormWidth, 0.5, 0.5, 0);
}

/// Draws random pre-norm networks with two tokens and measures the first token.
Evidence sample_pre_norm_lengths(const Run& run) {
  SquaredLengthSums lengths;
  for (std::size_t index = 0; index < run.cases; ++index) {
    EncoderCase c = draw_gaussian_network(run, "pre", index, 2, kPreNormWidth, kDepth);
    c.placement = NormPlacement::pre;
    const StackStep<double> step = run.subject.stack_double(c.inputs<double>(false));
    Deviation path;
    const auto first = [&](const std::string& name) {
      return square_sum(step.values.at(name), 0, kPreNormWidth);
    };
    std::vector<Increment> increments{noncentral_square_increment(0, 1, kPreNormWidth)};
    for (std::size_t l = 0; l < kDepth; ++l) {
      const Tensor<double>& normalised = step.values.at(layer_value_name(l, "norm1.y"));
      double squared_length_after_attention = 0;
      for (std::size_t j = 0; j < kPreNormWidth; ++j) {
        const double mean = (normalised.data()[j] + normalised.data()[kPreNormWidth + j]) / 2;
        squared_length_after_attention += mean * mean;
      }
      const double active = first(layer_value_name(l, "feed_forward.active"));
      increments.push_back(noncentral_square_increment(
          first(layer_value_name(l, "norm1.x")), squared_length_after_attention / kPreNormWidth,
          kPreNormWidth));
      increments.push_back(noncentral_square_increment(first(layer_value_name(l, "norm2.x")),
                                                       active / kPreNormWidth, kPreNormWidth));
      for (const Increment& increment : increments) add(lengths.deviations[l], increment);
      add(lengths.deviations[l], relu_square_increment(), kPreNormWidth * (l + 1));
      lengths.sums[l] += l + 1 < kDepth ? first(layer_value_name(l + 1, "norm1.x"))
                                        : square_sum(step.y, 0, kPreNormWidth);
    }
  }
  return lengths.evidence(run, kPreNormWidth, 0.5, 1.5, 1);
}

Claim post_length_claim() {
  return {.id = "E2",
          .title = "the length of post-norm states",
          .statement =
              "post-norm: E ‖y_l‖² = (3/2) d for the input y_l of the last norm of every layer l",
          .source = "[XYH+20] Lemma 2; derived: docs/derivations/claims.md, E",
          .assumptions =
              "ε = 0, gain 1, W_1, W_2 independent with mean 0 and variance 1/d, W_1 "
              "symmetric; any x and W_V. Drawn: normal, d = 64, 3 layers",
          .expected = Verdict::holds,
          .check = [](const Run& run) {
            return combine_parts(
                sample_post_norm_lengths(run),
                examine(reduce_case_count(run), sign_property(run.subject, NormPlacement::post)),
                "exactly, over the signs of the weights");
          }};
}

Claim pre_length_claim() {
  return {.id = "E3",
          .title = "the length of pre-norm states",
          .statement =
              "pre-norm: (1 + l/2) d ≤ E ‖x_l‖² ≤ (1 + 3l/2) d after l layers; a layer "
              "adds ‖mean_j LN(x_j)‖² + d/2",
          .source = "[XYH+20] Lemma 2; derived: docs/derivations/claims.md, E",
          .assumptions =
              "as E2, and W_V likewise; W_Q = W_K = 0; E ‖x_0‖² = d. Drawn: normal, "
              "d = 8, 3 layers, 2 tokens",
          .expected = Verdict::holds,
          .check = [](const Run& run) {
            return combine_parts(
                sample_pre_norm_lengths(run),
                examine(reduce_case_count(run), sign_property(run.subject, NormPlacement::pre)),
                "exactly, over the signs of the weights");
          }};
}

// ---- E10

struct Width {
  std::uint64_t d = 1;
};

/// Returns an enclosure of the probability that the largest of d values relu(X)^2 is at most m, for
/// independent standard normal X and m = 2 ln(100 d). This probability is Phi(sqrt m)^d.
ball probability_of_maximum(std::uint64_t d) {
  const ball width = ball(static_cast<double>(d));
  const ball m_half = ref::numeric::log(ball(100) * width);
  const ball phi = (ball(1) + ref::numeric::erf(sqrt(m_half))) / ball(2);
  return ref::numeric::exp(width * ref::numeric::log(phi));
}

Property<Width> tail_property() {
  return {.cases = make_shrinking_generator<Width>(
              [](Draw& draw) { return Width{std::uint64_t{1} << draw.between(0, 40)}; },
              [](const Width& w) {
                return w.d > 1 ? std::vector<Width>{{w.d / 2}} : std::vector<Width>{};
              }),
          .judge =
              [](const Width& w) {
                const ref::numeric::BallPrecision precision(kEncoderBits);
                return within((ball(1) - probability_of_maximum(w.d)).upper(), 0.01);
              },
          .describe =
              [](const Width& w) {
                const ref::numeric::BallPrecision precision(kEncoderBits);
                return fmt::format("d = {}: P = {}", w.d, probability_of_maximum(w.d).midpoint());
              },
          .worst_meaning = "P(max > 2 ln(100 d)) / 0.01"};
}

Evidence sample_maxima(const Run& run) {
  const double limit = 2 * ref::numeric::log(100.0 * kReluInputs);
  Deviation deviation;
  double above = 0;
  for (std::size_t index = 0; index < run.cases; ++index) {
    const auto y = run.subject.relu(row_tensor(draw_normal_row(run, index)));
    const double most = *std::max_element(y.begin(), y.end());
    above += most * most > limit ? 1 : 0;
    add(deviation, bounded_increment(1.0 / 200, 1));
  }
  const double networks = static_cast<double>(run.cases);
  return sample_evidence(
      run, run.cases,
      {{"share above 2 ln(100 d)", above / networks, 0, 1.0 / 200, deviation.bound() / networks}});
}

Claim maximum_claim() {
  return {.id = "E10",
          .title = "the largest activation",
          .statement = "P(max_p ReLU(X_p)² ≤ 2 ln(100 d)) ≥ 0.99, X ~ N(0, I_d)",
          .source = "[XYH+20] proof of Theorem 1; derived: docs/derivations/claims.md, E",
          .assumptions = "Φ(√(2 ln(100 d)))^d enclosed for d = 1, 2, 4, ..., 2⁴⁰; drawn: d = 64",
          .expected = Verdict::holds,
          .check = [](const Run& run) {
            return combine_parts(examine(run, tail_property()), sample_maxima(run), "normal draws");
          }};
}

}  // namespace

std::vector<Claim> length_claims() {
  return {relu_length_claim(), post_length_claim(), pre_length_claim(), maximum_claim()};
}

}  // namespace normproof::verification::claims::ledger
