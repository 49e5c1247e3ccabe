#include "verification/golden/recipes/recipe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "ref/model/operation_info.hpp"
#include "ref/numeric/random.hpp"
#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/corpus/kind.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::case_operation_name;
using corpus::DType;
using corpus::is_layer;
using corpus::Mode;
using corpus::output_dtype;
using corpus::storage_format;
using corpus::StoredTensor;
using corpus::Tier;

using ref::numeric::RandomStream;
using Shape = std::vector<std::size_t>;

namespace {

std::size_t size_of(const Shape& shape) {
  std::size_t size = 1;
  for (const std::size_t extent : shape) size *= extent;
  return size;
}

double standard(std::size_t, double normal) {
  return normal;
}

/// Returns the fill that was chosen for `name`, or `usual` if none was chosen.
Fill find_chosen_fill(const std::vector<std::pair<std::string, Fill>>& fills, std::string_view name,
                      Fill usual) {
  for (const auto& [own, given] : fills)
    if (own == name) usual = given;
  return usual;
}

}  // namespace

double far_from_one(std::size_t i, double normal) {
  const double magnitude = i % 2 == 0 ? 1.75 + std::fabs(normal) : 0.5 / (1 + std::fabs(normal));
  return i % 3 == 1 ? -magnitude : magnitude;
}

double far_from_zero(std::size_t i, double normal) {
  return (i % 2 == 0 ? 1.5 : -2.5) + 0.5 * normal;
}

double positive(std::size_t, double normal) {
  return 0.5 + normal * normal;
}

StoredTensor filled_tensor(const Case& c, std::string_view name, Shape shape, DType dtype,
                           const Fill& fill, std::uint64_t seed) {
  const RandomStream random(seed, fmt::format("{}/{}/{}/{}", case_operation_name(c), c.reason, name,
                                              fmt::join(shape, "x")));
  std::vector<double> values(size_of(shape));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = ref::numeric::round_to(storage_format(dtype), fill(i, random.normal(i)));
  return ref::io::make_tensor(std::string(name), dtype, std::move(shape), values);
}

Fill parameter_fill(const ref::model::NormParameter& parameter) {
  if (parameter.initial == 0) return far_from_zero;
  return [scale = parameter.initial](std::size_t i, double normal) {
    return scale * far_from_one(i, normal);
  };
}

Fill state_fill(std::string_view name) {
  if (name.ends_with("running_variance") || name.ends_with("running_psi2")) return positive;
  if (name.ends_with("nu")) return [](std::size_t, double normal) { return 0.25 * normal; };
  if (name.ends_with("iterations")) return [](std::size_t, double) { return 2.0; };
  return standard;
}

Recipe::Recipe(Tier tier, std::string_view layer, std::string reason, Shape shape, DType dtype)
    : shape_(std::move(shape)), x_(standard), grad_y_(standard), gate_(far_from_one) {
  case_.tier = tier;
  case_.reason = std::move(reason);
  case_.options = ref::model::operation(layer);
  case_.dtype = dtype;
}

Recipe& Recipe::why(std::string sentence) {
  case_.why = std::move(sentence);
  return *this;
}
Recipe& Recipe::option(std::string_view name, std::string_view value) {
  ref::model::set_option(case_.options, name, value);
  return *this;
}
Recipe& Recipe::inference() {
  case_.mode = Mode::inference;
  return *this;
}
Recipe& Recipe::steps(std::size_t count) {
  steps_ = count;
  case_.sequence = true;
  return *this;
}
Recipe& Recipe::exact() {
  case_.exact = true;
  return *this;
}
Recipe& Recipe::x(Fill fill) {
  x_ = std::move(fill);
  return *this;
}
Recipe& Recipe::grad_y(Fill fill) {
  grad_y_ = std::move(fill);
  return *this;
}
Recipe& Recipe::gate(Fill fill) {
  gate_ = std::move(fill);
  return *this;
}
Recipe& Recipe::parameter(std::string name, Fill fill) {
  parameters_.emplace_back(std::move(name), std::move(fill));
  return *this;
}
Recipe& Recipe::set_parameter_dtype(DType dtype) {
  parameter_dtype_ = dtype;
  return *this;
}
Recipe& Recipe::no_affine() {
  affine_ = false;
  return *this;
}
Recipe& Recipe::without(std::string parameter) {
  absent_ = std::move(parameter);
  return *this;
}
Recipe& Recipe::pads(std::function<bool(std::size_t)> pad) {
  pad_ = std::move(pad);
  return *this;
}
Recipe& Recipe::masked(std::function<bool(std::size_t)> out) {
  out_ = std::move(out);
  return *this;
}
Recipe& Recipe::state(std::string name, Fill fill) {
  state_.emplace_back(std::move(name), std::move(fill));
  return *this;
}

Shape Recipe::stacked(Shape shape) const {
  if (case_.sequence) shape.insert(shape.begin(), steps_);
  return shape;
}

Case Recipe::make(std::uint64_t seed) const {
  Case c = case_;
  c.inputs.push_back(filled_tensor(c, "x", stacked(shape_), c.dtype, x_, seed));
  const ref::model::OperationInfo& info = ref::model::operation_info(c.options);
  const Shape of_y = info.reduces ? Shape(shape_.begin(), shape_.end() - 1) : stacked(shape_);
  c.inputs.push_back(filled_tensor(c, "grad_y", of_y, c.dtype, grad_y_, seed));
  if (info.takes("gate"))
    c.inputs.push_back(filled_tensor(c, "gate", shape_, c.dtype, gate_, seed));
  if (info.takes("residual")) add_residual_inputs(c, seed);
  if (corpus::is_function(c) && info.takes("gamma")) add_affine_inputs(c, seed);
  if (is_layer(c))
    add_layer_inputs(c, seed);
  else if (out_)
    c.inputs.push_back(filled_tensor(
        c, "valid", shape_, DType::boolean,
        [this](std::size_t i, double) { return out_(i) ? 0.0 : 1.0; }, seed));
  std::ranges::sort(c.inputs, {}, &StoredTensor::name);
  return c;
}

void Recipe::add_residual_inputs(Case& c, std::uint64_t seed) const {
  for (const char* name : {"residual", "grad_sum"})
    c.inputs.push_back(filled_tensor(c, name, shape_, c.dtype,
                                     find_chosen_fill(parameters_, name, standard), seed));
}

void Recipe::add_affine_inputs(Case& c, std::uint64_t seed) const {
  for (const auto& [name, usual] : {std::pair{"gamma", &far_from_one}, {"beta", &far_from_zero}})
    if (affine_ && name != absent_)
      c.inputs.push_back(filled_tensor(c, name, {shape_.back()}, parameter_dtype_.value_or(c.dtype),
                                       find_chosen_fill(parameters_, name, usual), seed));
}

void Recipe::add_layer_inputs(Case& c, std::uint64_t seed) const {
  const auto& norm = std::get<ref::model::NormOptions>(c.options);
  const ref::model::NormLayer& layer = ref::model::norm_layer(norm);
  const std::size_t d_model =
      ref::model::shape_in_rows(ref::model::norm_layout(norm), shape_).back();
  for (const ref::model::NormParameter& entry : layer.parameters)
    if (affine_ && entry.name != absent_)
      c.inputs.push_back(
          filled_tensor(c, entry.name, {ref::model::entry_extent(entry.shape, d_model)},
                        parameter_dtype_.value_or(c.dtype),
                        find_chosen_fill(parameters_, entry.name, parameter_fill(entry)), seed));
  if (pad_) {
    const Shape rows = stacked(Shape(shape_.begin(), shape_.end() - 1));
    c.inputs.push_back(filled_tensor(
        c, "valid", rows, DType::boolean,
        [this](std::size_t row, double) { return pad_(row) ? 0.0 : 1.0; }, seed));
  }
  for (const ref::model::NormState& entry : layer.state)
    c.inputs.push_back(
        filled_tensor(c, entry.name, {ref::model::entry_extent(entry.shape, d_model)},
                      output_dtype(c.dtype, entry.name),
                      find_chosen_fill(state_, entry.name, state_fill(entry.name)), seed));
}

}  // namespace normproof::verification::golden::recipes
