#include "verification/checks/agreement/product_tap.hpp"

namespace normproof::verification::checks::agreement {
namespace {

using gpu::device::Device;
using gpu::ops::Matrices;

template <class T>
HostMatrices seen(Device& device, const Matrices<T>& m) {
  HostMatrices result;
  result.values.resize(m.data.size);
  device.download(result.values.data(), m.data.data, m.data.size * sizeof(double));
  result.layout = {{},
                   m.first,
                   m.rows,
                   m.columns,
                   m.row_stride,
                   m.column_stride,
                   m.batch_size,
                   m.batch_stride,
                   m.inner_batch_size,
                   m.inner_batch_stride};
  return result;
}

}  // namespace

void ObservedProducts::multiply(Device& device, const Matrices<double>& c,
                                const Matrices<const double>& a, const Matrices<const double>& b,
                                bool add) const {
  ObservedProduct product{seen(device, a), seen(device, b), {}, {}};
  if (add) product.before = seen(device, c);
  products_.multiply(device, c, a, b, add);
  product.c = seen(device, c);
  see_(product);
}

}  // namespace normproof::verification::checks::agreement
