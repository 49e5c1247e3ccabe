#include "verification/claims/ledger/geometry.hpp"

#include <algorithm>
#include <cstdlib>

// Claims of group B: the geometry of one backward step. The claims are returned in the order of
// their numbers.
namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;

std::vector<Claim> geometry_claims() {
  std::vector<Claim> all;
  for (const auto& part : {norm_identity_claims(), lipschitz_claims(), same_gradient_claims(),
                           premise_claims(), invariance_claims()})
    all.insert(all.end(), part.begin(), part.end());
  std::stable_sort(all.begin(), all.end(), [](const Claim& a, const Claim& b) {
    return std::atoi(a.id.c_str() + 1) < std::atoi(b.id.c_str() + 1);
  });
  return all;
}

}  // namespace normproof::verification::claims::ledger
