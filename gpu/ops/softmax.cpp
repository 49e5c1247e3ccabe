#include "gpu/ops/softmax.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/device/launch.hpp"
#include "gpu/ops/reduce.hpp"
#include "gpu/ops/softmax_kernels.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::gpu::ops {
namespace {

using device::launch_blocks;
using ref::numeric::Clause;
using ref::numeric::contract_failure;
using ref::tensor::to_string;

/// The rows of a tensor along its last axis, and the mask of each row.
class SoftmaxRows {
 public:
  SoftmaxRows(std::string_view function, std::string_view argument, const DeviceTensor<double>& x,
              const DeviceMask& valid)
      : function_(function), shape_(x.shape()), valid_(valid) {
    if (shape_.empty() || !x.is_given() || shape_.size() > kMaxMaskAxes + 1)
      contract_failure(function, argument, "has shape " + to_string(shape_),
                       "[..., D] with every extent at least 1", Clause::C1);
    width = shape_.back();
    leading.assign(shape_.begin(), shape_.end() - 1);
    count = x.size() / width;
    mask.places = {{}, {}, width};
    if (valid.is_given()) set_mask();
  }
  SoftmaxRows(const SoftmaxRows&) = delete;
  SoftmaxRows& operator=(const SoftmaxRows&) = delete;

  /// Throws    ContractError if an unmasked element of the row is not finite; the message
  ///           names the first such element
  void check_row(std::string_view argument, const DeviceTensor<double>& t, std::size_t row) const {
    const auto values = device::download(t);
    const auto flags = valid_.host_flags();
    for (std::size_t i = 0; i < width; ++i) {
      const double v = values.data()[row * width + i];
      const bool is_included =
          !ref::tensor::is_given(flags) || flags.data()[mask.row(row) * width + i];
      if (is_included && v - v != 0)
        contract_failure(function_, argument,
                         fmt::format("has the element {} = {}",
                                     ref::tensor::index_to_string(row * width + i, shape_), v),
                         "finite values where valid is true", Clause::C2);
    }
  }
  std::string row_name(std::size_t row) const { return ref::tensor::index_to_string(row, leading); }

  std::size_t width = 0;
  std::size_t count = 0;
  Shape leading;
  RowMask mask;

 private:
  void set_mask() {
    Shape given = valid_.shape();
    const bool too_long = given.size() > shape_.size();
    bool fits = !too_long && given.back() == width;
    if (!too_long) given.insert(given.begin(), shape_.size() - given.size(), 1);
    for (std::size_t axis = 0; fits && axis < leading.size(); ++axis)
      fits = given[axis] == 1 || given[axis] == leading[axis];
    if (!fits)
      contract_failure(function_, "valid", "has shape " + to_string(valid_.shape()),
                       fmt::format("last extent {} and leading extents that are 1 or those of {}",
                                   width, to_string(shape_)),
                       Clause::C3);
    mask.places = valid_.places(width);
    mask.flags = valid_.flags();
    mask.axes = static_cast<int>(leading.size());
    std::size_t stride = 1;
    for (std::size_t axis = leading.size(); axis-- > 0; stride *= given[axis]) {
      mask.extent[axis] = leading[axis];
      mask.stride[axis] = given[axis] > 1 ? stride : 0;
    }
  }

  std::string_view function_;
  Shape shape_;
  const DeviceMask& valid_;
};

/// Runs the forward of a softmax function. Returns the index of the first row that it rejects, or
/// the number of rows if it rejects none.
template <Softmax kind>
std::size_t run_forward(const SoftmaxRows& rows, device::ConstReals grad_y,
                        const DeviceTensor<double>& x, DeviceTensor<double>& out) {
  DeviceTensor<double> status(x.device(), {rows.count});
  launch_blocks(x.device(), rows.count,
                WarpRows<SoftmaxRow<kind>>{
                    {grad_y, x.span(), rows.mask, rows.width, out.span(), status.span()}});
  return find_first_not_finite(status);
}

// Throws the error of a backward: either an invalid element, or the sum of `terms` overflows.
[[noreturn]] void throw_softmax_backward_error(std::string_view function, const SoftmaxRows& rows,
                                               const DeviceTensor<double>& grad_y,
                                               const DeviceTensor<double>& y, std::size_t row,
                                               std::string_view terms) {
  rows.check_row("grad_y", grad_y, row);
  rows.check_row("y", y, row);
  contract_failure(function, "grad_y",
                   fmt::format("makes the sum of {} at row {} overflow", terms, rows.row_name(row)),
                   "values so small that the sum stays finite", Clause::C5);
}

}  // namespace

DeviceTensor<double> softmax(const DeviceTensor<double>& x, const DeviceMask& valid) {
  const SoftmaxRows rows("softmax", "x", x, valid);
  DeviceTensor<double> y(x.device(), x.shape());
  const std::size_t row = run_forward<Softmax::plain>(rows, {}, x, y);
  if (row < rows.count) rows.check_row("x", x, row);
  return y;
}

DeviceTensor<double> softmax_backward(const DeviceTensor<double>& grad_y,
                                      const DeviceTensor<double>& y, const DeviceMask& valid) {
  constexpr auto kName = "softmax_backward";
  const SoftmaxRows rows(kName, "y", y, valid);
  ref::tensor::check_shape(kName, "grad_y", grad_y.shape(), y.shape(), Clause::C4);
  DeviceTensor<double> grad_x(y.device(), y.shape()), status(y.device(), {rows.count});
  launch_blocks(y.device(), rows.count,
                WarpRows<SoftmaxBackwardRow>{{grad_y.span(), y.span(), rows.mask, rows.width,
                                              grad_x.span(), status.span()}});
  const std::size_t row = find_first_not_finite(status);
  if (row < rows.count) throw_softmax_backward_error(kName, rows, grad_y, y, row, "grad_y y");
  return grad_x;
}

DeviceTensor<double> log_softmax(const DeviceTensor<double>& x) {
  const DeviceMask all;
  const SoftmaxRows rows("log_softmax", "x", x, all);
  DeviceTensor<double> y(x.device(), x.shape());
  const std::size_t row = run_forward<Softmax::logarithm>(rows, {}, x, y);
  if (row < rows.count) rows.check_row("x", x, row);
  return y;
}

DeviceTensor<double> log_softmax_backward(const DeviceTensor<double>& grad_y,
                                          const DeviceTensor<double>& y) {
  constexpr auto kName = "log_softmax_backward";
  const DeviceMask all;
  const SoftmaxRows rows(kName, "y", y, all);
  ref::tensor::check_shape(kName, "grad_y", grad_y.shape(), y.shape(), Clause::C4);
  DeviceTensor<double> grad_x(y.device(), y.shape()), status(y.device(), {rows.count});
  launch_blocks(y.device(), rows.count,
                WarpRows<LogSoftmaxBackwardRow>{
                    {grad_y.span(), y.span(), rows.width, grad_x.span(), status.span()}});
  const std::size_t row = find_first_not_finite(status);
  if (row < rows.count) throw_softmax_backward_error(kName, rows, grad_y, y, row, "grad_y");
  return grad_x;
}

DeviceTensor<double> log_sum_exp(const DeviceTensor<double>& x, const DeviceMask& valid) {
  constexpr auto kName = "log_sum_exp";
  const SoftmaxRows rows(kName, "x", x, valid);
  DeviceTensor<double> y(x.device(), rows.leading);
  const std::size_t row = run_forward<Softmax::log_sum>(rows, {}, x, y);
  if (row < rows.count) {
    rows.check_row("x", x, row);
    contract_failure(kName, "valid",
                     fmt::format("lets no element of row {} take part", rows.row_name(row)),
                     "one at least", Clause::C6);
  }
  return y;
}

DeviceTensor<double> log_sum_exp_backward(const DeviceTensor<double>& grad_y,
                                          const DeviceTensor<double>& x, const DeviceMask& valid) {
  constexpr auto kName = "log_sum_exp_backward";
  const SoftmaxRows rows(kName, "x", x, valid);
  ref::tensor::check_shape(kName, "grad_y", grad_y.shape(), rows.leading, Clause::C4);
  if (const std::size_t at = find_first_not_finite(grad_y); at < grad_y.size())
    ref::tensor::check_finite(kName, "grad_y", device::download(grad_y), Clause::C2);
  DeviceTensor<double> grad_x(x.device(), x.shape());
  const std::size_t row = run_forward<Softmax::log_sum_backward>(rows, grad_y.span(), x, grad_x);
  if (row < rows.count) rows.check_row("x", x, row);
  return grad_x;
}

}  // namespace normproof::gpu::ops
