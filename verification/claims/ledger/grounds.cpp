#include "verification/claims/ledger/grounds.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "ref/numeric/errors.hpp"

// `verification/claims/proofs/check --rows` generates the rows of theorems.inc from the theorems. A
// claim with a row there is proved. Claims without a row are listed here with the reason.
namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;

namespace {

struct UnprovedClaim {
  std::string_view claim;
  Basis basis;
  std::string_view reason;
};

/// The claims without a theorem. At present there are none.
constexpr std::array<UnprovedClaim, 0> kUnprovedClaims{};

struct Premise {
  std::string_view claim, text;
};

constexpr std::string_view kFiniteLawPremise =
    "The theorem is about finite laws of the weights that are symmetric about 0 and have the "
    "second moments of the normal law, not about the normal law.";
constexpr std::string_view kLastLayerPremise =
    "The theorem is about finite laws of the weights, not about the normal law, and asks for a "
    "floor of the variance of the state and a cap of ||a||^2/d, which the normal law lacks, and "
    "that both vary by O(1/d); last_layer_laws.v has such a law for every even d, where the last "
    "feed-forward is given 1 and -1 in turn.";
constexpr std::string_view kPreNormPremise =
    "The theorem is about finite laws of the weights, not about the normal law, and asks for "
    "constants A, B and C that bound how ||a||^2/d and the variance of the state spread about "
    "their means, which follow at every depth from such bounds of one layer; "
    "pre_norm_layer_laws.v has such laws for d = 2^(m+1) + 1, m >= 28, with large constants.";

/// The claims about normally distributed weights whose theorems assume other distributions.
constexpr Premise kPremises[] = {{"E1", kFiniteLawPremise}, {"E2", kFiniteLawPremise},
                                 {"E3", kFiniteLawPremise}, {"E6", kLastLayerPremise},
                                 {"E7", kLastLayerPremise}, {"E8", kLastLayerPremise},
                                 {"E9", kPreNormPremise}};

}  // namespace

std::string_view basis_name(Basis basis) {
  switch (basis) {
    case Basis::proved:
      return "proved";
    case Basis::proved_with_premises:
      return "proved with premises";
    case Basis::decided:
      return "decided";
    case Basis::tested:
      break;
  }
  return "tested";
}

const std::vector<Theorem>& theorems() {
  static const std::vector<Theorem> all = {
#include "verification/claims/ledger/theorems.inc"
  };
  return all;
}

Grounds grounds_of(std::string_view claim) {
  Grounds grounds{.basis = Basis::proved};
  std::copy_if(theorems().begin(), theorems().end(), std::back_inserter(grounds.theorems),
               [&](const Theorem& theorem) { return theorem.claim == claim; });
  for (const Premise& premise : kPremises)
    if (premise.claim == claim) {
      grounds.basis = Basis::proved_with_premises;
      grounds.premises = premise.text;
    }
  if (!grounds.theorems.empty()) return grounds;
  const auto* const row = std::find_if(kUnprovedClaims.begin(), kUnprovedClaims.end(),
                                       [&](const UnprovedClaim& u) { return u.claim == claim; });
  if (row == kUnprovedClaims.end())
    throw ref::numeric::UsageError("grounds_of: claim is \"" + std::string(claim) +
                                   "\"; expected one with a theorem or with a reason");
  return {.basis = row->basis, .reason = row->reason};
}

}  // namespace normproof::verification::claims::ledger
