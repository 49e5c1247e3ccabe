#include "verification/claims/engine/deviation.hpp"

#include <algorithm>

#include "ref/numeric/elementary_array.hpp"
#include "ref/numeric/square_root.hpp"

namespace normproof::verification::claims::engine {

namespace {

constexpr double kNegativeLogProbability = 25;

/// A power of two and its exponent.
struct PowerOfTwo {
  double value = 1;
  double exponent = 0;
};

PowerOfTwo next_power_of_two(double v) {
  PowerOfTwo power;
  while (power.value < v) power = {2 * power.value, power.exponent + 1};
  return power;
}

/// Returns -ln(w), where w = 1/((e+1)(e+2)) is the weight of the power 2^e. The weights of all
/// exponents e = 0, 1, ... add up to 1.
double negative_log_weight(const PowerOfTwo& power) {
  return ref::numeric::log((power.exponent + 1) * (power.exponent + 2));
}

}  // namespace

void Deviation::add(double variance, double scale, std::size_t count) {
  variance_ += variance * static_cast<double>(count);
  scale_ = std::max(scale_, scale);
}

double Deviation::bound() const {
  const PowerOfTwo y = next_power_of_two(variance_), z = next_power_of_two(scale_);
  const double nats = kNegativeLogProbability + negative_log_weight(y) + negative_log_weight(z);
  return ref::numeric::square_root(2 * y.value * nats) + z.value * nats;
}

Increment relu_square_increment() {
  return {1.5, 2};
}

Increment noncentral_square_increment(double x_squared, double s_squared, std::size_t d) {
  return {2 * (2 * s_squared * x_squared + static_cast<double>(d) * s_squared * s_squared),
          2 * s_squared};
}

Increment bounded_increment(double variance, double most) {
  return {variance, most / 3};
}

}  // namespace normproof::verification::claims::engine
