#include "verification/cli/gpu/probe_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/verification/cli/parsed.hpp"

namespace normproof::tests::verification::cli::gpu {
namespace {

using testing::HasSubstr;
using tool::gpu::ProbeOrderCommand;

TEST(ProbeOrderOptions, ParsesEveryOption) {
  const auto probe = parse_command<ProbeOrderCommand>({"matmul", "--terms", "300"});
  EXPECT_EQ(probe.subject, "matmul");
  EXPECT_EQ(probe.terms, 300u);
  EXPECT_EQ(probe.side, 8u);
}

TEST(ProbeOrderOptions, ErrorsNameInvalidOptions) {
  const auto refused = [](const Arguments& arguments, const std::string& what) {
    EXPECT_THAT(refusal<ProbeOrderCommand>(arguments), HasSubstr(what));
  };
  refused({}, "SUBJECT is required");
  refused({"matmull"}, "'matmul'");
  refused({"matmul", "--device", "simulated"}, "--device is given for matmul");
  refused({"cublas", "--device", "simulated"}, "--device is simulated for cublas; expected cuda");
  refused({"sum-elements", "--side", "9"}, "--side is given");
  refused({"device-matmul", "--terms", "10000"},
          "4.1e+11 additions at least; expected 2209 at most");
}

}  // namespace
}  // namespace normproof::tests::verification::cli::gpu
