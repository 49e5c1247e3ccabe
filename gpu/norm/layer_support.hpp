#pragma once

#include "gpu/device/launch.hpp"
#include "gpu/norm/channel_kernels.hpp"
#include "gpu/norm/step.hpp"
#include "ref/tensor/contract.hpp"

/// Functions that the layers share: checks with the error messages of ref/norm, and tensors that
/// have one value per channel.
namespace normproof::gpu::norm {

using device::launch_blocks;
using device::launch_elements;
using ref::model::Mode;
using ref::tensor::check_option;
using ref::tensor::check_shape;
using ref::tensor::Clause;
using ref::tensor::Extents;

/// Checks    that x is [N,D] or [B,T,D]
Extents check_x(std::string_view function, const NormInputs& in);

/// Checks    that gamma and beta, unless they are absent, have extent D and are finite
AffineSpans check_affine(std::string_view function, const NormInputs& in, std::size_t d_model);

/// Checks    that every element is finite
void check_finite(std::string_view function, std::string_view argument,
                  const DeviceTensor<double>& t, Clause clause);

/// Checks    that each element of a statistic is finite. If an element is not, looks for the cause
///           in the argument x, from which the statistic was computed
/// Throws    NotFiniteError: with the clause `of_x` if an element of x is not finite, else with the
///           clause `of_statistic`
void check_statistic(std::string_view function, std::string_view statistic,
                     const DeviceTensor<double>& values, std::string_view argument,
                     const DeviceTensor<double>& x, Clause of_statistic = Clause::C4,
                     Clause of_x = Clause::C4);

/// Like check_statistic, for a statistic that is a reciprocal root, such as rstd. Also rejects 0,
/// which means that the number under the root overflowed.
void check_reciprocal(std::string_view function, std::string_view statistic,
                      const DeviceTensor<double>& rstd, std::string_view argument,
                      const DeviceTensor<double>& x);

/// Checks    that grad_y has the shape of x, and that the saved statistic `saved` has the given
///           shape
void check_backward(std::string_view function, const NormInputs& in, std::string_view name,
                    const DeviceTensor<double>& saved, const Shape& shape);

/// Returns the number of valid rows.
/// Checks    that the mask has a shape that fits x, and that at least one row is valid
std::size_t check_valid_rows(std::string_view function, const NormInputs& in);
void check_mask_shape(std::string_view function, const NormInputs& in);

std::size_t check_groups(std::string_view function, std::int64_t groups, std::size_t d_model);
void check_eps(std::string_view function, double eps);
void check_decay(std::string_view function, std::string_view option, double decay);
void check_count(std::string_view function, std::string_view option, std::int64_t count,
                 Clause clause);
/// Checks    that a running statistic has extent D and finite elements; if `squared` is true, also
///           that no element is negative
void check_running_statistic(std::string_view function, std::string_view name,
                             const DeviceTensor<double>& values, std::size_t d_model, bool squared);

/// Returns the shape of x without the last axis.
Shape row_shape(const NormInputs& in);

/// Returns the elementwise 1 / sqrt(square + eps).
DeviceTensor<double> reciprocal_root(const DeviceTensor<double>& square, double eps);
/// Returns the new running average, decay old_value + (1 - decay) new_value.
DeviceTensor<double> moving_average(const DeviceTensor<double>& old_value,
                                    const DeviceTensor<double>& new_value, double decay);
/// Returns value / n.
DeviceTensor<double> divide_by_count(const DeviceTensor<double>& value, std::size_t n);
/// Returns (gamma sum) / n.
DeviceTensor<double> scaled_mean(const AffineSpans& affine, const DeviceTensor<double>& sum,
                                 std::size_t n);

/// Stores grad_x, grad_gamma and grad_beta in step.outputs, and checks that the sums are finite.
void store_gradients(std::string_view function, const NormInputs& in, DeviceTensor<double> grad_x,
                     DeviceTensor<double> grad_gamma, DeviceTensor<double> grad_beta,
                     NormStep& step);

}  // namespace normproof::gpu::norm
