#pragma once

#include "gpu/device/mask.hpp"

/// Device versions with the same formulas, preconditions, error messages and bits as
/// ref/ops/softmax.hpp. Two more preconditions: the last axes of the mask and of x have the same
/// extent, and x has at most nine axes.
/// Throws    ContractError
namespace normproof::gpu::ops {

using device::DeviceMask;
using device::DeviceTensor;

DeviceTensor<double> softmax(const DeviceTensor<double>& x, const DeviceMask& valid = {});
DeviceTensor<double> softmax_backward(const DeviceTensor<double>& grad_y,
                                      const DeviceTensor<double>& y, const DeviceMask& valid = {});
DeviceTensor<double> log_softmax(const DeviceTensor<double>& x);
DeviceTensor<double> log_softmax_backward(const DeviceTensor<double>& grad_y,
                                          const DeviceTensor<double>& y);
DeviceTensor<double> log_sum_exp(const DeviceTensor<double>& x, const DeviceMask& valid = {});
DeviceTensor<double> log_sum_exp_backward(const DeviceTensor<double>& grad_y,
                                          const DeviceTensor<double>& x,
                                          const DeviceMask& valid = {});

}  // namespace normproof::gpu::ops
