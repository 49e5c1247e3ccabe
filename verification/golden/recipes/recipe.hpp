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

/// Returns element `flat` (C order) of a tensor, given a standard normal random number for it.
using Fill = std::function<double(std::size_t flat, double normal)>;

/// Typical fills. gamma: 0.5 to about 4, of either sign, never 1. beta: far from 0. A squared
/// statistic: positive.
double far_from_one(std::size_t flat, double normal);
double far_from_zero(std::size_t flat, double normal);
double positive(std::size_t flat, double normal);

/// Fills an input tensor of c, with elements rounded to the dtype, ties to even. The elements
/// depend only on the operation, the reason, the name, the shape and the seed, so that tensors of
/// different dtypes agree up to rounding.
StoredTensor filled_tensor(const Case& c, std::string_view name, std::vector<std::size_t> shape,
                           DType dtype, const Fill& fill, std::uint64_t seed);

/// Returns the fill of a parameter: far from its initial value, of either sign. gamma is 0.5 to
/// about 4 and never 1; beta is far from 0.
Fill parameter_fill(const ref::model::NormParameter& parameter);

/// Returns the fill of a norm's state before the step: random, except that `iterations` is 2.
Fill state_fill(std::string_view name);

/// Builds the inputs of a case. They depend only on the path of the case and the seed, on every
/// machine. Defaults are far enough from neutral values to detect a kernel that ignores them: gamma
/// far from 1, beta far from 0, a state that is not the initial one.
///
///   Recipe(Tier::quick, "layer_norm", "offset_1e4", {7, 16}, DType::float32)
///       .why("...").x([](auto, double normal) { return 1e4 + normal; }).make()
class Recipe {
 public:
  /// `shape` is that of x in one step, in the layout of the options. `layer` may also be a
  /// function.
  Recipe(Tier tier, std::string_view layer, std::string reason, std::vector<std::size_t> shape,
         DType dtype);

  Recipe& why(std::string sentence);
  /// Throws    UsageError as set_option does
  Recipe& option(std::string_view name, std::string_view value);
  Recipe& inference();
  Recipe& steps(std::size_t count);
  Recipe& exact();
  /// x and grad_y have a leading axis of steps if there are steps; `flat` counts through it.
  Recipe& x(Fill fill);
  Recipe& grad_y(Fill fill);
  /// For a function with a gate; far_from_one by default.
  Recipe& gate(Fill fill);
  /// Sets all elements of a parameter of the layer, which default to parameter_fill, or of
  /// another input of a function that adds a residual: `residual` and `grad_sum` are standard
  /// normal by default.
  Recipe& parameter(std::string name, Fill fill);
  /// Sets the dtype of the parameters, if it is not that of x.
  Recipe& parameters_in(DType dtype);
  Recipe& no_affine();
  /// Omits one parameter of the layer.
  Recipe& without(std::string parameter);
  /// Marks rows as padding. `row` is an index in C order that includes the axis of steps.
  Recipe& pads(std::function<bool(std::size_t row)> pad);
  /// Masks elements of a function's x; `i` is an index in C order.
  Recipe& masked(std::function<bool(std::size_t i)> out);
  /// Sets all elements of a tensor of the state, which is random by default, except that
  /// `iterations` is 2.
  Recipe& state(std::string name, Fill fill);

  /// Returns the case. Values are rounded to the dtype (the state of 16-bit cases to float32), ties
  /// to even.
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
