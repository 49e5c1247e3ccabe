#include "verification/cli/tools/repeated_settings.hpp"

#include <gtest/gtest.h>

#include "ref/numeric/errors.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::tests::verification::cli::tools {
namespace {

using normproof::ref::numeric::error_message;
using normproof::ref::numeric::UsageError;
using normproof::verification::cli::tools::check_no_repeats;

TEST(RepeatedSettings, AreRejectedEvenIfTheirValuesAreEqual) {
  EXPECT_NO_THROW(check_no_repeats({}));
  EXPECT_NO_THROW(check_no_repeats({{"eps", "1"}, {"groups", "1"}}));
  for (const char* value : {"1", "2"})
    EXPECT_EQ(error_message<UsageError>([&] {
                check_no_repeats({{"eps", "1"}, {"groups", "2"}, {"eps", value}});
              }),
              "--set eps is given twice; expected once");
}

}  // namespace
}  // namespace normproof::tests::verification::cli::tools
