#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace normproof::verification::claims::ledger {

/// The support of a claim's verdict besides the cases that its check tries.
enum class Basis {
  proved,                ///< a theorem for every size, over the real numbers
  proved_with_premises,  ///< a theorem that assumes more than the claim, or something else
  decided,               ///< exact arithmetic or enclosures, for each case drawn
  tested                 ///< only the cases
};

/// A theorem of verification/claims/proofs about a claim.
struct Theorem {
  std::string_view claim, name, file, statement;
};

struct Grounds {
  Basis basis = Basis::tested;
  std::vector<Theorem> theorems = {};  ///< empty if nothing is proved
  std::string_view reason = {};        ///< why there is no theorem; empty if there is one
  std::string_view premises = {};      ///< assumptions of the theorems that the claim does not make
};

/// Returns "proved", "proved with premises", "decided" or "tested".
std::string_view basis_name(Basis basis);

/// Returns every theorem, in the order of the claims.
const std::vector<Theorem>& theorems();

/// Returns the support of the claim with this id.
/// Throws    UsageError if neither a theorem nor a reason is known
Grounds grounds_of(std::string_view claim);

}  // namespace normproof::verification::claims::ledger
