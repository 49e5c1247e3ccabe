// What nvcc compiles of the layers in float32.
#include "gpu/device/cuda_launch.cuh"
#include "gpu/norm/float32_gradient_kernels.hpp"
#include "gpu/norm/float32_row_kernels.hpp"

using namespace normproof::gpu::norm;

#define NORMPROOF_FLOAT32_NORM(Format, centred)                             \
  NORMPROOF_CUDA_BLOCKS(Float32Forward<Format, centred, NarrowTile>)        \
  NORMPROOF_CUDA_BLOCKS(Float32Forward<Format, centred, WideTile>)          \
  NORMPROOF_CUDA_BLOCKS(Float32Backward<Format, centred, NarrowTile>)       \
  NORMPROOF_CUDA_BLOCKS(Float32Backward<Format, centred, WideBackwardTile>) \
  NORMPROOF_CUDA_ELEMENTS(Float32GradientLanes<Format, centred>)

#define NORMPROOF_FLOAT32_FORMAT(Format)               \
  NORMPROOF_FLOAT32_NORM(Format, true)                 \
  NORMPROOF_FLOAT32_NORM(Format, false)                \
  NORMPROOF_CUDA_ELEMENTS(Float32GradientTree<Format>) \
  NORMPROOF_CUDA_ELEMENTS(WidenParameter<Format>)

NORMPROOF_FLOAT32_FORMAT(Float32)
NORMPROOF_FLOAT32_FORMAT(BFloat16)
NORMPROOF_FLOAT32_FORMAT(Float16)
