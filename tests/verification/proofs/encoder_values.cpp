#include <cstdio>
#include <string>
#include <vector>

#include "ref/numeric/ball.hpp"
#include "ref/numeric/random.hpp"
#include "verification/claims/fixtures/encoder_case.hpp"

// Prints drawn encoders of one layer and enclosures of what the program makes of them, for
// definitions_against_ref: a line of numbers in hexadecimal after each name, of an enclosure its
// two ends.
namespace {

using namespace normproof;
using ref::model::NormPlacement;
using ref::numeric::ball;
using verification::claims::fixtures::EncoderCase;

void print(const char* name, const std::vector<double>& numbers) {
  std::printf("%s", name);
  for (const double v : numbers) std::printf(" %a", v);
  std::printf("\n");
}

void print(const char* name, const ref::tensor::Tensor<ball>& enclosures) {
  std::printf("%s", name);
  for (const ball& v : enclosures) std::printf(" %a %a", v.lower(), v.upper());
  std::printf("\n");
}

void print_case(const char* name, NormPlacement placement, std::size_t tokens, std::size_t d,
                double eps) {
  const ref::numeric::RandomStream stream(20260101, "proofs/encoder_values");
  std::uint64_t drawn = 0;
  const auto numbers = [&](std::size_t count) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i)
      values.push_back(static_cast<double>(stream.below(drawn++, 33)) / 16 - 1 + 0x1p-6);
    return values;
  };
  EncoderCase c{.tokens = tokens, .d_model = d, .placement = placement, .eps = eps};
  c.x = numbers(tokens * d);
  c.grad_y = numbers(tokens * d);
  c.layers = {{numbers(d * d), numbers(d * d), numbers(d * d)}};
  const ref::numeric::BallPrecision precision(256);
  const auto step = verification::claims::engine::run_stack(c.inputs<ball>());
  std::printf("case %s %zu %zu\n", name, tokens, d);
  print("eps", std::vector<double>{eps});
  print("x", c.x);
  print("grad_y", c.grad_y);
  print("W_V", c.layers[0].value);
  print("W_1", c.layers[0].first);
  print("W_2", c.layers[0].second);
  for (const char* value : {"norm1.y", "norm2.x", "norm2.y", "feed_forward.active"})
    print(value, step.values.at("layers.0." + std::string(value)));
  print("y", step.y);
  print("grad_W_2", step.gradients.back().feed_forward.second.weight);
  print("grad_x", step.grad_x);
}

}  // namespace

int main() {
  print_case("post", NormPlacement::post, 1, 3, 0);
  print_case("pre", NormPlacement::pre, 1, 2, 0.0625);
  print_case("pre_of_two", NormPlacement::pre, 2, 2, 0.0625);
  return 0;
}
