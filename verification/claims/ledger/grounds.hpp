#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace normproof::verification::claims::ledger {

/// What stands behind the verdict of a claim, beside the cases that its check tries.
enum class Basis {
  proved,                ///< by a theorem for every size, over the real numbers
  proved_with_premises,  ///< by one that asks for more than the claim does, or for something else
  decided,               ///< for each case that is drawn, by exact arithmetic or enclosures
  tested                 ///< by the cases alone
};

/// A theorem of verification/claims/proofs about a claim.
struct Theorem {
  std::string_view claim, name, file, statement;
};

struct Grounds {
  Basis basis = Basis::tested;
  std::vector<Theorem> theorems = {};  ///< empty where nothing is proved
  std::string_view reason = {};        ///< why there is no theorem; empty where there is one
  std::string_view premises = {};      ///< what its theorems ask for and the claim does not
};

/// "proved", "proved with premises", "decided", "tested"
std::string_view basis_name(Basis basis);

/// Every theorem, in the order of the claims.
const std::vector<Theorem>& theorems();

/// The grounds of the claim of this id.
/// Throws    UsageError where neither a theorem nor a reason is known
Grounds grounds_of(std::string_view claim);

}  // namespace normproof::verification::claims::ledger
