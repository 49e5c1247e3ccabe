#include "gpu/nn/positional_encoding.hpp"

#include <gtest/gtest.h>

#include "ref/nn/positional_encoding.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::nn {
namespace {

TEST(DevicePositionalEncoding, TableMatchesReferenceBits) {
  const auto device = device::simulated_device();
  for (const std::size_t d_model : {1, 6, 7})
    for (const std::size_t seq_len : {3, 40, 1})
      EXPECT_BITS_EQ(device::download(positional_encoding(*device, seq_len, d_model)),
                     ref::nn::positional_encoding(seq_len, d_model));
}

}  // namespace
}  // namespace normproof::gpu::nn
