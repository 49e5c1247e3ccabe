#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ref/model/norm_layers.hpp"
#include "verification/golden/corpus/case.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::DType;
using corpus::StoredTensor;
using corpus::Tier;

/// The element `flat` (C order) of a tensor, from a random number of its own.
using Fill = std::function<double(std::size_t flat, double normal)>;

/// gamma: 0.5 to about 4, of either sign, 1 nowhere. beta: far from 0. A squared statistic.
double far_from_one(std::size_t flat, double normal);
double far_from_zero(std::size_t flat, double normal);
double positive(std::size_t flat, double normal);

/// A tensor of the inputs of c, whose elements are rounded to the dtype, ties to even: a function
/// of the operation, the reason, its own name, the shape and the seed, so that the dtypes share
/// their numbers up to rounding.
StoredTensor filled_tensor(const Case& c, std::string_view name, std::vector<std::size_t> shape,
                           DType dtype, const Fill& fill, std::uint64_t seed);

/// Far from the initial value, of either sign: gamma from 0.5 to about 4, 1 nowhere; beta far from
/// 0.
Fill fill_of_parameter(const ref::model::NormParameter& parameter);

/// What a norm carries before the step: by default a random one, `iterations` 2.
Fill fill_of_state(std::string_view name);

/// How the inputs of a case are made: a function of its path and the seed, on every machine. What
/// is not set is as far from the neutral element as a kernel that forgets it can be told apart:
/// gamma far from 1, beta far from 0, a state that is not the initial one.
///
///   Recipe(Tier::quick, "layer_norm", "offset_1e4", {7, 16}, DType::float32)
///       .why("...").x([](auto, double normal) { return 1e4 + normal; }).make()
class Recipe {
 public:
  /// The shape of x in one step, as the layout of the options has it; `layer` may be a function
  /// too.
  Recipe(Tier tier, std::string_view layer, std::string reason, std::vector<std::size_t> shape,
         DType dtype);

  Recipe& why(std::string sentence);
  /// Throws    UsageError as set_option does
  Recipe& option(std::string_view name, std::string_view value);
  Recipe& inference();
  Recipe& steps(std::size_t count);
  Recipe& exact();
  /// x and grad_y have the axis of steps in front, if there is one: `flat` counts through it.
  Recipe& x(Fill fill);
  Recipe& grad_y(Fill fill);
  /// Of a function that takes one; by default far_from_one.
  Recipe& gate(Fill fill);
  /// All elements of a parameter of the layer, by default fill_of_parameter, or of what a function
  /// that adds a residual takes beside x and grad_y: `residual` and `grad_sum` are standard normal.
  Recipe& parameter(std::string name, Fill fill);
  /// The dtype of the parameters, where it is not that of x.
  Recipe& parameters_in(DType dtype);
  Recipe& no_affine();
  /// One parameter of the layer is absent.
  Recipe& without(std::string parameter);
  /// A row is padding where `pad` says so, by its number in C order, steps included.
  Recipe& pads(std::function<bool(std::size_t row)> pad);
  /// An element of a function takes no part where `out` says so, by its number in C order.
  Recipe& masked(std::function<bool(std::size_t i)> out);
  /// All elements of a tensor of the state; by default a random one, `iterations` 2.
  Recipe& state(std::string name, Fill fill);

  /// Every value is rounded to the dtype (the state of 16-bit cases to float32), ties to even.
  Case make(std::uint64_t seed) const;

 private:
  std::vector<std::size_t> stacked(std::vector<std::size_t> shape) const;
  void add_layer_inputs(Case& c, std::uint64_t seed) const;
  void add_residual_inputs(Case& c, std::uint64_t seed) const;

  Case case_;
  std::vector<std::size_t> shape_;
  std::size_t steps_ = 0;
  Fill x_, grad_y_, gate_;
  std::optional<DType> parameter_dtype_;
  bool affine_ = true;
  std::string absent_;
  std::function<bool(std::size_t)> pad_, out_;
  std::vector<std::pair<std::string, Fill>> parameters_, state_;
};

}  // namespace normproof::verification::golden::recipes
