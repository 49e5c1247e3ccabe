#pragma once

#include "gpu/device/device.hpp"
#include "verification/agreement/summation_order.hpp"

namespace normproof::verification::agreement {

/// Something whose order can be revealed, and what the contract says of it.
struct OrderSubject {
  std::string name;
  std::string what;
  std::string rule;  ///< "R1" or "R2"
  bool on_device = false;
  bool on_gpu_alone = false;
  std::function<double(gpu::device::Device* device, const std::vector<double>& terms)> sum;

  SummationTree expected(std::size_t count) const {
    return rule == "R1" ? order_of_products(count) : order_of_lanes(count);
  }
};

/// sum-elements, sum-columns, matmul, matmul-blas of ref, and device-sum-elements,
/// device-sum-columns, device-matmul, cublas of a device. Of a product the terms are a row of a
/// [8,K], b [K,8] being ones.
const std::vector<OrderSubject>& order_subjects();

/// Throws    UsageError with the nearest known name
const OrderSubject& order_subject(std::string_view name);

}  // namespace normproof::verification::agreement
