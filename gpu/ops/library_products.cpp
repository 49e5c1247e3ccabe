#include "gpu/ops/library_products.hpp"

#include "gpu/device/launch.hpp"
#include "gpu/ops/library_gemm.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/numeric/format_names.hpp"

namespace normproof::gpu::ops {
namespace {

using device::DeviceTensor;
using device::launch_elements;
using ref::numeric::float_format_info;

constexpr Precision kPrecisions[] = {Precision::float64, Precision::float32, Precision::tf32,
                                     Precision::bfloat16, Precision::float16};

/// Rounds the matrices to the precision and packs them without gaps. If a stride of 0 repeats one
/// matrix over the whole batch, packs that matrix once.
PackedMatrices round_and_pack(Device& device, Precision precision, Matrices<const double> from) {
  if (from.batch_stride == 0 && (from.inner_batch_size == 1 || from.inner_batch_stride == 0))
    from.batch_size = from.inner_batch_size = 1;
  PackedMatrices packed{{}, {}, from.rows, from.columns, from.batches(), precision};
  const std::size_t size = packed.batches * packed.rows * packed.columns;
  if (packed.are_stored_as_float32()) {
    packed.float32 = DeviceTensor<float>(device, {size});
    launch_elements(device, size,
                    PackOperand<float>{from, float_format_info(precision), packed.float32.span()});
  } else {
    packed.bits16 = DeviceTensor<std::uint16_t>(device, {size});
    launch_elements(
        device, size,
        PackOperand<std::uint16_t>{from, float_format_info(precision), packed.bits16.span()});
  }
  return packed;
}

}  // namespace

std::string_view precision_name(Precision precision) {
  return precision == Precision::float64 ? "double" : float_format_info(precision).name;
}

std::vector<std::string> precision_names() {
  std::vector<std::string> names;
  for (const Precision precision : kPrecisions) names.emplace_back(precision_name(precision));
  return names;
}

Precision parse_precision(std::string_view name) {
  const std::optional<Precision> found = ref::numeric::find_float_type(name);
  for (const Precision precision : kPrecisions)
    if (found == precision) return precision;
  throw ref::numeric::UsageError(ref::numeric::unknown_name("precision", name, precision_names()));
}

SimulatedSums simulated_sums(Precision precision) {
  if (precision == Precision::float64) return {float_format_info(precision), false};
  const ref::numeric::FloatFormat& sums = float_format_info(Precision::float32);
  if (precision == Precision::float32) return {sums, false};
  return {sums, true, float_format_info(precision).smallest_normal};
}

void LibraryProducts::multiply(Device& device, const Matrices<double>& c,
                               const Matrices<const double>& a, const Matrices<const double>& b,
                               bool add) const {
  if (precision_ == Precision::float64) {
#if defined(NORMPROOF_CUDA)
    if (device.backend() == device::Backend::cuda) return cublas_gemm(device, c, a, b, add);
#endif
    return simulated_gemm(device, sums_, c, a, b, add);
  }
  const PackedMatrices left = round_and_pack(device, precision_, a),
                       right = round_and_pack(device, precision_, b);
  DeviceTensor<float> product(device, {c.batches(), c.rows, c.columns});
#if defined(NORMPROOF_CUDA)
  if (device.backend() == device::Backend::cuda)
    cublas_gemm(device, precision_, product, left, right);
#endif
  if (device.backend() == device::Backend::simulated)
    simulated_gemm(device, sums_, product, left, right);
  launch_elements(device, product.size(), StoreProduct{std::as_const(product).span(), c, add});
}

}  // namespace normproof::gpu::ops
