#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ref/numeric/square_root.hpp"
#include "verification/claims/engine/control.hpp"
#include "verification/claims/engine/deviation.hpp"
#include "verification/claims/engine/sample.hpp"
#include "verification/claims/ledger/encoders.hpp"

// Claims E6 to E9: the gradient of W_2 of the last layer, [XYH+20] Theorem 1.
namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;

namespace {

using ref::model::NormPlacement;
using ref::numeric::ball;

/// The kinds of upstream gradients dL/dx.
enum class Upstream { unit, signs };  // of length 1, or with each element +-1

// ---- The exact part, for any weights. It averages ||dL/dW_2||_F^2 over an orthonormal basis of
// upstream gradients dL/dx, or over all vectors of signs, which are isotropic too. The mean is
// ||dL/dx||^2 times ||a||^2 (d - 2)/(d sigma^2), where a is the activation that W_2 multiplies.

struct BasisMean {
  Judgement judgement = judge_condition(true);
  double mean = 0, expected = 0;
};

/// Returns the upstream gradients over which the mean is taken. If g is included, -g is not,
/// because both give gradients of the same length.
std::vector<std::vector<double>> upstream_gradients(std::size_t d, Upstream upstream) {
  std::vector<std::vector<double>> result;
  const std::size_t count = upstream == Upstream::unit ? d : std::size_t{1} << (d - 1);
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<double> g(d);
    for (std::size_t i = 0; i < d; ++i)
      g[i] = upstream == Upstream::unit ? (i == k ? 1 : 0) : ((k >> i & 1) == 0 ? 1 : -1);
    result.push_back(std::move(g));
  }
  return result;
}

/// Returns the input of the last norm of the encoder, with one row per token.
template <class T>
const Tensor<T>& input_of_last_norm(const EncoderCase& c, const StackStep<T>& step) {
  if (c.final_norm) return step.values.at("final_norm.x");
  return step.values.at(layer_value_name(c.layers.size() - 1, "norm2.x"));
}

template <class T>
T gradient_square(const StackStep<T>& step) {
  return square_sum(step.gradients.back().feed_forward.second.weight);
}

BasisMean average_over_basis(const TestedImplementation& subject, EncoderCase c,
                             Upstream upstream) {
  const ref::numeric::BallPrecision precision(kEncoderBits);
  const std::size_t d = c.d_model, last = c.layers.size() - 1;
  const ball width(static_cast<double>(d));
  const auto basis = upstream_gradients(d, upstream);
  ball sum(0), expected(0);
  BasisMean result;
  for (const std::vector<double>& g : basis) {
    c.grad_y = g;
    const StackStep<ball> step = subject.stack_ball(c.inputs<ball>());
    sum += gradient_square(step);
    if (&g != &basis.front()) continue;
    const Tensor<ball>& x = input_of_last_norm(c, step);
    ball mean(0), variance(0);
    for (const ball& v : x) mean += v / width;
    for (const ball& v : x) variance += (v - mean) * (v - mean) / width;
    expected = square_sum(step.values.at(layer_value_name(last, "feed_forward.active"))) *
               (width - ball(2)) / (width * variance);
    if (upstream == Upstream::signs) expected *= width;
    // The input of the feed-forward has the same length in every layer.
    for (std::size_t l = 0; l <= last; ++l)
      result.judgement = worse_judgement(
          result.judgement,
          judge_overlap(
              square_sum(step.values.at(layer_value_name(l, c.final_norm ? "norm2.y" : "norm1.y"))),
              width));
  }
  const ball mean = sum / ball(static_cast<double>(basis.size()));
  result.judgement = worse_judgement(result.judgement, judge_overlap(mean, expected));
  result.mean = mean.midpoint();
  result.expected = expected.midpoint();
  return result;
}

Property<EncoderCase> basis_property(const TestedImplementation& subject, NormPlacement placement,
                                     Upstream upstream, std::size_t max_layers) {
  return {.cases = encoders({.placement = placement,
                             .final_norm = placement == NormPlacement::pre,
                             .max_d_model = 4,
                             .max_layers = max_layers}),
          .judge =
              [&subject, upstream](const EncoderCase& c) {
                return average_over_basis(subject, c, upstream).judgement;
              },
          .describe =
              [&subject, upstream](const EncoderCase& c) {
                const BasisMean b = average_over_basis(subject, c, upstream);
                return fmt::format("{}: mean of ‖∂L/∂W_2‖² {}, expected {}", show(c), b.mean,
                                   b.expected);
              },
          .worst_meaning = "|mean over ∂L/∂x − ‖a‖²(d−2)/(dσ²)| / the radii of both enclosures"};
}

// ---- The random part. R = ||dL/dW_2||^2/(d ||dL/dx||^2). The mean square of the activation, s^2 =
// ||a||^2/d, has the mean 1/2 and the variance 5/(4d).

struct Expected {
  double least = 0, most = 0;     ///< bounds of E R
  double second = 0, fourth = 0;  ///< upper bounds of E R^2 and E R^4
  double clip() const { return 4 * most; }
  /// Returns a lower bound of `E min(R, clip())`, where `R = ||dL/dW_2||^2 / (d ||dL/dx||^2)`. The
  /// bound uses `max(R - m, 0) <= (27/256) R^4 / m^3` with `m = clip()`.
  double clipped_lower_bound() const {
    return least - 27 * fourth / (256 * clip() * clip() * clip());
  }
  double variance() const { return second - clipped_lower_bound() * clipped_lower_bound(); }
};

/// Returns E s^8 for the mean square s^2 of d activations. It uses the moments 1/2, 3/2, 15/2,
/// 105/2 of relu(N(0,1))^2.
double eighth_moment(double d) {
  const double pairs = d * (d - 1), triples = pairs * (d - 2);
  return (52.5 * d + 15 * pairs + 6.75 * pairs + 2.25 * triples + triples * (d - 3) / 16) /
         (d * d * d * d);
}

/// Returns the expectation for post-norm. For post-norm, sigma^2 is s^2/d times a noncentral
/// chi-square variable with d - 1 degrees of freedom and parameter d/s^2, where s^2 is the mean
/// square of the activations.
Expected expected_for_post_norm(double d) {
  const double isotropy = 1 - 2 / d, spread = 5 / (4 * d);
  const double least = 1 - 3 / d, most = 1 - 5 / d, second = 1 - 7 / d;
  const double f = 1 / (2 + second), slope = 1 / ((1 + second / 2) * (1 + second / 2));
  return {isotropy * (1 / (2 + least) - least * spread), isotropy / (2 + most),
          isotropy * (f * f + slope * slope * spread), eighth_moment(d)};
}

/// Returns the expectation for pre-norm. For pre-norm, sigma^2 is (1 + L + S)/d times a chi-square
/// variable with d - 1 degrees of freedom. L is the number of layers. S is the sum over the layers
/// of s^2, the mean square of the layer's activations.
Expected expected_for_pre_norm(double d, double layers) {
  const double isotropy = 1 - 2 / d, spread = 5 / (4 * d), a = 1 + layers;
  const double inverse = isotropy * d / (d - 3), f = layers / (2 + 3 * layers);
  const double slope = a / ((a + layers / 2) * (a + layers / 2));
  const double second =
      ((f * f + slope * slope * layers * spread) / layers + (layers - 1) * spread / (a * a)) /
      layers;
  return {inverse * (1 / (2 + 3 * layers) - spread / (a * a)), inverse / (2 + 3 * layers),
          inverse * d / (d - 5) * second,
          inverse * d * d * d / ((d - 5) * (d - 7) * (d - 9)) * eighth_moment(d) / (a * a * a * a)};
}

/// A size of a network, and the number of networks to draw.
struct Size {
  std::size_t d_model, layers;
  NormPlacement placement;
};

/// Returns ||dL/dW_2||^2 of one random network.
double draw_squared_gradient(const Run& run, const Size& size, Upstream upstream,
                             std::size_t index) {
  EncoderCase c = draw_network_in_law(run, size.placement, index, size.d_model, size.layers);
  double length2 = 0;
  for (const double v : c.grad_y) length2 += v * v;
  const double length = ref::numeric::square_root(length2);
  for (double& v : c.grad_y) v = upstream == Upstream::unit ? v / length : (v < 0 ? -1 : 1);
  return gradient_square(run.subject.stack_double(c.inputs<double>()));
}

/// Returns the evidence for random networks: for each size, the mean over run.cases networks must
/// be near its expectation.
Evidence sample_gradient(const Run& run, const std::vector<Size>& sizes, Upstream upstream) {
  std::vector<SampledMean> means;
  means.reserve(sizes.size());
  for (const Size& size : sizes) {
    const auto d = static_cast<double>(size.d_model), layers = static_cast<double>(size.layers);
    const bool post = size.placement == NormPlacement::post;
    const Expected expected = post ? expected_for_post_norm(d) : expected_for_pre_norm(d, layers);
    const double unit = upstream == Upstream::unit ? d : d * d;
    double sum = 0;
    for (std::size_t index = 0; index < run.cases; ++index)
      sum += std::min(draw_squared_gradient(run, size, upstream, index) / unit, expected.clip());
    // The values are scaled such that their mean is about d, because Deviation rounds its
    // parameters up to at least 1.
    const double scale = d / expected.most;
    Deviation deviation;
    const Increment increment =
        bounded_increment(expected.variance() * scale * scale, expected.clip() * scale);
    deviation.add(increment.variance, increment.scale, run.cases);
    const auto networks = static_cast<double>(run.cases);
    means.push_back({fmt::format("d = {}, L = {}: ‖∂L/∂W_2‖²/d{}", size.d_model, size.layers,
                                 upstream == Upstream::unit ? "" : "²"),
                     sum / networks, expected.clipped_lower_bound(), expected.most,
                     deviation.bound() / (scale * networks)});
  }
  return sample_evidence(run, run.cases, means);
}

constexpr const char* kSetting =
    "one head, W_Q = W_K = 0, one token, ε = 0, gain 1, any weights; drawn: normal weights of "
    "variance 1/d, x and ∂L/∂x independent of them";

struct Scaling {
  std::string id, title, statement;
  NormPlacement placement;
  Upstream upstream;
  std::size_t max_layers;
  std::vector<Size> sizes;
};

Claim scaling_claim(const Scaling& s) {
  return {.id = s.id,
          .title = s.title,
          .statement = s.statement,
          .source = "[XYH+20] Theorem 1; derived: docs/derivations/claims.md, E",
          .assumptions = kSetting,
          .expected = Verdict::holds,
          .check = [s](const Run& run) {
            return combine_parts(
                sample_gradient(run, s.sizes, s.upstream),
                examine(reduce_case_count(run),
                        basis_property(run.subject, s.placement, s.upstream, s.max_layers)),
                "exactly, the mean over ∂L/∂x");
          }};
}

}  // namespace

std::vector<Claim> last_layer_claims() {
  constexpr auto post = NormPlacement::post, pre = NormPlacement::pre;
  return {
      scaling_claim({.id = "E6",
                     .title = "the last layer's gradient, ‖∂L/∂x‖₂ = 1",
                     .statement =
                         "post-norm, ‖∂L/∂x‖₂ = 1, isotropic: E ‖∂L/∂W_2‖_F² = d/3 + O(1): "
                         "the norm grows as √d, below the bound d √(ln d)",
                     .placement = post,
                     .upstream = Upstream::unit,
                     .max_layers = 1,
                     .sizes = {{16, 1, post}, {64, 1, post}, {128, 1, post}}}),
      scaling_claim({.id = "E7",
                     .title = "the last layer's gradient, each element of ∂L/∂x of size 1",
                     .statement = "post-norm, each element of ∂L/∂x is ±1: E ‖∂L/∂W_2‖_F² = d²/3 + "
                                  "O(d): the norm grows as d, without √(ln d)",
                     .placement = post,
                     .upstream = Upstream::signs,
                     .max_layers = 1,
                     .sizes = {{16, 1, post}, {64, 1, post}, {128, 1, post}}}),
      scaling_claim({.id = "E8",
                     .title = "post-norm: the last layer's gradient by the depth",
                     .statement = "post-norm, L layers, ‖∂L/∂x‖₂ = 1: E ‖∂L/∂W_2‖_F² = d/3 + O(1) "
                                  "for every L",
                     .placement = post,
                     .upstream = Upstream::unit,
                     .max_layers = 4,
                     .sizes = {{16, 1, post}, {16, 6, post}, {32, 32, post}}}),
      scaling_claim({.id = "E9",
                     .title = "pre-norm: the last layer's gradient by the depth",
                     .statement = "pre-norm, L layers, ‖∂L/∂x‖₂ = 1: E ‖∂L/∂W_2‖_F² = d/(3L + 2) + "
                                  "O(1/L): the norm falls as L^(−1/2)",
                     .placement = pre,
                     .upstream = Upstream::unit,
                     .max_layers = 4,
                     .sizes = {{16, 1, pre}, {16, 6, pre}, {32, 32, pre}}})};
}

}  // namespace normproof::verification::claims::ledger
