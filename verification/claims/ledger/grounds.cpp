#include "verification/claims/ledger/grounds.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "ref/numeric/errors.hpp"

// The rows of theorems.inc are made by `verification/proofs/check --rows` from the theorems
// themselves; a claim that has one there is proved. The others are listed here with their reason.
namespace normproof::verification::claims::ledger {

namespace {

struct Unproved {
  std::string_view claim;
  Basis basis;
  std::string_view reason;
};

/// None at present: every claim has a theorem.
constexpr std::array<Unproved, 0> kUnproved{};

}  // namespace

std::string_view basis_name(Basis basis) {
  switch (basis) {
    case Basis::proved:
      return "proved";
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
  if (!grounds.theorems.empty()) return grounds;
  const auto* const row = std::find_if(kUnproved.begin(), kUnproved.end(),
                                       [&](const Unproved& u) { return u.claim == claim; });
  if (row == kUnproved.end())
    throw ref::numeric::UsageError("grounds_of: claim is \"" + std::string(claim) +
                                   "\"; expected one with a theorem or with a reason");
  return {.basis = row->basis, .reason = row->reason};
}

}  // namespace normproof::verification::claims::ledger
