#include "verification/checks/agreement/library_agreement.hpp"

#include <gtest/gtest.h>

#include "tests/verification/checks/agreement/library_faults.hpp"

namespace normproof::verification::checks::agreement {
namespace {

using gpu::ops::LibraryProducts;
using gpu::ops::Precision;

Rows compare_library_with_reference(const gpu::ops::Products& library, Precision precision) {
  const auto device = gpu::device::simulated_device(5);
  std::size_t finished = 0;
  Rows rows = compare_with_library_bounds(
      *device, library, precision, 2, golden::corpus::Tier::quick, [&](const Row&) { ++finished; });
  EXPECT_EQ(finished, rows.all().size());
  return rows;
}

TEST(LibraryAgreement, EveryProductOfEveryLayerIsWithinItsErrorBound) {
  for (const Precision precision : {Precision::float64, Precision::bfloat16}) {
    const Rows rows = compare_library_with_reference(LibraryProducts(precision), precision);
    std::vector<std::string> operations;
    for (const Row& row : rows.all()) {
      EXPECT_EQ(row.difference, "") << row.operation;
      EXPECT_GT(row.elements, row.not_judged) << row.operation;
      operations.push_back(row.operation);
    }
    EXPECT_EQ(operations, (std::vector<std::string>{
                              "product, exact", "product", "linear", "feed_forward", "attention",
                              "cross_attention", "encoder_layer", "encoder", "decoder_layer",
                              "training", "training_language", "training_translation"}));
  }
}

TEST(LibraryAgreement, DetectsADroppedTermInEveryOperation) {
  const LibraryProducts library(Precision::float32);
  const Rows rows = compare_library_with_reference(
      ProductsWithChangedOperand(library, drop_last_term), Precision::float32);
  for (const Row& row : rows.all()) EXPECT_NE(row.difference, "") << row.operation;
}

}  // namespace
}  // namespace normproof::verification::checks::agreement
