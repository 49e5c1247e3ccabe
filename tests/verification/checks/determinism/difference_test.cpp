#include "verification/checks/determinism/difference.hpp"

#include <gtest/gtest.h>

namespace normproof::verification::checks::determinism {
namespace {

RecordedProbe make_probe(const std::string& name, const std::vector<std::uint64_t>& bits) {
  return {name, bits.size(), sha256_of(bits), bits};
}

Recording recording() {
  return {.contract = 1,
          .environment = {},
          .probes = {make_probe("a", {1, 2, 3}), make_probe("b", {4}), make_probe("c", {5})}};
}

std::string describe_differences(const Recording& here, const Recording& there) {
  return verdict_line(here, differences(here, there), "f.json");
}

TEST(DeterminismDifference, IgnoresEnvironment) {
  Recording there = recording();
  there.environment = {{"compiler", "another"}};
  EXPECT_EQ(describe_differences(recording(), there), "SAME: 3 probes have the bits of f.json");
}

TEST(DeterminismDifference, ShowsTheFirstDifferingValueOfBothSides) {
  Recording there = recording();
  there.probes[0] = make_probe("a", {1, 0x3ff0000000000001, 9});
  EXPECT_EQ(
      describe_differences(recording(), there),
      "DIFFERS from f.json: a: value 2 of 3 is 0000000000000002 here, 3ff0000000000001 there");
}

TEST(DeterminismDifference, NamesTheFirstDifferingProbeAndCountsTheOthers) {
  Recording there = recording();
  there.probes[1] = make_probe("b", {6});
  there.probes[2] = make_probe("c", {7});
  EXPECT_EQ(
      describe_differences(recording(), there),
      "DIFFERS from f.json: b: value 1 of 1 is 0000000000000004 here, 0000000000000006 there; "
      "and 1 more");
}

TEST(DeterminismDifference, ShowsHashesIfValuesAreAbsent) {
  Recording there = recording();
  there.probes[2] = {"c", 1, std::string(64, '0'), {}};
  EXPECT_EQ(describe_differences(recording(), there), "DIFFERS from f.json: c: SHA-256 " +
                                                          recording().probes[2].sha256 + " here, " +
                                                          std::string(64, '0') + " there");
}

TEST(DeterminismDifference, ReportsADifferentNumberOfValues) {
  Recording there = recording();
  there.probes[1] = make_probe("b", {4, 4});
  EXPECT_EQ(describe_differences(recording(), there),
            "DIFFERS from f.json: b: 1 values here, 2 there");
}

TEST(DeterminismDifference, ReportsAMissingProbe) {
  Recording there = recording();
  there.probes.erase(there.probes.begin() + 1);
  EXPECT_EQ(describe_differences(recording(), there), "DIFFERS from f.json: b: is not there");
  EXPECT_EQ(describe_differences(there, recording()), "DIFFERS from f.json: b: is not here");
  there.probes.pop_back();
  EXPECT_EQ(describe_differences(there, recording()),
            "DIFFERS from f.json: b: is not here; and 1 more");
}

TEST(DeterminismDifference, ReportsADifferentContractVersion) {
  Recording there = recording();
  there.contract = 2;
  EXPECT_EQ(describe_differences(recording(), there),
            "DIFFERS from f.json: contract 1 here, 2 there");
}

}  // namespace
}  // namespace normproof::verification::checks::determinism
