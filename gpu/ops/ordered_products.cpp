#include "gpu/device/launch.hpp"
#include "gpu/device/tensor.hpp"
#include "gpu/ops/matmul_kernels.hpp"
#include "gpu/ops/products.hpp"

namespace normproof::gpu::ops {
namespace {

using device::DeviceTensor;
using device::launch_blocks;
using device::launch_elements;

constexpr std::size_t kFewTiles = 512;  // below it a GPU has room for more blocks
constexpr std::size_t kWorkspaceElements = std::size_t{1} << 26;

class OrderedProducts final : public Products {
 public:
  void multiply(Device& device, const Matrices<double>& c, const Matrices<const double>& a,
                const Matrices<const double>& b, bool add) const override {
    const std::size_t elements = c.batches() * c.rows * c.columns;
    const std::size_t chains = (a.columns + kChain - 1) / kChain;
    TileGrid grid{(c.rows + kTile - 1) / kTile, (c.columns + kTile - 1) / kTile, c.batches(), 1};
    const std::size_t tiles = grid.rows * grid.columns * grid.batches;
    if (chains < 2 || tiles >= kFewTiles || chains * elements > kWorkspaceElements) {
      launch_blocks(device, tiles, MatmulTiles{a, b, c, grid, add});
      return;
    }
    grid.splits = chains;
    DeviceTensor<double> workspace(device, {chains * c.batches(), c.rows, c.columns});
    launch_blocks(device, tiles * chains,
                  MatmulTiles{a, b, matrices(workspace.span(), workspace.shape()), grid, false});
    launch_elements(device, elements, AddChains{std::as_const(workspace).span(), chains, c, add});
  }
};

}  // namespace

const Products& ordered_products() {
  static const OrderedProducts products;
  return products;
}

}  // namespace normproof::gpu::ops
