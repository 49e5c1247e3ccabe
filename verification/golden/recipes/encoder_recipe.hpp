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

/// The extents of a case, and how it differs from the ordinary one.
struct EncoderRecipe {
  std::string reason, why;
  std::vector<std::pair<std::string, std::string>> options = {};
  DType dtype = DType::float64;
  std::size_t samples = 2, tokens = 3, d_model = 4, d_ff = 6;
  std::size_t vocabulary = 5, classes = 3;
  std::size_t keys = 4;  ///< positions of a decoder's source
  bool inference = false, pads = true, class_weights = true;
  /// Whether token t of sentence b is padding, in source and target; the first token never is.
  std::function<bool(std::size_t b, std::size_t t)> pad = {};
  std::vector<std::pair<std::string, Fill>> fills = {};  ///< tensors with unusual elements
};

double as_drawn(std::size_t flat, double normal);

/// Returns elements of a norm parameter whose initial value is `initial`: close to it but not
/// equal, so that the norms amplify errors little; far from it for a beta, whose initial value is
/// 0.
Fill norm_fill(double initial);

/// Returns the case that the recipe describes, of one of model::encoder_operation_names().
/// Throws    UsageError as set_option does
Case encoder_case(Tier tier, std::string_view operation, const EncoderRecipe& recipe,
                  std::uint64_t seed);

/// Collects the cases of one operation in one tier, in the order in which recipes are added.
class EncoderCaseList {
 public:
  EncoderCaseList(Tier tier, std::string_view operation, std::uint64_t seed)
      : tier_(tier),
        operation_(operation),
        seed_(seed),
        whole_(ref::model::is_name_of<ref::model::EncoderOptions>(operation)),
        decoder_(ref::model::is_name_of<ref::model::DecoderLayerOptions>(operation)) {}

  std::vector<Case> take() { return std::move(cases_); }

 protected:
  void add(const EncoderRecipe& recipe) {
    cases_.push_back(encoder_case(tier_, operation_, recipe, seed_));
  }

  Tier tier_;
  std::string_view operation_;
  std::uint64_t seed_;
  bool whole_;    ///< whether the operation is a whole encoder, not a layer
  bool decoder_;  ///< whether the operation is a decoder layer

 private:
  std::vector<Case> cases_ = {};
};

}  // namespace normproof::verification::golden::recipes
