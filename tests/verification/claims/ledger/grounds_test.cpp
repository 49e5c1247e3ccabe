#include "verification/claims/ledger/grounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include "ref/numeric/errors.hpp"
#include "verification/claims/ledger/ledger.hpp"

namespace normproof::verification::claims::ledger {

using namespace engine;
using namespace fixtures;
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ClaimGrounds, EveryClaimHasATheoremOrAReason) {
  int proved = 0, with_premises = 0;
  for (const Claim& claim : ledger()) {
    SCOPED_TRACE(claim.id);
    const Grounds grounds = grounds_of(claim.id);
    proved += grounds.basis == Basis::proved;
    with_premises += grounds.basis == Basis::proved_with_premises;
    const bool has_theorem =
        grounds.basis == Basis::proved || grounds.basis == Basis::proved_with_premises;
    EXPECT_EQ(has_theorem, !grounds.theorems.empty());
    EXPECT_EQ(has_theorem, grounds.reason.empty());
    EXPECT_EQ(grounds.basis == Basis::proved_with_premises, !grounds.premises.empty());
  }
  EXPECT_EQ(proved, 85);
  EXPECT_EQ(with_premises, 7);
}

TEST(ClaimGrounds, ClaimsAboutNormalWeightsNameTheirPremises) {
  for (const char* claim : {"E1", "E2", "E3", "E6", "E7", "E8", "E9"})
    EXPECT_NE(grounds_of(claim).premises.find("not about the normal law"), std::string::npos)
        << claim;
  EXPECT_EQ(grounds_of("E10").basis, Basis::proved);
}

TEST(ClaimGrounds, EveryTheoremNamesAClaimAndIsInItsFile) {
  for (const Theorem& theorem : theorems()) {
    SCOPED_TRACE(theorem.name);
    EXPECT_TRUE(std::any_of(ledger().begin(), ledger().end(),
                            [&](const Claim& claim) { return claim.id == theorem.claim; }));
    const std::string source = text_of(NORMPROOF_PROOFS "/" + std::string(theorem.file));
    EXPECT_NE(source.find("Theorem " + std::string(theorem.name)), std::string::npos);
  }
}

TEST(ClaimGrounds, EveryTheoremOfTheCoqFilesIsInTheTable) {
  const std::regex theorem("\nTheorem ([A-Z][0-9]+_[A-Za-z0-9_]+)");
  std::size_t found = 0;
  for (const char* file :
       {"backward.v", "boundedness.v", "causal.v", "differences.v", "dyt.v", "encoders.v",
        "identities.v", "last_layer.v", "last_layer_laws.v", "lengths.v", "lipschitz.v", "matmul.v",
        "paths.v", "pre_norm_layer.v", "pre_norm_layer_laws.v", "recursion.v", "repeated_batch.v",
        "textbook.v", "through_time.v"}) {
    const std::string source = text_of(std::string(NORMPROOF_PROOFS "/") + file);
    for (std::sregex_iterator match(source.begin(), source.end(), theorem), end; match != end;
         ++match) {
      ++found;
      const std::string name = (*match)[1];
      EXPECT_TRUE(std::any_of(theorems().begin(), theorems().end(),
                              [&](const Theorem& t) { return t.name == name && t.file == file; }))
          << name
          << ": verification/claims/proofs/check --rows > verification/claims/ledger/theorems.inc";
    }
  }
  EXPECT_EQ(found, theorems().size());
}

TEST(ClaimGrounds, EveryBasisHasAName) {
  EXPECT_EQ(basis_name(Basis::proved), "proved");
  EXPECT_EQ(basis_name(Basis::proved_with_premises), "proved with premises");
  EXPECT_EQ(basis_name(Basis::decided), "decided");
  EXPECT_EQ(basis_name(Basis::tested), "tested");
  EXPECT_THROW(grounds_of("Z1"), ref::numeric::UsageError);
}

}  // namespace
}  // namespace normproof::verification::claims::ledger
