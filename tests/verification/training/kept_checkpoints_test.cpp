#include "verification/training/kept_checkpoints.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ref/io/atomic_file.hpp"
#include "tests/ref/io/temporary_folder.hpp"

// run_test.cpp tests which checkpoints a run keeps.
namespace normproof::verification::training {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST(KeptCheckpoints, AreFoundByTheirNames) {
  const tests::ref::io::TemporaryFolder folder;
  for (const char* name :
       {"checkpoint-7.safetensors", "checkpoint-10.safetensors", "checkpoint.safetensors",
        "checkpoint-07.safetensors", "checkpoint-x.safetensors", "checkpoint-.safetensors",
        "checkpoint-8.safetensors.tmp", "checkpoint-9.npz", "checkpoint--3.safetensors"})
    ref::io::write_file(folder / name, "");
  EXPECT_THAT(list_kept_steps(folder.path()), ElementsAre(7, 10));
  EXPECT_EQ(kept_checkpoint_path(folder.path(), 7), folder / "checkpoint-7.safetensors");
  EXPECT_THAT(list_kept_steps(folder / "absent"), IsEmpty());
}

TEST(KeptCheckpoints, AreTheLastOnesUpToAStep) {
  const tests::ref::io::TemporaryFolder folder;
  for (const std::size_t step : {2, 4, 6, 8, 10})
    ref::io::write_file(kept_checkpoint_path(folder.path(), step), "");
  ref::io::write_file(folder / "checkpoint.safetensors", "");
  remove_old_checkpoints(folder.path(), 2, 8);
  EXPECT_THAT(tests::ref::io::list_entry_names(folder.path()),
              UnorderedElementsAre("checkpoint-6.safetensors", "checkpoint-8.safetensors",
                                   "checkpoint.safetensors"));
  remove_old_checkpoints(folder.path(), 2, 8);
  EXPECT_THAT(list_kept_steps(folder.path()), ElementsAre(6, 8));
  remove_old_checkpoints(folder.path(), 2, 5);
  EXPECT_THAT(list_kept_steps(folder.path()), IsEmpty());
}

}  // namespace
}  // namespace normproof::verification::training
