#include "verification/checks/determinism/probe.hpp"

#include <algorithm>
#include <bit>

namespace normproof::verification::checks::determinism {

using ref::tensor::empty_tensor;
using ref::tensor::Shape;
using ref::tensor::Tensor;

void Values::add(double x) {
  bits_.push_back(x == x ? std::bit_cast<std::uint64_t>(x) : 0x7ff8000000000000u);
}

void Values::add(const Tensor<double>& t) {
  for (const double x : t) add(x);
}

void Values::add(const std::vector<double>& values) {
  for (const double x : values) add(x);
}

void Values::add_block_hashes(const Tensor<double>& t) {
  constexpr std::size_t kElementsPerHash = 256;
  for (std::size_t begin = 0; begin < t.size(); begin += kElementsPerHash) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (std::size_t i = begin; i < std::min(begin + kElementsPerHash, t.size()); ++i) {
      const auto bits = std::bit_cast<std::uint64_t>(t.data()[i]);
      for (int shift = 0; shift < 64; shift += 8)
        hash = (hash ^ (bits >> shift & 0xff)) * 0x100000001b3u;
    }
    bits_.push_back(hash);
  }
}

std::vector<Probe> probes() {
  std::vector<Probe> all;
  add_activation_probes(all);
  add_arithmetic_probes(all);
  add_elementary_probes(all);
  add_float32_norm_probes(all);
  add_function_probes(all);
  add_matmul_probes(all);
  add_norm_probes(all);
  add_random_probes(all);
  add_sum_probes(all);
  add_training_probes(all);
  std::ranges::sort(all, {}, &Probe::name);
  return all;
}

std::uint64_t Inputs::bits() {
  state_ += 0x9e3779b97f4a7c15u;
  std::uint64_t z = state_;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

double Inputs::uniform(double lower, double upper) {
  const double unit = static_cast<double>(bits() >> 11) * 0x1p-53;
  return lower + (upper - lower) * unit;
}

double Inputs::wide_range_number(int least, int most) {
  const std::uint64_t random = bits();
  const int exponent =
      least + static_cast<int>(below(static_cast<std::uint64_t>(most - least) + 1));
  constexpr std::uint64_t kFractionMask = (std::uint64_t{1} << 52) - 1;
  std::uint64_t result = random & (kFractionMask | std::uint64_t{1} << 63);
  if (exponent >= -1022) {
    result |= static_cast<std::uint64_t>(exponent + 1023) << 52;
  } else {  // the leading bit is at position 2^exponent
    const int place = exponent + 1074;
    const std::uint64_t leading = std::uint64_t{1} << place;
    result = (result & ~kFractionMask) | leading | (random & (leading - 1));
  }
  return std::bit_cast<double>(result);
}

std::vector<double> Inputs::draw_uniforms(std::size_t count, double lower, double upper) {
  std::vector<double> values(count);
  for (double& value : values) value = uniform(lower, upper);
  return values;
}

std::vector<double> Inputs::wide_range_numbers(std::size_t count, int least, int most) {
  std::vector<double> values(count);
  for (double& value : values) value = wide_range_number(least, most);
  return values;
}

Tensor<double> Inputs::draw_normals(const Shape& shape) {
  Tensor<double> t = empty_tensor<double>(shape);
  for (double& value : t) value = normal();
  return t;
}

Tensor<double> Inputs::draw_uniforms(const Shape& shape, double lower, double upper) {
  Tensor<double> t = empty_tensor<double>(shape);
  for (double& value : t) value = uniform(lower, upper);
  return t;
}

Tensor<double> Inputs::wide_range_numbers(const Shape& shape, int least, int most) {
  Tensor<double> t = empty_tensor<double>(shape);
  for (double& value : t) value = wide_range_number(least, most);
  return t;
}

Tensor<double> Inputs::cancelling(const Shape& shape) {
  Tensor<double> t = empty_tensor<double>(shape);
  for (std::size_t i = 0; i < t.size(); ++i)
    t.data()[i] =
        i % 2 == 0 ? wide_range_number(-20, 20) : -t.data()[i - 1] * (1 + 0x1p-40 * uniform(-1, 1));
  return t;
}

}  // namespace normproof::verification::checks::determinism
