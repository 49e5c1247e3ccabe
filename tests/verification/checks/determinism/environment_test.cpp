#include "verification/checks/determinism/environment.hpp"

#include <gtest/gtest.h>

#include <map>

#include "ref/numeric/parallel.hpp"

namespace normproof::verification::checks::determinism {
namespace {

TEST(DeterminismEnvironment, NamesCompilerProcessorAndThreads) {
  ref::numeric::set_num_threads(3);
  const auto entries = environment();
  ref::numeric::set_num_threads(1);
  const std::map<std::string, std::string> value_by_name(entries.begin(), entries.end());
  ASSERT_EQ(value_by_name.size(), entries.size());
  for (const char* name : {"compiler", "flags", "architecture", "instruction_set", "threads",
                           "processor", "system", "c_library"}) {
    ASSERT_TRUE(value_by_name.contains(name)) << name;
    EXPECT_FALSE(value_by_name.at(name).empty()) << name;
  }
  EXPECT_EQ(value_by_name.at("threads"), "3");
  EXPECT_NE(value_by_name.at("flags").find("-ffp-contract=off"), std::string::npos);
  EXPECT_NE(value_by_name.at("compiler").find("++ "), std::string::npos);
}

}  // namespace
}  // namespace normproof::verification::checks::determinism
