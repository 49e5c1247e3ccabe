#include "verification/claims/ledger/ledger.hpp"

namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;

const std::vector<Claim>& ledger() {
  static const std::vector<Claim> claims = [] {
    std::vector<Claim> all;
    for (const auto& part :
         {textbook_claims(), backward_claims(), geometry_claims(), recursion_claims(),
          boundedness_claims(), encoder_claims(), dyt_claims(), causal_claims(), matmul_claims()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return claims;
}

}  // namespace normproof::verification::claims::ledger
