#include "verification/golden/recipes/norm_recipe.hpp"

#include <cmath>
#include <utility>

#include "verification/golden/corpus/layer_traits.hpp"

namespace normproof::verification::golden::recipes {

using corpus::DType;
using corpus::has_option;
using corpus::needs_tokens;
using corpus::Tier;

namespace {

/// Returns the number of groups: the largest of 3, 2 and 1 that divides d_model and differs from
/// the width of a group.
std::string_view group_count(std::size_t d_model) {
  return d_model % 3 == 0 && d_model > 3 ? "3" : d_model % 2 == 0 && d_model > 2 ? "2" : "1";
}

}  // namespace

Recipe norm_recipe(Tier tier, std::string_view layer, std::string reason,
                   std::vector<std::size_t> shape, DType dtype) {
  const std::size_t d_model = shape.back();
  std::size_t rows = 1;
  for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis) rows *= shape[axis];
  Recipe recipe(tier, layer, std::move(reason), std::move(shape), dtype);
  if (has_option(layer, "groups")) recipe.option("groups", group_count(d_model));
  if (has_option(layer, "warmup_iterations")) recipe.option("warmup_iterations", "0");
  if (has_option(layer, "unbiased_running_variance") && rows < 2)
    recipe.option("unbiased_running_variance", "0");
  return recipe;
}

std::vector<std::size_t> rows_by_features(std::string_view layer, std::size_t rows,
                                          std::size_t d_model) {
  return needs_tokens(layer) ? std::vector<std::size_t>{1, rows, d_model}
                             : std::vector<std::size_t>{rows, d_model};
}

double near_largest(std::size_t i, double normal) {
  return (i % 2 == 0 ? 1 : -1) * std::fmin(3e4, 1.8e4 + 2e3 * std::fabs(normal));
}

Fill some_subnormal_elements(std::size_t period) {
  return [period](std::size_t i, double normal) {
    return i / 6 % period == 0 ? 0x1p-17 * normal : normal;
  };
}

double near_zero(std::size_t i, double normal) {
  return i % 4 == 0 ? 0.0 : 0.25 * normal;
}

Fill offset_by(double offset) {
  return [offset](std::size_t, double normal) { return offset + normal; };
}

Fill scaled_by(double scale) {
  return [scale](std::size_t, double normal) { return scale * normal; };
}

}  // namespace normproof::verification::golden::recipes
