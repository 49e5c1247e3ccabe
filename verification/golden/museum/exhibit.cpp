#include "verification/golden/museum/exhibit.hpp"

#include <algorithm>
#include <iterator>

namespace normproof::verification::golden::museum {

std::vector<Exhibit> all_exhibits() {
  std::vector<Exhibit> all;
  for (const auto family :
       {layer_norm_exhibits, rms_norm_exhibits, slice_norm_exhibits, function_exhibits,
        activation_exhibits, swiglu_exhibits, attention_exhibits, loss_exhibits, merge_exhibits,
        gated_norm_exhibits, optimizer_exhibits, scaled_exhibits})
    std::ranges::move(family(), std::back_inserter(all));
  return all;
}

}  // namespace normproof::verification::golden::museum
