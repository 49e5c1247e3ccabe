#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ref/model/operation_info.hpp"
#include "verification/golden/recipes/recipe.hpp"

namespace normproof::verification::golden::recipes {

/// The description of one encoder case: its extents, and how it differs from an ordinary case.
struct EncoderRecipe {
  std::string reason, why;
  std::vector<std::pair<std::string, std::string>> options = {};
  DType dtype = DType::float64;
  std::size_t samples = 2, tokens = 3, d_model = 4, d_ff = 6;
  std::size_t vocabulary = 5, classes = 3;
  std::size_t keys = 4;  ///< number of source positions of a decoder
  bool inference = false, pads = true, class_weights = true;
  /// Whether token t of sentence b is padding, in source and target. The first token is never
  /// padding.
  std::function<bool(std::size_t b, std::size_t t)> pad = {};
  /// The functions that compute the elements of tensors, by name of the tensor. Other tensors have
  /// their usual elements.
  std::vector<std::pair<std::string, Fill>> fills = {};
};

double standard_normal_element(std::size_t flat, double normal);

/// Returns the fill of a norm parameter whose initial value is `initial`. The elements are close to
/// that value but not equal to it, so that norms amplify errors little. If the initial value is 0,
/// as for beta, the elements are far from 0.
Fill norm_fill(double initial);

/// Returns the case that the recipe describes. `operation` is one of
/// model::encoder_operation_names().
/// Throws    UsageError as set_option does
Case encoder_case(Tier tier, std::string_view operation, const EncoderRecipe& recipe,
                  std::uint64_t seed);

/// Collects the cases of one operation in one tier, in the order in which their recipes are added.
class EncoderCaseList {
 public:
  EncoderCaseList(Tier tier, std::string_view operation, std::uint64_t seed)
      : tier_(tier),
        operation_(operation),
        seed_(seed),
        whole_(ref::model::is_operation_name<ref::model::EncoderOptions>(operation)),
        decoder_(ref::model::is_operation_name<ref::model::DecoderLayerOptions>(operation)) {}

  std::vector<Case> take() { return std::move(cases_); }

 protected:
  void add(const EncoderRecipe& recipe) {
    cases_.push_back(encoder_case(tier_, operation_, recipe, seed_));
  }

  Tier tier_;
  std::string_view operation_;
  std::uint64_t seed_;
  bool whole_;    ///< whether the operation is a whole encoder and not a single layer
  bool decoder_;  ///< whether the operation is a decoder layer

 private:
  std::vector<Case> cases_ = {};
};

}  // namespace normproof::verification::golden::recipes
