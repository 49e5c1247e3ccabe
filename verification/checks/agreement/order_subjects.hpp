#pragma once

#include "gpu/device/device.hpp"
#include "verification/checks/agreement/summation_order.hpp"

namespace normproof::verification::checks::agreement {

/// What a sum is asked of.
struct OrderProbe {
  gpu::device::Device* device = nullptr;
  std::size_t side = 8;  ///< rows of a and columns of b, of a product
};

/// Where a subject runs.
enum class OrderPlace { ref, device, gpu_alone };

/// Something whose order can be revealed, and what the contract says of it.
struct OrderSubject {
  std::string name;
  std::string what;
  std::string rule;  ///< "R1" or "R2"
  OrderPlace place;
  bool is_product;
  std::function<double(const OrderProbe&, const std::vector<double>& terms)> sum;
  /// How many elements of random products have the bits of the rule, of how many: the order alone
  /// does not say how each step is rounded. Absent where the order says all.
  std::function<std::pair<std::size_t, std::size_t>(gpu::device::Device&)> same_bits = {};

  SummationTree expected(std::size_t count) const {
    return rule == "R1" ? order_of_products(count) : order_of_lanes(count);
  }
  /// Additions that revealing the order of `count` terms takes at least.
  double least_cost(std::size_t count, std::size_t side) const;
};

/// sum-elements, sum-columns, matmul, matmul-blas of ref, and device-sum-elements,
/// device-sum-columns, device-matmul, device-dmma, device-dmma-wide, cublas and cublas-<precision>
/// of a device. Of a product the terms are a row of a, [side,K], and b [K,side] is ones; of
/// products with sums in float32 M is 2^15 2^15, and 1 is 2^-12 2^-12.
const std::vector<OrderSubject>& order_subjects();

/// Throws    UsageError with the nearest known name
const OrderSubject& order_subject(std::string_view name);

}  // namespace normproof::verification::checks::agreement
