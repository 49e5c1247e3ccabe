#include "gpu/nn/embedding.hpp"

#include <gtest/gtest.h>

#include "ref/nn/embedding.hpp"
#include "tests/gpu/device/refusal.hpp"
#include "tests/gpu/device/samples.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::gpu::nn {
namespace {

using device::download;
using device::upload;

TEST(DeviceEmbedding, MatchesReferenceBits) {
  const std::vector<std::int32_t> ids = {3, 0, 3, 3, 5, 0, 3, 1};
  const auto weight = random_wide_range_tensor({6, 33}, "weight"),
             grad_y = random_wide_range_tensor({2, 4, 33}, "grad_y");
  const auto expected = ref::nn::embedding_backward(grad_y, {2, 4, ids}, 6);
  for (const auto& device : make_simulated_devices()) {
    EXPECT_BITS_EQ(download(embedding({2, 4, ids}, upload(*device, weight))),
                   ref::nn::embedding({2, 4, ids}, weight));
    const RowGradient got = embedding_backward(upload(*device, grad_y), {2, 4, ids}, 6);
    EXPECT_EQ(got.rows, expected.rows);
    EXPECT_BITS_EQ(download(got.values), expected.values);
    EXPECT_BITS_EQ(download(embedding({2, 4, ids}, upload(*device, weight), true)),
                   ref::nn::embedding({2, 4, ids}, weight, true));
    EXPECT_BITS_EQ(
        download(embedding_backward(upload(*device, grad_y), {2, 4, ids}, 6, true).values),
        ref::nn::embedding_backward(grad_y, {2, 4, ids}, 6, true).values);
  }
}

TEST(DeviceEmbedding, AddsARowGradientToADenseGradient) {
  const auto whole = random_wide_range_tensor({6, 33}, "whole");
  ref::nn::RowGradient<double> rows{{0, 3, 5}, random_wide_range_tensor({3, 33}, "rows")};
  auto expected = whole;
  ref::nn::add_rows(expected, rows);
  for (const auto& device : make_simulated_devices()) {
    auto got = upload(*device, whole);
    add_rows(got, {rows.rows, upload(*device, rows.values)});
    EXPECT_BITS_EQ(download(got), expected);
  }
}

TEST(DeviceEmbedding, ErrorMessagesMatchTheReference) {
  const auto device = device::simulated_device();
  const auto weight = random_wide_range_tensor({6, 3}, "weight");
  for (const std::vector<std::int32_t>& ids :
       {std::vector<std::int32_t>{1, 6}, {-1, 0}, {1}, {1, 2, 3}})
    EXPECT_EQ(refusal_message([&] {
                embedding({1, 2, ids}, upload(*device, weight));
              }),
              refusal_message([&] {
                ref::nn::embedding({1, 2, ids}, weight);
              }));
}

}  // namespace
}  // namespace normproof::gpu::nn
