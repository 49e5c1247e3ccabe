#include "verification/cli/tools/repeated_settings.hpp"

#include <gtest/gtest.h>

#include "ref/numeric/errors.hpp"
#include "tests/ref/numeric/error_message.hpp"

namespace normproof::tests::verification::cli::tools {
namespace {

using normproof::ref::numeric::error_message;
using normproof::ref::numeric::UsageError;
using normproof::verification::cli::tools::refuse_repeated;

TEST(RepeatedSettings, AreRefusedWhateverTheirValues) {
  EXPECT_NO_THROW(refuse_repeated({}));
  EXPECT_NO_THROW(refuse_repeated({{"eps", "1"}, {"groups", "1"}}));
  for (const char* value : {"1", "2"})
    EXPECT_EQ(error_message<UsageError>([&] {
                refuse_repeated({{"eps", "1"}, {"groups", "2"}, {"eps", value}});
              }),
              "--set eps is given twice; expected once");
}

}  // namespace
}  // namespace normproof::tests::verification::cli::tools
