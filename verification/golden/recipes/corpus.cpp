#include "verification/golden/recipes/corpus.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "verification/golden/recipes/encoder_corpus.hpp"
#include "verification/golden/recipes/encoder_end_corpus.hpp"
#include "verification/golden/recipes/function_corpus.hpp"
#include "verification/golden/recipes/kernel_corpus.hpp"
#include "verification/golden/recipes/layout_corpus.hpp"
#include "verification/golden/recipes/norm_corpus.hpp"
#include "verification/golden/recipes/optimizer_corpus.hpp"
#include "verification/golden/recipes/scaled_corpus.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::path_of;
using corpus::Tier;

std::vector<Case> corpus(Tier tier, std::uint64_t seed) {
  std::vector<Case> all;
  const auto append = [&](std::vector<Case> more) {
    std::ranges::move(more, std::back_inserter(all));
  };
  for (const std::string& name : ref::model::norm_names())
    if (name != "none") {
      append(norm_cases(tier, name, seed));
      append(kernel_cases(tier, name, seed));
      append(layout_cases(tier, name, seed));
      append(scaled_cases(tier, name, seed));
    }
  for (const std::string& name : ref::model::function_names()) {
    append(function_cases(tier, name, seed));
    append(scaled_cases(tier, name, seed));
  }
  for (const std::string& name : ref::model::encoder_operation_names()) {
    append(encoder_cases(tier, name, seed));
    append(encoder_end_cases(tier, name, seed));
  }
  for (const std::string& name : ref::model::optimizer_names())
    append(optimizer_cases(tier, name, seed));
  std::ranges::sort(all, {}, path_of);
  return all;
}

}  // namespace normproof::verification::golden::recipes
