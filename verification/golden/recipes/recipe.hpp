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

/// A function that returns element `flat` (an index in C order) of a tensor. It receives a standard
/// normal random number for that element.
using Fill = std::function<double(std::size_t flat, double normal)>;

/// Returns a number of either sign whose magnitude is 0.5 to about 4, but never 1. It is a typical
/// element of gamma.
double far_from_one(std::size_t flat, double normal);
/// Returns a number near 1.5 or near -2.5. It is a typical element of beta.
double far_from_zero(std::size_t flat, double normal);
/// Returns a positive number. It is a typical element of a variance or a mean of squares.
double positive(std::size_t flat, double normal);

/// Makes an input tensor of a case. Elements are rounded to the dtype, ties to even. They depend
/// only on the operation, the reason, the name of the tensor, the shape and the seed, so that
/// tensors of different dtypes agree up to rounding.
StoredTensor filled_tensor(const Case& c, std::string_view name, std::vector<std::size_t> shape,
                           DType dtype, const Fill& fill, std::uint64_t seed);

/// Returns the usual fill of a parameter of a norm. Its elements have either sign and are far from
/// the initial value: gamma is 0.5 to about 4 times the initial value, and beta is far from 0.
Fill parameter_fill(const ref::model::NormParameter& parameter);

/// Returns the usual fill of a norm's state before the step: random numbers, except that
/// `iterations` is 2.
Fill state_fill(std::string_view name);

/// Builds a case with its inputs. The inputs depend only on the path of the case and the seed, and
/// are the same on every machine. By default they are far from neutral values, so that a kernel
/// that ignores an input is detected: gamma is far from 1, beta is far from 0, and the state is not
/// the initial one.
///
///   Recipe(Tier::quick, "layer_norm", "offset_1e4", {7, 16}, DType::float32)
///       .why("...").x([](auto, double normal) { return 1e4 + normal; }).make()
class Recipe {
 public:
  /// Starts the recipe of a norm layer or of a function. `shape` is the shape of x in one step, in
  /// the layout that the options set.
  Recipe(Tier tier, std::string_view layer, std::string reason, std::vector<std::size_t> shape,
         DType dtype);

  Recipe& why(std::string sentence);
  /// Sets an option of the operation.
  /// Throws    UsageError as set_option does
  Recipe& option(std::string_view name, std::string_view value);
  Recipe& inference();
  Recipe& steps(std::size_t count);
  Recipe& exact();
  /// Sets the elements of x. In a sequence, x and grad_y have a leading axis of steps, and the
  /// index that the fill receives includes this axis.
  Recipe& x(Fill fill);
  Recipe& grad_y(Fill fill);
  /// Sets the elements of the input `gate` of a function. The default is far_from_one.
  Recipe& gate(Fill fill);
  /// Sets the elements of a parameter of the layer. The default is parameter_fill. If a function
  /// adds a residual, `name` may also be "residual" or "grad_sum". These two inputs are standard
  /// normal by default.
  Recipe& parameter(std::string name, Fill fill);
  /// Sets the dtype of the parameters. By default it is the dtype of x.
  Recipe& set_parameter_dtype(DType dtype);
  Recipe& no_affine();
  /// Omits one parameter of the layer.
  Recipe& without(std::string parameter);
  /// Marks rows as padding. `row` is an index in C order that includes the axis of steps.
  Recipe& pads(std::function<bool(std::size_t row)> pad);
  /// Masks each element i of a function's x for which `out(i)` is true. `i` is an index in C order.
  Recipe& masked(std::function<bool(std::size_t i)> out);
  /// Sets the elements of a tensor of the state. By default they are random, except that
  /// `iterations` is 2.
  Recipe& state(std::string name, Fill fill);

  /// Returns the case. Elements are rounded to the dtype, or to float32 for the state of 16-bit
  /// cases, ties to even.
  Case make(std::uint64_t seed) const;

 private:
  std::vector<std::size_t> stacked(std::vector<std::size_t> shape) const;
  void add_layer_inputs(Case& c, std::uint64_t seed) const;
  void add_residual_inputs(Case& c, std::uint64_t seed) const;
  void add_affine_inputs(Case& c, std::uint64_t seed) const;

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
