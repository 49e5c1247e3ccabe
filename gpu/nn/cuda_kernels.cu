// The kernels of gpu/nn that nvcc compiles.
#include "gpu/device/cuda_launch.cuh"
#include "gpu/nn/merge_kernels.hpp"
#include "gpu/nn/nn_kernels.hpp"

using namespace normproof::gpu::nn;

NORMPROOF_CUDA_ELEMENTS(RepeatRow)
NORMPROOF_CUDA_ELEMENTS(Scale)
NORMPROOF_CUDA_ELEMENTS(DivideBy)
NORMPROOF_CUDA_ELEMENTS(AddBias)
NORMPROOF_CUDA_ELEMENTS(AppendColumn)
NORMPROOF_CUDA_ELEMENTS(SplitLastColumn)
NORMPROOF_CUDA_ELEMENTS(ExchangeAxes)
NORMPROOF_CUDA_ELEMENTS(CausalKeys)
NORMPROOF_CUDA_ELEMENTS(ScaleColumns)
NORMPROOF_CUDA_ELEMENTS(DropoutMask)
NORMPROOF_CUDA_ELEMENTS(Dropout)
NORMPROOF_CUDA_ELEMENTS(GatherRows)
NORMPROOF_CUDA_ELEMENTS(RotatePairs)
NORMPROOF_CUDA_ELEMENTS(ScatterRows)
NORMPROOF_CUDA_ELEMENTS(AddRows)
NORMPROOF_CUDA_ELEMENTS(RelativeStates)
NORMPROOF_CUDA_ELEMENTS(WeighStates)
NORMPROOF_CUDA_ELEMENTS(StateProducts)
NORMPROOF_CUDA_ELEMENTS(MergedLogs)
