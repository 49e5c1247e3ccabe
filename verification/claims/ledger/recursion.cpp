#include "verification/claims/ledger/recursion.hpp"

#include <algorithm>
#include <string>

// Claims of group C: the recursions of PowerNorm, as printed in the paper and as released.
namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;

std::vector<Claim> recursion_claims() {
  std::vector<Claim> all;
  for (const auto& part : {nu_claims(), psi_claims(), affine_backward_claims(), padding_claims(),
                           gradient_through_time_claims()})
    all.insert(all.end(), part.begin(), part.end());
  const auto number = [](const Claim& claim) { return std::stoi(claim.id.substr(1)); };
  std::sort(all.begin(), all.end(),
            [&](const Claim& a, const Claim& b) { return number(a) < number(b); });
  return all;
}

}  // namespace normproof::verification::claims::ledger
