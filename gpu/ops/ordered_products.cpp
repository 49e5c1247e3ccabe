#include <cmath>
#include <cstring>

#include "gpu/device/launch.hpp"
#include "gpu/device/tensor.hpp"
#include "gpu/ops/matmul_kernels.hpp"
#include "gpu/ops/products.hpp"
#include "ref/numeric/random.hpp"

namespace normproof::gpu::ops {
namespace {

using device::DeviceTensor;
using device::launch_blocks;
using device::launch_elements;

constexpr std::size_t kMaxTilesWithSplits = 512;  // with fewer tiles, a GPU can run more blocks
constexpr std::size_t kWorkspaceElements = std::size_t{1} << 26;

template <class Cells>
void multiply_with_chains(Device& device, const Matrices<double>& c,
                          const Matrices<const double>& a, const Matrices<const double>& b,
                          bool add) {
  const std::size_t elements = c.batches() * c.rows * c.columns;
  const std::size_t chains = (a.columns + kChain - 1) / kChain;
  TileGrid grid{(c.rows + kTile - 1) / kTile, (c.columns + kTile - 1) / kTile, c.batches(), 1};
  const std::size_t tiles = grid.rows * grid.columns * grid.batches;
  if (chains < 2 || tiles >= kMaxTilesWithSplits || chains * elements > kWorkspaceElements) {
    launch_blocks(device, tiles, MatmulTiles<Cells>{a, b, c, grid, add});
    return;
  }
  grid.splits = chains;
  DeviceTensor<double> workspace(device, {chains * c.batches(), c.rows, c.columns});
  launch_blocks(
      device, tiles * chains,
      MatmulTiles<Cells>{a, b, matrices(workspace.span(), workspace.shape()), grid, false});
  launch_elements(device, elements, AddChains{std::as_const(workspace).span(), chains, c, add});
}

/// Returns a matrix of random normal numbers. Each is multiplied by a random power of two between
/// 2^-scale and 2^scale.
device::Tensor<double> make_sample_matrix(const char* name, std::size_t rows, std::size_t columns,
                                          std::uint64_t scale) {
  const ref::numeric::RandomStream random(1, name);
  auto result = ref::tensor::empty_tensor<double>({rows, columns});
  for (std::size_t i = 0; i < result.size(); ++i)
    result.data()[i] =
        std::ldexp(random.normal(i),
                   static_cast<int>(random.below(i, 2 * scale + 1)) - static_cast<int>(scale));
  return result;
}

/// Whether the tensor core kernel and the fma kernel give the same bits. The sample products
/// contain sums that cancel, subnormal numbers, partly filled tiles and a last chain with fewer
/// than 256 terms.
bool tensor_cores_match_fma(Device& device) {
  constexpr std::size_t kRows = 72, kTerms = 603, kColumns = 88;
  auto left = make_sample_matrix("tensor cores/a", kRows, kTerms, 20);
  for (std::size_t k = 0; k < 8 * kTerms; ++k) left.data()[k] *= 0x1p-1050;
  const auto a = device::upload(device, left);
  const auto b = device::upload(device, make_sample_matrix("tensor cores/b", kTerms, kColumns, 20));
  const auto product = [&](auto cells) {
    DeviceTensor<double> c(device, {kRows, kColumns});
    multiply_with_chains<decltype(cells)>(device, matrices(c.span(), c.shape()),
                                          matrices(a.span(), a.shape()),
                                          matrices(b.span(), b.shape()), false);
    return device::download(c);
  };
  const auto by_fma = product(FmaChains{}), by_tensor_cores = product(TensorCoreChains{});
  return std::memcmp(by_fma.data(), by_tensor_cores.data(), by_fma.size() * sizeof(double)) == 0;
}

class OrderedProducts final : public Products {
 public:
  void prepare(Device& device) const override {
    if (!device.tensor_cores_are_exact)
      device.tensor_cores_are_exact = tensor_cores_match_fma(device);
  }
  void multiply(Device& device, const Matrices<double>& c, const Matrices<const double>& a,
                const Matrices<const double>& b, bool add) const override {
    if (device.recording() == nullptr) prepare(device);
    if (device.tensor_cores_are_exact.value_or(false))
      multiply_with_chains<TensorCoreChains>(device, c, a, b, add);
    else
      multiply_with_chains<FmaChains>(device, c, a, b, add);
  }
};

}  // namespace

const Products& ordered_products() {
  static const OrderedProducts products;
  return products;
}

}  // namespace normproof::gpu::ops
