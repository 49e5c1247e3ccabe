#include "verification/support/process/rank.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::verification::support::process {
namespace {

using ref::numeric::UsageError;

/// A test fixture that unsets the environment variables for ranks of every MPI before and after
/// each test.
class MpiRank : public ::testing::Test {
 protected:
  MpiRank() { unset_rank_variables(); }
  ~MpiRank() override { unset_rank_variables(); }
  static void set(const char* variable, const char* value) { ::setenv(variable, value, 1); }
  static void unset_rank_variables() {
    for (const char* variable :
         {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_LOCAL_RANK",
          "MPI_LOCALRANKID", "MV2_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"})
      ::unsetenv(variable);
  }
};

TEST_F(MpiRank, IsAbsentWithoutMpiAndTheLocalRankIsZero) {
  set("SLURM_LOCALID", "3");
  EXPECT_FALSE(rank());
  EXPECT_EQ(local_rank(), 0U);
}

TEST_F(MpiRank, IsReadFromTheVariablesOfEveryMpi) {
  const char* const pairs[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK"},
                                  {"PMI_RANK", "MPI_LOCALRANKID"},
                                  {"PMI_RANK", "MV2_COMM_WORLD_LOCAL_RANK"},
                                  {"PMIX_RANK", "SLURM_LOCALID"}};
  for (const auto& [of_all, of_machine] : pairs) {
    unset_rank_variables();
    set(of_all, "11");
    set(of_machine, "3");
    EXPECT_EQ(rank(), 11U) << of_all;
    EXPECT_EQ(local_rank(), 3U) << of_machine;
  }
}

TEST_F(MpiRank, LocalRankDefaultsToTheGlobalRank) {
  set("PMI_RANK", "5");
  EXPECT_EQ(local_rank(), 5U);
}

TEST_F(MpiRank, IsRejectedIfItIsNotANumber) {
  for (const char* text : {"", "x", "-1", "1 ", "99999999999999999999"}) {
    set("OMPI_COMM_WORLD_RANK", text);
    EXPECT_EQ(ref::numeric::error_message<UsageError>([] { rank(); }),
              std::string("OMPI_COMM_WORLD_RANK is '") + text +
                  "'; expected a number of a rank from 0 on");
  }
  set("OMPI_COMM_WORLD_RANK", "1");
  set("OMPI_COMM_WORLD_LOCAL_RANK", "one");
  EXPECT_THROW(local_rank(), UsageError);
}

}  // namespace
}  // namespace normproof::verification::support::process
