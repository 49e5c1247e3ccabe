#include <cstdio>
#include <string>
#include <vector>

#include "ref/numeric/ball.hpp"
#include "ref/numeric/elementary.hpp"
#include "ref/numeric/random.hpp"
#include "verification/claims/fixtures/encoder_case.hpp"

// Prints randomly drawn encoders, and enclosures of the values that the program computes for them.
// The script definitions_against_ref reads the output. Each line has a name, followed by numbers in
// hexadecimal; an enclosure is printed as its two ends.
namespace {

using namespace normproof;
using ref::model::NormPlacement;
using ref::numeric::ball;
using verification::claims::engine::StackStep;
using verification::claims::fixtures::EncoderCase;
using verification::claims::fixtures::LayerWeights;

void print_numbers(const char* name, const std::vector<double>& numbers) {
  std::printf("%s", name);
  for (const double v : numbers) std::printf(" %a", v);
  std::printf("\n");
}

void print_numbers(const char* name, const ref::tensor::Tensor<ball>& enclosures) {
  std::printf("%s", name);
  for (const ball& v : enclosures) std::printf(" %a %a", v.lower(), v.upper());
  std::printf("\n");
}

void print_numbers(const char* name, const ball& enclosure) {
  std::printf("%s %a %a\n", name, enclosure.lower(), enclosure.upper());
}

/// Draws an encoder with one layer. Each number is a small multiple of 1/16 plus 1/64, so that none
/// is 0.
EncoderCase draw_encoder(NormPlacement placement, std::size_t tokens, std::size_t d, double eps) {
  const ref::numeric::RandomStream stream(20260101, "proofs/encoder_values");
  std::uint64_t next = 0;
  const auto numbers = [&](std::size_t count) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i)
      values.push_back(static_cast<double>(stream.below(next++, 33)) / 16 - 1 + 0x1p-6);
    return values;
  };
  EncoderCase c{.tokens = tokens, .d_model = d, .placement = placement, .eps = eps};
  c.x = numbers(tokens * d);
  c.grad_y = numbers(tokens * d);
  c.layers = {{numbers(d * d), numbers(d * d), numbers(d * d)}};
  return c;
}

void print_drawn_case(const char* name, const EncoderCase& c) {
  std::printf("case %s %zu %zu\n", name, c.tokens, c.d_model);
  print_numbers("eps", std::vector<double>{c.eps});
  print_numbers("x", c.x);
  print_numbers("grad_y", c.grad_y);
  print_numbers("W_V", c.layers[0].value);
  print_numbers("W_1", c.layers[0].first);
  print_numbers("W_2", c.layers[0].second);
}

void print_case(const char* name, const EncoderCase& c) {
  const auto step = verification::claims::engine::run_stack(c.inputs<ball>());
  print_drawn_case(name, c);
  for (const char* value : {"norm1.y", "norm2.x", "norm2.y", "feed_forward.active"})
    print_numbers(value, step.values.at("layers.0." + std::string(value)));
  print_numbers("y", step.y);
  print_numbers("grad_W_2", step.gradients.back().feed_forward.second.weight);
  print_numbers("grad_x", step.grad_x);
}

/// Prints the values of the case with causal attention, W_Q = W_1 and W_K = W_2. With pre-norm, a
/// final norm follows the layer.
void print_causal_case(const char* name, EncoderCase c) {
  c.final_norm = c.placement == NormPlacement::pre;
  auto in = c.inputs<ball>(false);
  in.config.causal = true;
  ball* weight = in.layers[0].attention.in.weight.data();
  for (const auto* matrix : {&c.layers[0].first, &c.layers[0].second})
    for (const double v : *matrix) *weight++ = ball(v);
  print_drawn_case(name, c);
  print_numbers("y", verification::claims::engine::run_stack(in).y);
}

std::vector<double> negate(std::vector<double> matrix) {
  for (double& v : matrix) v = -v;
  return matrix;
}

/// Returns the mean of f over all choices of the sign of W_1 in each of `layers` layers. If
/// `both_second` is true, the mean also covers the two signs of W_2; W_2 has the same sign in all
/// layers.
template <class F>
ball average_over_signs(const EncoderCase& c, std::size_t layers, bool both_second, F f) {
  const unsigned of_first = 1U << layers, draws = of_first * (both_second ? 2 : 1);
  ball sum(0);
  for (unsigned signs = 0; signs < draws; ++signs) {
    LayerWeights w = c.layers[0];
    if (signs >= of_first) w.second = negate(w.second);
    EncoderCase one = c;
    one.layers.assign(layers, w);
    for (std::size_t l = 0; l < layers; ++l)
      if ((signs >> l & 1U) != 0) one.layers[l].first = negate(w.first);
    sum += f(verification::claims::engine::run_stack(one.inputs<ball>()));
  }
  return sum / ball(static_cast<int>(draws));
}

ball sum_squares(const ref::tensor::Tensor<ball>& values, std::size_t begin, std::size_t count) {
  ball sum(0);
  for (std::size_t i = begin; i < begin + count; ++i) sum += values.data()[i] * values.data()[i];
  return sum;
}

ball squared_gradient_length(const StackStep<ball>& step) {
  const auto& gradient = step.gradients.back().feed_forward.second.weight;
  return sum_squares(gradient, 0, gradient.size());
}

void print_means(const char* name, const EncoderCase& c) {
  print_drawn_case(name, c);
  print_numbers("length", average_over_signs(c, 1, true, [&](const StackStep<ball>& step) {
                  return sum_squares(step.values.at("layers.0.norm2.x"), 0, c.d_model);
                }));
  print_numbers("gradient", average_over_signs(c, 1, false, squared_gradient_length));
}

/// Prints the mean variance of the features after two layers.
void print_mean_feature_variance(const char* name, const EncoderCase& c) {
  print_drawn_case(name, c);
  print_numbers("spread", average_over_signs(c, 2, false, [&](const StackStep<ball>& step) {
                  ball sum(0);
                  for (const ball& v : step.y) sum += v;
                  const ball d(static_cast<int>(c.d_model)), mean = sum / d;
                  return sum_squares(step.y, 0, c.d_model) / d - mean * mean;
                }));
}

/// Prints the mean squared length of the second of two tokens.
void print_mean_squared_token_length(const char* name, const EncoderCase& c) {
  print_drawn_case(name, c);
  print_numbers("length", average_over_signs(c, 1, false, [&](const StackStep<ball>& step) {
                  return sum_squares(step.y, c.d_model, c.d_model);
                }));
}

/// Prints an enclosure of the probability `P(max ReLU(X)^2 <= 2 ln(100 d))` for a vector X of d = 4
/// independent standard normal numbers.
void print_maximum_probability() {
  const ball root = sqrt(ref::numeric::log(ball(400)));
  const ball phi = (ball(1) + ref::numeric::erf(root)) / ball(2);
  std::printf("case chance 1 4\n");
  print_numbers("chance", phi * phi * phi * phi);
}

}  // namespace

int main() {
  const ref::numeric::BallPrecision precision(256);
  print_case("post", draw_encoder(NormPlacement::post, 1, 3, 0));
  print_case("pre", draw_encoder(NormPlacement::pre, 1, 2, 0.0625));
  print_case("pre_of_two", draw_encoder(NormPlacement::pre, 2, 2, 0.0625));
  print_causal_case("causal_post", draw_encoder(NormPlacement::post, 2, 2, 0.0625));
  print_causal_case("causal_pre", draw_encoder(NormPlacement::pre, 2, 2, 0.0625));
  print_means("means_post", draw_encoder(NormPlacement::post, 1, 3, 0));
  print_mean_feature_variance("means_of_two_layers",
                              draw_encoder(NormPlacement::pre, 1, 2, 0.0625));
  print_mean_squared_token_length("means_of_two", draw_encoder(NormPlacement::pre, 2, 2, 0.0625));
  print_maximum_probability();
  return 0;
}
