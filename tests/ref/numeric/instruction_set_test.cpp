#include "ref/numeric/instruction_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ref/numeric/errors.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::numeric {
namespace {

TEST(InstructionSets, BaselineAlwaysExistsAndUnknownSetsAreRejected) {
  const auto sets = instruction_sets();
  ASSERT_FALSE(sets.empty());
  EXPECT_EQ(sets.front(), "baseline");
  for (std::size_t i = 0; i < sets.size(); ++i) {
    select_instruction_set(sets[i]);
    EXPECT_EQ(static_cast<std::size_t>(instruction_set()), i);
  }
  EXPECT_THROW(select_instruction_set("avx3"), UsageError);
  for (const std::string set : {"avx2", "avx512"}) {
    if (std::find(sets.begin(), sets.end(), set) != sets.end()) continue;
    EXPECT_THAT(error_message<UsageError>([&] { select_instruction_set(set); }),
                testing::HasSubstr("this processor has no instruction set '" + set + "'"));
  }
  EXPECT_EQ(static_cast<std::size_t>(instruction_set()), sets.size() - 1);
}

}  // namespace
}  // namespace normproof::ref::numeric
