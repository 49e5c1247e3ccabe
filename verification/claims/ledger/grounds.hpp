#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace normproof::verification::claims::ledger {

/// The kinds of support that a claim's verdict has besides the cases that its check tries.
enum class Basis {
  proved,                ///< a theorem for every size, over the real numbers
  proved_with_premises,  ///< a theorem with an assumption that the claim does not make
  decided,               ///< exact arithmetic or enclosures, for each case drawn
  tested                 ///< nothing but the cases
};

/// A theorem about a claim, from verification/claims/proofs.
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

/// Returns what supports the verdict of the claim with this id.
/// Throws    UsageError if the claim has neither a theorem nor a reason for its absence
Grounds grounds_of(std::string_view claim);

}  // namespace normproof::verification::claims::ledger
