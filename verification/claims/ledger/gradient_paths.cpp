#include <fmt/format.h>

#include "ref/ops/matmul.hpp"
#include "verification/claims/engine/control.hpp"
#include "verification/claims/ledger/encoders.hpp"

// Claims E12 to E15: the gradient through an encoder as a product of Jacobians and as a sum over
// paths.
namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;

namespace {

using ref::model::NormPlacement;
using ref::numeric::ball;
using Balls = Tensor<ball>;  // [n,n] with n = tokens * d_model, or [1,n]

/// Two Jacobians of a sublayer: the Jacobian of its norm with respect to the input of the norm, and
/// the Jacobian of its function F (attention or feed-forward) with respect to the input of F.
struct Sublayer {
  Balls norm, branch;
};

Balls identity(std::size_t n) {
  Balls result = ref::tensor::full_tensor<ball>({n, n}, ball(0));
  for (std::size_t i = 0; i < n; ++i) result(i, i) = ball(1);
  return result;
}

Balls plus(Balls a, const Balls& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] += b.data()[i];
  return a;
}

Balls multiply_matrices(const Balls& a, const Balls& b) {
  return ref::ops::matmul(a, b);
}

/// Returns the Jacobian of LayerNorm at each token. It is `(I - 1 1^T/d - x_hat x_hat^T/d) / s`
/// with `s = sqrt(variance + eps)`, where d is the number of features and 1 in `1 1^T` is the
/// vector of ones.
Balls norm_jacobian(const EncoderCase& c, const Balls& x) {
  const std::size_t d = c.d_model, n = c.tokens * d;
  const ball width(static_cast<double>(d));
  Balls result = ref::tensor::full_tensor<ball>({n, n}, ball(0));
  for (std::size_t begin = 0; begin < n; begin += d) {
    ball sum(0), squares(0);
    for (std::size_t i = 0; i < d; ++i) sum += x.data()[begin + i];
    std::vector<ball> deviation(d);
    for (std::size_t i = 0; i < d; ++i) {
      deviation[i] = x.data()[begin + i] - sum / width;
      squares += deviation[i] * deviation[i];
    }
    const ball s2 = squares / width + ball(c.eps);
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j)
        result(begin + i, begin + j) =
            (ball(i == j ? 1 : 0) - (ball(1) + deviation[i] * deviation[j] / s2) / width) /
            sqrt(s2);
  }
  return result;
}

/// Returns the Jacobian of attention. For each pair of tokens, it is W_V divided by the number of
/// tokens.
Balls attention_jacobian(const EncoderCase& c, std::size_t layer) {
  const std::size_t d = c.d_model, n = c.tokens * d;
  Balls result = ref::tensor::empty_tensor<ball>({n, n});
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      result(i, j) =
          ball(c.layers[layer].value[i % d * d + j % d]) / ball(static_cast<double>(c.tokens));
  return result;
}

/// Returns the Jacobian of the feed-forward at each token: `W_2 diag(inner > 0) W_1`, where the
/// diagonal matrix has 1 where `inner` is positive and 0 elsewhere.
Balls feed_forward_jacobian(const EncoderCase& c, std::size_t layer, const Balls& inner) {
  const std::size_t d = c.d_model, n = c.tokens * d;
  const LayerWeights& w = c.layers[layer];
  Balls result = ref::tensor::full_tensor<ball>({n, n}, ball(0));
  for (std::size_t begin = 0; begin < n; begin += d)
    for (std::size_t k = 0; k < d; ++k) {
      if (!(inner.data()[begin + k] > ball(0))) continue;
      for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j < d; ++j)
          result(begin + i, begin + j) += ball(w.second[i * d + k]) * ball(w.first[k * d + j]);
    }
  return result;
}

/// Two gradients to compare. One is computed by the encoder's backward. The other is grad_y times
/// the matrix that, according to the claim, is the Jacobian.
struct ComparedPaths {
  Judgement judgement;
  std::vector<double> backward, product;
};

using Jacobian = std::function<Balls(const std::vector<Sublayer>&, std::size_t n)>;

ComparedPaths compare_paths(const TestedImplementation& subject, const EncoderCase& c,
                            const Jacobian& jacobian) {
  const ref::numeric::BallPrecision precision(kEncoderBits);
  const StackInputs<ball> in = c.inputs<ball>();
  const StackStep<ball> step = subject.stack_ball(in);
  std::vector<Sublayer> sublayers;
  sublayers.reserve(2 * c.layers.size());
  for (std::size_t l = 0; l < c.layers.size(); ++l) {
    const Balls& inner = step.values.at(layer_value_name(l, "feed_forward.inner"));
    for (const ball& v : inner)
      if (!(v > ball(0)) && !(v <= ball(0))) return {discarded(), {}, {}};
    sublayers.push_back({norm_jacobian(c, step.values.at(layer_value_name(l, "norm1.x"))),
                         attention_jacobian(c, l)});
    sublayers.push_back({norm_jacobian(c, step.values.at(layer_value_name(l, "norm2.x"))),
                         feed_forward_jacobian(c, l, inner)});
  }
  const std::size_t n = c.x.size();
  Balls g = ref::tensor::empty_tensor<ball>({1, n});
  for (std::size_t i = 0; i < n; ++i) g.data()[i] = ball(c.grad_y[i]);
  const Balls product = multiply_matrices(g, jacobian(sublayers, n));
  ComparedPaths result{judge_condition(true), {}, {}};
  for (std::size_t i = 0; i < n; ++i) {
    result.judgement =
        worse_judgement(result.judgement, judge_overlap(step.grad_x.data()[i], product.data()[i]));
    result.backward.push_back(step.grad_x.data()[i].midpoint());
    result.product.push_back(product.data()[i].midpoint());
  }
  return result;
}

// ---- The four claims about Jacobians. In a list the first sublayer comes first; in a product it
// is the rightmost factor.

Balls interleaved_product(const std::vector<Sublayer>& sublayers, std::size_t n) {
  Balls product = identity(n);
  for (const Sublayer& s : sublayers)
    product = multiply_matrices(s.norm, multiply_matrices(plus(identity(n), s.branch), product));
  return product;
}

Balls separated_product(const std::vector<Sublayer>& sublayers, std::size_t n) {
  Balls norms = identity(n), branches = identity(n);
  for (const Sublayer& s : sublayers) {
    norms = multiply_matrices(s.norm, norms);
    branches = multiply_matrices(plus(identity(n), s.branch), branches);
  }
  return multiply_matrices(norms, branches);
}

Balls sum_of_total_derivatives(const std::vector<Sublayer>& sublayers, std::size_t n) {
  Balls sum = identity(n), state = identity(n);  // state: the product d x_k / d x_l
  for (const Sublayer& s : sublayers) {
    const Balls one = multiply_matrices(s.branch, s.norm);
    sum = plus(sum, multiply_matrices(one, state));
    state = multiply_matrices(plus(identity(n), one), state);
  }
  return sum;
}

Balls sum_of_partial_derivatives(const std::vector<Sublayer>& sublayers, std::size_t n) {
  Balls sum = identity(n);
  for (const Sublayer& s : sublayers) sum = plus(sum, multiply_matrices(s.branch, s.norm));
  return sum;
}

/// Returns the encoder with all sublayers except the first one set to F = 0.
EncoderCase keep_only_first_sublayer(EncoderCase c) {
  for (std::size_t l = 0; l < c.layers.size(); ++l) {
    if (l > 0) c.layers[l].value.assign(c.layers[l].value.size(), 0);
    c.layers[l].first.assign(c.layers[l].first.size(), 0);
  }
  return c;
}

Property<EncoderCase> path_property(const TestedImplementation& subject, NormPlacement placement,
                                    const Jacobian& jacobian, bool one_sublayer = false) {
  const auto compared = [&subject, jacobian, one_sublayer](const EncoderCase& c) {
    return compare_paths(subject, one_sublayer ? keep_only_first_sublayer(c) : c, jacobian);
  };
  return {.cases = encoders({.placement = placement,
                             .max_tokens = 2,
                             .min_d_model = 2,
                             .max_d_model = 3,
                             .max_layers = 2,
                             .positive_eps = true}),
          .judge = [=](const EncoderCase& c) { return compared(c).judgement; },
          .describe =
              [=](const EncoderCase& c) {
                const ComparedPaths both_sides = compared(c);
                return fmt::format("{}: ∂E/∂x_l = {}, the formula {}", show(c),
                                   show(both_sides.backward), show(both_sides.product));
              },
          .worst_meaning = "|left − right| / the radii of both enclosures, at 256 bits"};
}

const char* const kPathAssumptions =
    "one head, W_Q = W_K = 0, one or two tokens, ReLU, eps > 0; each layer is two sublayers";

Claim interleaved_claim() {
  return {.id = "E12",
          .title = "the gradient through post-norm layers is an interleaved product",
          .statement =
              "x_{k+1} = LN(y_k), y_k = x_k + F_k(x_k): ∂E/∂x_l = ∂E/∂x_L · Π_{k=L−1..l} "
              "J_LN(y_k)(I + J_F(x_k)), later k on the left",
          .source = "[WLX+19], post-norm, as matrices; derived: docs/derivations/claims.md, E",
          .assumptions = kPathAssumptions,
          .expected = Verdict::holds,
          .check = [](const Run& run) {
            return examine(run,
                           path_property(run.subject, NormPlacement::post, interleaved_product));
          }};
}

Claim separated_claim() {
  return {.id = "E13",
          .title = "the two products of the post-norm gradient, separated",
          .statement = "∂E/∂x_l = ∂E/∂x_L · Π_k J_LN(y_k) · Π_k (I + J_F(x_k))",
          .source = "[WLX+19], post-norm, as printed; derived: docs/derivations/claims.md, E",
          .assumptions = kPathAssumptions,
          .expected = Verdict::refuted,
          .dropped = "one sublayer with F ≠ 0: the Jacobians of two do not commute",
          .check = [](const Run& run) {
            return refute_with_control(
                examine(run, path_property(run.subject, NormPlacement::post, separated_product)),
                [&] {
                  return examine(
                      reduce_case_count(run),
                      path_property(run.subject, NormPlacement::post, separated_product, true));
                },
                "with F = 0 after the first sublayer it holds");
          }};
}

Claim total_derivative_claim() {
  return {
      .id = "E14",
      .title = "the gradient through pre-norm layers is a sum",
      .statement =
          "x_{k+1} = x_k + F_k(LN(x_k)): ∂E/∂x_l = ∂E/∂x_L · (I + Σ_k ∂F_k(LN(x_k))/∂x_l), with "
          "∂x_k/∂x_l = Π_{j<k} (I + J_F J_LN(x_j)) inside each term",
      .source = "[WLX+19], pre-norm; derived: docs/derivations/claims.md, E",
      .assumptions = kPathAssumptions,
      .expected = Verdict::holds,
      .check = [](const Run& run) {
        return examine(run,
                       path_property(run.subject, NormPlacement::pre, sum_of_total_derivatives));
      }};
}

Claim partial_derivative_claim() {
  return {.id = "E15",
          .title = "the sum of the pre-norm gradient, layer by layer",
          .statement = "∂E/∂x_l = ∂E/∂x_L · (I + Σ_k J_F J_LN(x_k)): each term by its own input",
          .source =
              "[WLX+19], pre-norm, its terms read as Jacobians of single layers; derived: "
              "docs/derivations/claims.md, E",
          .assumptions = kPathAssumptions,
          .expected = Verdict::refuted,
          .dropped = "∂x_k/∂x_l in each term, which is I where F = 0 in all layers before k",
          .check = [](const Run& run) {
            return refute_with_control(
                examine(run,
                        path_property(run.subject, NormPlacement::pre, sum_of_partial_derivatives)),
                [&] {
                  return examine(reduce_case_count(run),
                                 path_property(run.subject, NormPlacement::pre,
                                               sum_of_partial_derivatives, true));
                },
                "with F = 0 after the first sublayer it holds");
          }};
}

}  // namespace

std::vector<Claim> gradient_path_claims() {
  return {interleaved_claim(), separated_claim(), total_derivative_claim(),
          partial_derivative_claim()};
}

}  // namespace normproof::verification::claims::ledger
