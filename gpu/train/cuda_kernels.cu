// The kernels of gpu/train that nvcc compiles.
#include "gpu/device/cuda_launch.cuh"
#include "gpu/train/accumulate_kernels.hpp"
#include "gpu/train/cross_entropy_kernels.hpp"
#include "gpu/train/optimizer_kernels.hpp"
#include "gpu/train/vocabulary_kernels.hpp"

using namespace normproof::gpu::train;
using normproof::gpu::ops::WarpRows;

NORMPROOF_CUDA_ELEMENTS(TargetWeight)
NORMPROOF_CUDA_BLOCKS(WarpRows<RowLoss>)
NORMPROOF_CUDA_ELEMENTS(MeanLoss)
NORMPROOF_CUDA_ELEMENTS(LossGradientElement)
NORMPROOF_CUDA_ELEMENTS(CopyRange)
NORMPROOF_CUDA_ELEMENTS(ContinueColumnLanes)
NORMPROOF_CUDA_ELEMENTS(SgdStep)
NORMPROOF_CUDA_ELEMENTS(MomentumStep)
NORMPROOF_CUDA_ELEMENTS(AdamStep)
NORMPROOF_CUDA_ELEMENTS(ScaleInPlace)
NORMPROOF_CUDA_ELEMENTS(SumOfRows)
NORMPROOF_CUDA_ELEMENTS(DivideInPlace)
NORMPROOF_CUDA_ELEMENTS(Square)
NORMPROOF_CUDA_BLOCKS(SquareSums)
