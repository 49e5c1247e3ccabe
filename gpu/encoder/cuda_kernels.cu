// The kernels of gpu/encoder that nvcc compiles.
#include "gpu/device/cuda_launch.cuh"
#include "gpu/encoder/pool_kernels.hpp"

using namespace normproof::gpu::encoder;

NORMPROOF_CUDA_BLOCKS(normproof::gpu::ops::WarpRows<MeanPooling>)
NORMPROOF_CUDA_ELEMENTS(MeanPoolingBackward)
