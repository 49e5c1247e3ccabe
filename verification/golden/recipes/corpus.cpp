#include "verification/golden/recipes/corpus.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "ref/model/operation_info.hpp"
#include "verification/golden/recipes/block_corpus.hpp"
#include "verification/golden/recipes/encoder_corpus.hpp"
#include "verification/golden/recipes/encoder_limit_corpus.hpp"
#include "verification/golden/recipes/function_corpus.hpp"
#include "verification/golden/recipes/kernel_corpus.hpp"
#include "verification/golden/recipes/layout_corpus.hpp"
#include "verification/golden/recipes/model_width_corpus.hpp"
#include "verification/golden/recipes/norm_corpus.hpp"
#include "verification/golden/recipes/optimizer_corpus.hpp"
#include "verification/golden/recipes/scaled_corpus.hpp"
#include "verification/golden/recipes/transformer_corpus.hpp"

namespace normproof::verification::golden::recipes {

using corpus::Case;
using corpus::case_folder;
using corpus::Tier;

std::vector<Case> corpus(Tier tier, std::uint64_t seed, const PathGlobs& only) {
  std::vector<Case> all;
  const auto append = [&](std::vector<Case> more) {
    std::ranges::copy_if(std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()),
                         std::back_inserter(all),
                         [&](const Case& c) { return only.match(case_folder(c)); });
  };
  const auto requests = [&](const std::string& name) {
    return only.may_match_in(to_string(tier), name);
  };
  for (const std::string& name : ref::model::norm_names())
    if (!ref::model::is_operation_name<ref::model::NoneOptions>(name) && requests(name)) {
      append(norm_cases(tier, name, seed));
      append(kernel_cases(tier, name, seed));
      append(block_cases(tier, name, seed));
      append(model_width_cases(tier, name, seed));
      append(layout_cases(tier, name, seed));
      append(scaled_cases(tier, name, seed));
    }
  for (const std::string& name : ref::model::function_names())
    if (requests(name)) {
      append(function_cases(tier, name, seed));
      append(block_cases(tier, name, seed));
      append(model_width_cases(tier, name, seed));
      append(scaled_cases(tier, name, seed));
    }
  for (const std::string& name : ref::model::encoder_operation_names())
    if (requests(name)) {
      append(encoder_cases(tier, name, seed));
      append(encoder_limit_cases(tier, name, seed));
    }
  for (const std::string& name : ref::model::transformer_operation_names())
    if (requests(name)) append(transformer_cases(tier, name, seed));
  for (const std::string& name : ref::model::optimizer_names())
    if (requests(name)) append(optimizer_cases(tier, name, seed));
  std::ranges::sort(all, {}, case_folder);
  return all;
}

}  // namespace normproof::verification::golden::recipes
