#include "ref/train/initialization.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ref/numeric/parallel.hpp"
#include "ref/numeric/random.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::ref::train {

using numeric::Clause;

namespace {

using numeric::square_root;

constexpr auto kInitialValues = "initial_values";

double check_not_negative(std::string_view option, double value) {
  tensor::check_option(kInitialValues, option, value, value >= 0, fmt::format("{} >= 0", option),
                       Clause::C2);
  return value;
}

/// The distribution of the initial values. Value i is `factor normal(i)` if `normal` is true,
/// otherwise `factor (2 uniform(i) - 1)`.
struct ValueDistribution {
  double factor;
  bool normal;
};

/// The extents fan_in and fan_out of a weight, as floating-point numbers.
struct FanExtents {
  double in = 0;
  double out = 0;
};

ValueDistribution make_distribution(const model::XavierNormal& o, const FanExtents& fan) {
  return {check_not_negative("gain", o.gain) * square_root(2 / (fan.in + fan.out)), true};
}
ValueDistribution make_distribution(const model::XavierUniform& o, const FanExtents& fan) {
  return {check_not_negative("gain", o.gain) * square_root(6 / (fan.in + fan.out)), false};
}
ValueDistribution make_distribution(const model::KaimingNormal& o, const FanExtents& fan) {
  return {check_not_negative("gain", o.gain) / square_root(fan.in), true};
}
ValueDistribution make_distribution(const model::KaimingUniform& o, const FanExtents& fan) {
  return {check_not_negative("gain", o.gain) * square_root(3 / fan.in), false};
}
ValueDistribution make_distribution(const model::PlainUniform& o, const FanExtents&) {
  return {check_not_negative("limit", o.limit), false};
}

}  // namespace

tensor::Tensor<double> initial_values(const model::InitializationOptions& options,
                                      std::string_view name, const tensor::Shape& shape,
                                      std::uint64_t seed) {
  const bool needs_fans = !std::holds_alternative<model::PlainUniform>(options);
  if ((needs_fans && shape.size() != 2) || std::ranges::count(shape, 0u) > 0)
    numeric::contract_failure(
        kInitialValues, name, "has shape " + tensor::to_string(shape),
        fmt::format("{} with every extent at least 1", needs_fans ? "[O, I]" : "a shape"),
        Clause::C1);
  FanExtents fan;
  if (needs_fans) fan = {static_cast<double>(shape[1]), static_cast<double>(shape[0])};
  const ValueDistribution width =
      std::visit([&](const auto& o) { return make_distribution(o, fan); }, options);
  const numeric::RandomStream random(seed, fmt::format("init/{}", name));
  auto values = tensor::empty_tensor<double>(shape);
  numeric::parallel_for(values.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      values.data()[i] =
          width.factor * (width.normal ? random.normal(i) : 2 * random.uniform(i) - 1);
  });
  return values;
}

}  // namespace normproof::ref::train
