#include "verification/golden/recipes/model_width_corpus.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "ref/model/norm_options.hpp"
#include "ref/model/operation_info.hpp"
#include "verification/golden/corpus/layer_traits.hpp"
#include "verification/golden/recipes/norm_recipe.hpp"
#include "verification/golden/recipes/quantize_corpus.hpp"

namespace normproof::verification::golden::recipes {

using corpus::DType;
using ref::model::Independence;
using ref::model::OperationInfo;
using ref::model::OperationKind;

namespace {

constexpr DType kVectorDtypes[] = {DType::bfloat16, DType::float16};
constexpr const char* kWhyVectors =
    "rows of whole vectors of 16 bytes: a path of a kernel that no other width takes";

class ModelWidthCases {
 public:
  ModelWidthCases(Tier tier, const OperationInfo& info, std::uint64_t seed)
      : tier_(tier),
        info_(info),
        seed_(seed),
        norm_(info.kind == OperationKind::layer),
        over_rows_(norm_ && corpus::has_statistics_over_rows(info.name)) {}

  std::vector<Case> take() { return std::move(cases_); }

  void quick() {
    if (norm_ && corpus::is_layer_with_options<ref::model::BatchNormOptions>(info_.name))
      return add_vectors(3, 128, DType::bfloat16);
    if (over_rows_) return;
    add_vectors(info_.independence == Independence::element && !norm_ ? 1 : 2, 64, DType::bfloat16);
    if (is_common()) add_vectors(1, 64, DType::float16);
  }

  void standard() {
    for (const std::size_t width : kModelWidths)
      for (const DType dtype : kVectorDtypes) {
        // The largest widths take long. One of them is in both dtypes.
        if (width > 1024 && width != 4096 && dtype == DType::float16) continue;
        add_vectors(width > 1024 && !over_rows_ ? 2 : 3, width, dtype);
      }
  }

  void full() {
    for (const DType dtype : {DType::float32, DType::bfloat16})
      add("past_2_to_20_elements", 1025, 1024, dtype,
          "more than 2^20 elements: a grid of 1024 blocks of 1024 threads ends before them");
  }

 private:
  /// Whether the operation is one of those for which most kernels are written.
  bool is_common() const {
    return ref::model::is_operation_name<ref::model::SoftmaxOptions>(info_.name) ||
           (norm_ && (corpus::is_layer_with_options<ref::model::LayerNormOptions>(info_.name) ||
                      corpus::is_layer_with_options<ref::model::RMSNormOptions>(info_.name)));
  }

  void add_vectors(std::size_t rows, std::size_t features, DType dtype) {
    add("whole_vectors", rows, features, dtype, kWhyVectors);
  }

  void add(const char* reason, std::size_t rows, std::size_t features, DType dtype,
           const char* why) {
    Recipe recipe = norm_ ? norm_recipe(tier_, info_.name, reason,
                                        rows_by_features(info_.name, rows, features), dtype)
                          : Recipe(tier_, info_.name, reason, {rows, features}, dtype);
    recipe.why(why);
    if (ref::model::is_operation_name<ref::model::ReluOptions>(info_.name))
      recipe.exact();  // outputs are inputs or 0, so that nothing is rounded
    cases_.push_back(recipe.make(seed_));
  }

  Tier tier_;
  const OperationInfo& info_;
  std::uint64_t seed_;
  bool norm_, over_rows_;
  std::vector<Case> cases_;
};

}  // namespace

std::vector<Case> model_width_cases(Tier tier, std::string_view operation, std::uint64_t seed) {
  const OperationInfo& info = ref::model::operation_info(operation);
  const bool by_rows = info.kind == OperationKind::layer ||
                       (info.kind == OperationKind::function && info.is_computed_per_row());
  if (!by_rows || is_quantization(operation)) return {};
  ModelWidthCases cases(tier, info, seed);
  if (tier == Tier::quick) cases.quick();
  if (tier == Tier::standard) cases.standard();
  if (tier == Tier::full) cases.full();
  return cases.take();
}

}  // namespace normproof::verification::golden::recipes
