#include "verification/claims/ledger/encoders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

// Claims of group E: gradients of whole encoders. The claims are returned in the order of their
// numbers.
namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;

std::vector<Claim> encoder_claims() {
  std::vector<Claim> all;
  for (const auto& part :
       {length_claims(), jacobian_norm_claims(), last_layer_claims(), gradient_path_claims()})
    all.insert(all.end(), part.begin(), part.end());
  std::stable_sort(all.begin(), all.end(), [](const Claim& a, const Claim& b) {
    return std::atoi(a.id.c_str() + 1) < std::atoi(b.id.c_str() + 1);
  });
  return all;
}

Judgement judge_overlap(const ref::numeric::ball& a, const ref::numeric::ball& b) {
  const ref::numeric::ball difference = a - b;
  if (!difference.is_finite())
    ref::numeric::contract_failure("overlap", "an enclosure", "is not finite", "finite ones");
  return within(std::fabs(difference.midpoint()), (difference.upper() - difference.lower()) / 2);
}

std::string layer_value_name(std::size_t layer, const char* name) {
  return fmt::format("layers.{}.{}", layer, name);
}

}  // namespace normproof::verification::claims::ledger
