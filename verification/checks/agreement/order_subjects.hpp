#pragma once

#include "gpu/device/device.hpp"
#include "verification/checks/agreement/summation_order.hpp"

namespace normproof::verification::checks::agreement {

/// The device and the extents of a sum.
struct OrderProbe {
  gpu::device::Device* device = nullptr;
  std::size_t side = 8;  ///< rows of a and columns of b, for a product
};

/// The place where a subject runs.
enum class OrderPlace { ref, device, gpu_only };

/// A computation whose summation order can be revealed, with the order that the contract specifies.
struct OrderSubject {
  std::string name;
  std::string what;
  std::string rule;  ///< "R1" or "R2"
  OrderPlace place;
  bool is_product;
  std::function<double(const OrderProbe&, const std::vector<double>& terms)> sum;
  /// Returns how many elements of random products have the bits of the rule, and how many there
  /// are: the order alone does not determine how each step is rounded. Absent if the order
  /// suffices.
  std::function<std::pair<std::size_t, std::size_t>(gpu::device::Device&)> same_bits = {};

  SummationTree expected(std::size_t count) const {
    return rule == "R1" ? order_of_products(count) : order_of_lanes(count);
  }
  /// Returns the minimum number of additions for revealing the order of `count` terms.
  double min_cost(std::size_t count, std::size_t side) const;
};

/// Returns sum-elements, sum-columns, matmul and matmul-blas of ref, and device-sum-elements,
/// device-sum-columns, device-matmul, device-dmma, device-dmma-wide, cublas and cublas-<precision>
/// of a device. The terms of a product are a row of a [side,K], and b [K,side] consists of ones. In
/// products with sums in float32, M is 2^15 2^15 and 1 is 2^-12 2^-12.
const std::vector<OrderSubject>& order_subjects();

/// Throws    UsageError that suggests the nearest known name
const OrderSubject& order_subject(std::string_view name);

}  // namespace normproof::verification::checks::agreement
