#pragma once

#include "gpu/device/device.hpp"
#include "verification/checks/agreement/summation_order.hpp"

namespace normproof::verification::checks::agreement {

/// The device that computes a sum, and the extents of the sum.
struct OrderProbeSettings {
  gpu::device::Device* device = nullptr;
  std::size_t side = 8;  ///< rows of a and columns of b, for a product
};

/// The place where a sum runs: in ref, on any device, or only on a GPU.
enum class ComputationPlace { ref, device, gpu_only };

/// A computation whose order of summation can be determined, and the rule of the contract that
/// specifies this order.
struct OrderedComputation {
  std::string name;
  std::string what;
  std::string rule;  ///< "R1" or "R2"
  ComputationPlace place;
  bool is_product;
  std::function<double(const OrderProbeSettings&, const std::vector<double>& terms)> sum;
  /// Compares random products on the device with the rule. Returns the number of elements with the
  /// same bits and the number of all elements. The function is empty if this comparison is not
  /// needed because the order alone determines the bits.
  std::function<std::pair<std::size_t, std::size_t>(gpu::device::Device&)> same_bits = {};

  SummationTree expected(std::size_t count) const {
    return rule == "R1" ? order_of_products(count) : order_of_lanes(count);
  }
  /// Returns the minimum number of additions that are needed to determine the order of a sum of
  /// `count` terms. For a matrix product, this includes the additions of all elements of the
  /// [side,side] result.
  double min_additions(std::size_t count, std::size_t side) const;
};

/// Returns the computations whose order can be determined. In ref: sum-elements, sum-columns,
/// matmul and matmul-blas. On a device: device-sum-elements, device-sum-columns, device-matmul,
/// device-dmma, device-dmma-wide, cublas and cublas-<precision>. In a product of `a` [side,K] and
/// `b` [K,side], each sum has K terms: each row of `a` contains the terms, and all elements of `b`
/// are 1. If sums are float32, the term M is the product `2^15 * 2^15`, and the term 1 is the
/// product `2^-12 * 2^-12`.
const std::vector<OrderedComputation>& ordered_computations();

/// Returns the computation of this name.
/// Throws    UsageError that suggests the nearest known name
const OrderedComputation& find_ordered_computation(std::string_view name);

}  // namespace normproof::verification::checks::agreement
