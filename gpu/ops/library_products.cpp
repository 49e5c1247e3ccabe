#include "gpu/ops/library_products.hpp"

#include "gpu/device/launch.hpp"
#include "gpu/ops/library_gemm.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::gpu::ops {
namespace {

using device::DeviceTensor;
using device::launch_elements;

constexpr Precision kPrecisions[] = {Precision::float64, Precision::float32, Precision::tf32,
                                     Precision::bfloat16, Precision::float16};
constexpr StorageRounding kFloat32 = {24, -126, 0x1.fffffep127};

/// Those of distinct memory: one where a stride of 0 repeats it over the whole batch.
PackedMatrices pack(Device& device, Precision precision, Matrices<const double> from) {
  if (from.batch_stride == 0 && (from.inner_batch_size == 1 || from.inner_batch_stride == 0))
    from.batch_size = from.inner_batch_size = 1;
  PackedMatrices packed{{}, {}, from.rows, from.columns, from.batches(), Packing::float32};
  const std::size_t size = packed.batches * packed.rows * packed.columns;
  const StorageRounding rounding = operand_rounding(precision);
  if (precision == Precision::bfloat16 || precision == Precision::float16) {
    packed.bits16 = DeviceTensor<std::uint16_t>(device, {size});
    if (precision == Precision::bfloat16) {
      packed.packing = Packing::bfloat16;
      launch_elements(device, size,
                      PackOperand<Packing::bfloat16>{from, rounding, packed.bits16.span()});
    } else {
      packed.packing = Packing::float16;
      launch_elements(device, size,
                      PackOperand<Packing::float16>{from, rounding, packed.bits16.span()});
    }
    return packed;
  }
  packed.float32 = DeviceTensor<float>(device, {size});
  launch_elements(device, size,
                  PackOperand<Packing::float32>{from, rounding, packed.float32.span()});
  return packed;
}

}  // namespace

std::string_view to_string(Precision precision) {
  switch (precision) {
    case Precision::float64:
      return "double";
    case Precision::float32:
      return "float32";
    case Precision::tf32:
      return "tf32";
    case Precision::bfloat16:
      return "bfloat16";
    default:
      return "float16";
  }
}

std::vector<std::string> precision_names() {
  std::vector<std::string> names;
  names.reserve(std::size(kPrecisions));
  for (const Precision precision : kPrecisions) names.emplace_back(to_string(precision));
  return names;
}

Precision precision_of(std::string_view name) {
  for (const Precision precision : kPrecisions)
    if (name == to_string(precision)) return precision;
  throw ref::numeric::UsageError(ref::numeric::unknown_name("precision", name, precision_names()));
}

StorageRounding operand_rounding(Precision precision) {
  switch (precision) {
    case Precision::float64:
      return {53, -1022, 0x1.fffffffffffffp1023};
    case Precision::float32:
      return kFloat32;
    case Precision::tf32:
      return {11, -126, 0x1.ffcp127};
    case Precision::bfloat16:
      return {8, -126, 0x1.fep127};
    default:
      return {11, -14, 0x1.ffcp15};
  }
}

SimulatedSums simulated_sums(Precision precision) {
  if (precision == Precision::float64) return {operand_rounding(precision), false};
  return {kFloat32, precision != Precision::float32};
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
  const PackedMatrices left = pack(device, precision_, a), right = pack(device, precision_, b);
  DeviceTensor<float> product(device, {c.batches(), c.rows, c.columns});
#if defined(NORMPROOF_CUDA)
  if (device.backend() == device::Backend::cuda)
    cublas_gemm(device, precision_, product, left, right);
#endif
  if (device.backend() == device::Backend::simulated)
    simulated_gemm(device, sums_, product, left, right);
  launch_elements(device, product.size(), TakeProduct{std::as_const(product).span(), c, add});
}

}  // namespace normproof::gpu::ops
