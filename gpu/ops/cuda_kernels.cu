// The kernels of gpu/ops that nvcc compiles.
#include "gpu/device/cuda_launch.cuh"
#include "gpu/ops/activation_kernels.hpp"
#include "gpu/ops/arithmetic_kernels.hpp"
#include "gpu/ops/cap_kernels.hpp"
#include "gpu/ops/gated_kernels.hpp"
#include "gpu/ops/matmul_kernels.hpp"
#include "gpu/ops/packed_kernels.hpp"
#include "gpu/ops/reduce_kernels.hpp"
#include "gpu/ops/softmax_kernels.hpp"
// The elementary functions' accurate phase. This is the only file that compiles it for the device.
#include "ref/numeric/elementary_accurate.cpp"
#include "ref/numeric/fixed_point.cpp"

using namespace normproof::gpu::ops;

NORMPROOF_CUDA_BLOCKS(WarpRows<SumRow>)
NORMPROOF_CUDA_ELEMENTS(ColumnLanes<ElementTerm>)
NORMPROOF_CUDA_ELEMENTS(ColumnTree)
NORMPROOF_CUDA_ELEMENTS(FindRejectedElement)
NORMPROOF_CUDA_ELEMENTS(FlagRejectedElements)

NORMPROOF_CUDA_BLOCKS(MatmulTiles<FmaChains>)
NORMPROOF_CUDA_BLOCKS(MatmulTiles<TensorCoreChains>)
NORMPROOF_CUDA_ELEMENTS(AddChains)
NORMPROOF_CUDA_ELEMENTS(ClearMatrices)
NORMPROOF_CUDA_ELEMENTS(PackOperand<float>)
NORMPROOF_CUDA_ELEMENTS(PackOperand<std::uint16_t>)
NORMPROOF_CUDA_ELEMENTS(StoreProduct)
NORMPROOF_CUDA_ELEMENTS(MatrixAddresses<double>)
NORMPROOF_CUDA_ELEMENTS(MatrixAddresses<const double>)

NORMPROOF_CUDA_ELEMENTS(Elementary<Function::exp>)
NORMPROOF_CUDA_ELEMENTS(Elementary<Function::log>)
NORMPROOF_CUDA_ELEMENTS(Elementary<Function::tanh>)
NORMPROOF_CUDA_ELEMENTS(Elementary<Function::erf>)

NORMPROOF_CUDA_ELEMENTS(Activate<Identity>)
NORMPROOF_CUDA_ELEMENTS(Activate<Relu>)
NORMPROOF_CUDA_ELEMENTS(Activate<Gelu>)
NORMPROOF_CUDA_ELEMENTS(Activate<GeluTanh>)
NORMPROOF_CUDA_ELEMENTS(Activate<Silu>)
NORMPROOF_CUDA_ELEMENTS(ActivateBackward<Identity>)
NORMPROOF_CUDA_ELEMENTS(ActivateBackward<Relu>)
NORMPROOF_CUDA_ELEMENTS(ActivateBackward<Gelu>)
NORMPROOF_CUDA_ELEMENTS(ActivateBackward<GeluTanh>)
NORMPROOF_CUDA_ELEMENTS(ActivateBackward<Silu>)
NORMPROOF_CUDA_ELEMENTS(Activate<ReluSquared>)
NORMPROOF_CUDA_ELEMENTS(ActivateBackward<ReluSquared>)
NORMPROOF_CUDA_ELEMENTS(Activate<Sigmoid>)
NORMPROOF_CUDA_ELEMENTS(ActivateBackward<Sigmoid>)
NORMPROOF_CUDA_ELEMENTS(Activate<LogSigmoid>)
NORMPROOF_CUDA_ELEMENTS(ActivateBackward<LogSigmoid>)
NORMPROOF_CUDA_ELEMENTS(Activate<Tanh>)
NORMPROOF_CUDA_ELEMENTS(ActivateBackward<Tanh>)
NORMPROOF_CUDA_ELEMENTS(Activate<Mish>)
NORMPROOF_CUDA_ELEMENTS(ActivateBackward<Mish>)
NORMPROOF_CUDA_ELEMENTS(Softplus)
NORMPROOF_CUDA_ELEMENTS(SoftplusBackward)
NORMPROOF_CUDA_ELEMENTS(Multiply)
NORMPROOF_CUDA_ELEMENTS(LimitGatedOperands)
NORMPROOF_CUDA_ELEMENTS(DropGradientsBeyond)
NORMPROOF_CUDA_ELEMENTS(Add)

NORMPROOF_CUDA_BLOCKS(WarpRows<SoftmaxRow<Softmax::plain>>)
NORMPROOF_CUDA_BLOCKS(WarpRows<SoftmaxRow<Softmax::logarithm>>)
NORMPROOF_CUDA_BLOCKS(WarpRows<SoftmaxRow<Softmax::log_sum>>)
NORMPROOF_CUDA_BLOCKS(WarpRows<SoftmaxRow<Softmax::log_sum_backward>>)
NORMPROOF_CUDA_BLOCKS(WarpRows<SoftmaxBackwardRow>)
NORMPROOF_CUDA_BLOCKS(WarpRows<LogSoftmaxBackwardRow>)

NORMPROOF_CUDA_ELEMENTS(CapScores)
NORMPROOF_CUDA_ELEMENTS(CapScoresBackward)
