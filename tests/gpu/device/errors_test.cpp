#include "gpu/device/errors.hpp"

#include <gtest/gtest.h>

namespace normproof::gpu::device {
namespace {

TEST(DeviceErrors, MessageNamesTheFailedCallWithItsFileAndLine) {
  EXPECT_EQ(describe_failed_call("cudaMalloc(&p, 8)", "out of memory",
                                 "/home/someone/gpu/device/x.cpp", 12),
            "gpu/device/x.cpp:12: cudaMalloc(&p, 8): out of memory");
}

}  // namespace
}  // namespace normproof::gpu::device
