// The kernels of the float32 layers that nvcc compiles, with float and with double arithmetic.
#include "gpu/device/cuda_launch.cuh"
#include "gpu/norm/float32_backward_row.hpp"
#include "gpu/norm/float32_forward_row.hpp"
#include "gpu/norm/float32_gradient_kernels.hpp"
#include "gpu/norm/float32_row_kernels.hpp"
#include "gpu/norm/float32_run_kernels.hpp"

using namespace normproof::gpu::norm;

#define NORMPROOF_FLOAT32_FORWARD(...)                                              \
  NORMPROOF_CUDA_BLOCKS(RowBlocks<__VA_ARGS__, NarrowTile>)                         \
  NORMPROOF_CUDA_BLOCKS(RowBlocks<__VA_ARGS__, WideTile<__VA_ARGS__::kNumTensors>>) \
  NORMPROOF_CUDA_CLUSTERS(RowClusters<__VA_ARGS__>)

#define NORMPROOF_FLOAT32_BACKWARD(...)                                     \
  NORMPROOF_CUDA_BLOCKS(RunBlocks<__VA_ARGS__, NarrowRunTile<__VA_ARGS__>>) \
  NORMPROOF_CUDA_BLOCKS(RunBlocks<__VA_ARGS__, WideRunTile<__VA_ARGS__>>)   \
  NORMPROOF_CUDA_CLUSTERS(RunClusters<__VA_ARGS__>)                         \
  NORMPROOF_CUDA_BLOCKS(RunTiles<__VA_ARGS__>)

#define NORMPROOF_FLOAT32_NORM(...)                         \
  NORMPROOF_FLOAT32_FORWARD(Float32ForwardRow<__VA_ARGS__>) \
  NORMPROOF_FLOAT32_BACKWARD(Float32BackwardRow<__VA_ARGS__>)

#define NORMPROOF_FLOAT32_FORMAT(...)                       \
  NORMPROOF_FLOAT32_NORM(__VA_ARGS__, true)                 \
  NORMPROOF_FLOAT32_NORM(__VA_ARGS__, false)                \
  NORMPROOF_CUDA_ELEMENTS(Float32GradientTree<__VA_ARGS__>) \
  NORMPROOF_CUDA_ELEMENTS(ConvertParameter<__VA_ARGS__>)

NORMPROOF_CUDA_ELEMENTS(Float32GradientLanes<float>)
NORMPROOF_CUDA_ELEMENTS(Float32GradientLanes<double>)
NORMPROOF_FLOAT32_FORMAT(Float32, float)
NORMPROOF_FLOAT32_FORMAT(BFloat16, float)
NORMPROOF_FLOAT32_FORMAT(Float16, float)
NORMPROOF_FLOAT32_FORMAT(Float32, double)
NORMPROOF_FLOAT32_FORMAT(BFloat16, double)
NORMPROOF_FLOAT32_FORMAT(Float16, double)
