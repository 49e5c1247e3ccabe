#include "verification/checks/lipschitz/lipschitz.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <variant>

#include "ref/numeric/ball.hpp"
#include "ref/tensor/contract.hpp"
#include "verification/checks/lipschitz/layer_parts.hpp"

namespace normproof::verification::checks::lipschitz {

namespace model = ref::model;
using ref::model::NormInputs;
using ref::numeric::ball;
using ref::numeric::Clause;
using ref::tensor::NamedTensors;
using ref::tensor::Tensor;

namespace {

using Vector = Jacobian::Vector;

template <class T>
NormInputs<T> converted(const NormInputs<double>& inputs) {
  const auto optional = [](const Tensor<double>& t) {
    return ref::tensor::is_given(t) ? ref::tensor::convert<T>(t) : Tensor<T>();
  };
  NormInputs<T> result{.x = ref::tensor::convert<T>(inputs.x),
                       .gamma = optional(inputs.gamma),
                       .beta = optional(inputs.beta),
                       .grad_y = optional(inputs.grad_y),
                       .mode = inputs.mode};
  for (const auto& [name, values] : inputs.others) result.others.set(name, optional(values));
  return result;
}

/// Returns a lower bound of the gain ||J^T g|| / ||g|| of each part, computed with the layer's own
/// backward. g is the step's grad_y.
std::vector<double> gain_lower_bounds(const Step& step, PartKind kind) {
  NamedTensors<ball> state;
  for (const auto& [name, values] : step.state) state.set(name, ref::tensor::convert<ball>(values));
  const auto done = ref::norm::norm_step<ball>(step.options, converted<ball>(step.inputs), state);
  const Tensor<ball>& grad_x = done.outputs.at("grad_x");
  std::vector<ball> in(kind == PartKind::row ? grad_x.size() / step.width : step.width);
  std::vector<ball> out(in.size());
  for (std::size_t i = 0; i < grad_x.size(); ++i) {
    const std::size_t part = kind == PartKind::row ? i / step.width : i % step.width;
    const ball g(step.inputs.grad_y.data()[i]);
    in[part] += g * g;
    out[part] += grad_x.data()[i] * grad_x.data()[i];
  }
  std::vector<double> result;
  for (std::size_t p = 0; p < in.size(); ++p)
    result.push_back(std::max(0.0, sqrt(out[p] / in[p]).lower()));
  return result;
}

/// Returns the `count` parts with the largest upper bounds; all parts if there are fewer.
std::vector<std::size_t> find_parts_with_largest_norms(const std::vector<Enclosure>& norms,
                                                       std::size_t count) {
  std::vector<std::size_t> order(norms.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (count >= order.size()) return order;
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t p) { return norms[p].upper; });
  order.resize(count);
  return order;
}

bool is_within(const Vector& x, const Vector& centre, double radius) {
  ball sum(0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const ball step = ball(x[i]) - ball(centre[i]);
    sum += step * step;
  }
  return sum <= ball(radius) * ball(radius);
}

Norms compute_norms(const Step& step, const Parts& parts, const Tensor<double>& given,
                    double radius, std::size_t attained) {
  Tensor<double> x = step.inputs.x,
                 grad_y = ref::tensor::full_tensor<double>(ref::tensor::shape_of(step.inputs.x), 0);
  Norms norms;
  for (std::size_t p = 0; p < parts.jacobians.size(); ++p) {
    const Jacobian& jacobian = *parts.jacobians[p];
    const Vector centre = parts.gather(step.inputs.x, p);
    Vector point = centre;
    if (radius > 0) {
      const auto points = jacobian.steepest_points(centre, radius);
      point = *std::ranges::find_if(
          points, [&](const Vector& near) { return is_within(near, centre, radius); });
    }
    const UpperBound bound = radius > 0 ? jacobian.around(centre, radius) : jacobian.at(centre);
    norms.norms.push_back({0, bound.norm, bound.theory});
    parts.scatter(x, p, point);
    parts.scatter(grad_y, p, jacobian.direction(point));
  }
  const auto asked = find_parts_with_largest_norms(norms.norms, attained);
  const std::vector<double> lower =
      gain_lower_bounds(select_parts(step, parts.kind, asked, x, grad_y), parts.kind);
  for (std::size_t i = 0; i < lower.size(); ++i) {
    Enclosure& norm = norms.norms[asked[i]];
    norm.lower = lower[i];
    if (!(norm.lower <= norm.upper))
      throw std::runtime_error(fmt::format(
          "{}: the backward makes a gradient of {} {} {} times as long, which the Jacobian of its "
          "formula says is {} at most",
          model::norm_name(step.options), parts.kind == PartKind::row ? "row" : "channel",
          parts.kind == PartKind::row ? step.rows[asked[i]] : asked[i], norm.lower, norm.upper));
  }
  norms.x = insert_padding_rows(x, step, given);
  norms.grad_y = insert_padding_rows(
      grad_y, step, ref::tensor::full_tensor<double>(ref::tensor::shape_of(given), 0));
  return norms;
}

/// Returns the precision of the ball arithmetic in bits. For DyT, 1 - tanh^2 is about exp(-2 |alpha
/// x|) far from 0. This cancellation costs 3 bits for each unit of |alpha x|.
slong required_precision_bits(const Step& step) {
  constexpr double kBits = 128, kMaxBits = 4096;
  if (!std::holds_alternative<model::DyTOptions>(step.options)) return static_cast<slong>(kBits);
  const auto* const alpha = model::find_parameter(step.inputs, "alpha");
  const double slope = alpha ? alpha->data()[0] : std::get<model::DyTOptions>(step.options).alpha0;
  double farthest = 0;
  for (const double value : step.inputs.x) farthest = std::max(farthest, std::fabs(slope * value));
  return static_cast<slong>(std::min(kMaxBits, kBits + 3 * farthest));
}

}  // namespace

Enclosure largest(const std::vector<Enclosure>& parts) {
  Enclosure all;
  for (const Enclosure& part : parts) {
    all.lower = std::max(all.lower, part.lower);
    all.upper = std::max(all.upper, part.upper);
    all.theory = std::max(all.theory, part.theory);
  }
  return all;
}

const std::vector<std::string>& layer_names() {
  static const std::vector<std::string> names = {"batch_norm",   "layer_norm", "rms_norm",
                                                 "power_norm_v", "power_norm", "dyt"};
  return names;
}

Lipschitz certify(const model::NormOptions& options, const NormInputs<double>& inputs,
                  const NamedTensors<double>& state, double radius, std::size_t attained) {
  if (attained == 0)
    ref::numeric::contract_failure("lipschitz", "attained", "is 0", "1 or more", Clause::C4);
  if (!(radius >= 0 && std::isfinite(radius)))
    ref::numeric::contract_failure("lipschitz", "radius", fmt::format("is {}", radius),
                                   "a finite number, 0 or more", Clause::C2);
  const Step step = make_exact_step(options, inputs, state);
  const Parts parts = make_parts(step);
  const ref::numeric::BallPrecision precision(required_precision_bits(step));

  Lipschitz result{
      parts.kind, parts.theory, {}, compute_norms(step, parts, inputs.x, 0, attained), {}};
  if (parts.kind == PartKind::row)
    result.parts = step.rows;
  else
    for (std::size_t d = 0; d < step.width; ++d) result.parts.push_back(d);
  if (radius > 0) result.around = compute_norms(step, parts, inputs.x, radius, attained);
  return result;
}

}  // namespace normproof::verification::checks::lipschitz
