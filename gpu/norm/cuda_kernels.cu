// The kernels of gpu/norm that nvcc compiles.
#include "gpu/device/cuda_launch.cuh"
#include "gpu/norm/cast_kernels.hpp"
#include "gpu/norm/channel_kernels.hpp"
#include "gpu/norm/column_kernels.hpp"
#include "gpu/norm/dyt_kernels.hpp"
#include "gpu/norm/group_kernels.hpp"
#include "gpu/norm/l2_kernels.hpp"
#include "gpu/norm/row_kernels.hpp"
#include "gpu/norm/scale_kernels.hpp"

using namespace normproof::gpu::norm;
using normproof::gpu::ops::ColumnLanes;
using normproof::gpu::ops::WarpRows;

NORMPROOF_CUDA_BLOCKS(WarpRows<RowForward<true>>)
NORMPROOF_CUDA_BLOCKS(WarpRows<RowForward<false>>)
NORMPROOF_CUDA_BLOCKS(WarpRows<RowBackward<true>>)
NORMPROOF_CUDA_BLOCKS(WarpRows<RowBackward<false>>)
NORMPROOF_CUDA_BLOCKS(WarpRows<ScaleForward>)
NORMPROOF_CUDA_BLOCKS(WarpRows<ScaleBackward>)
NORMPROOF_CUDA_BLOCKS(WarpRows<L2Forward>)
NORMPROOF_CUDA_BLOCKS(WarpRows<L2Backward>)
NORMPROOF_CUDA_BLOCKS(WarpRows<GroupForward>)
NORMPROOF_CUDA_BLOCKS(WarpRows<GroupBackward>)

NORMPROOF_CUDA_ELEMENTS(ColumnLanes<GradGammaTerm<Statistics::of_row, true>>)
NORMPROOF_CUDA_ELEMENTS(ColumnLanes<GradGammaTerm<Statistics::of_row, false>>)
NORMPROOF_CUDA_ELEMENTS(ColumnLanes<GradGammaTerm<Statistics::of_column, true>>)
NORMPROOF_CUDA_ELEMENTS(ColumnLanes<GradGammaTerm<Statistics::of_column, false>>)
NORMPROOF_CUDA_ELEMENTS(ColumnLanes<GradGammaTerm<Statistics::of_group, true>>)
NORMPROOF_CUDA_ELEMENTS(ColumnLanes<MeanTerm>)
NORMPROOF_CUDA_ELEMENTS(ColumnLanes<VarianceTerm>)
NORMPROOF_CUDA_ELEMENTS(ColumnLanes<XHatSquareTerm>)
NORMPROOF_CUDA_ELEMENTS(ColumnLanes<GTimesXHatTerm>)
NORMPROOF_CUDA_ELEMENTS(ColumnLanes<NuUpdateTerm>)
NORMPROOF_CUDA_ELEMENTS(ColumnLanes<RenormGammaTerm>)
NORMPROOF_CUDA_ELEMENTS(ColumnLanes<DyTGammaTerm>)
NORMPROOF_CUDA_ELEMENTS(ColumnLanes<DyTAlphaTerm>)

NORMPROOF_CUDA_ELEMENTS(DyTArgument)
NORMPROOF_CUDA_ELEMENTS(DyTOutput)
NORMPROOF_CUDA_ELEMENTS(DyTBackward)
NORMPROOF_CUDA_ELEMENTS(NormalizeColumns<true>)
NORMPROOF_CUDA_ELEMENTS(NormalizeColumns<false>)
NORMPROOF_CUDA_ELEMENTS(NormalizeColumnsBackward<true>)
NORMPROOF_CUDA_ELEMENTS(NormalizeColumnsBackward<false>)
NORMPROOF_CUDA_ELEMENTS(RenormalizeColumns)
NORMPROOF_CUDA_ELEMENTS(RoundBeforeBeta)

NORMPROOF_CUDA_ELEMENTS(Divide)
NORMPROOF_CUDA_ELEMENTS(ReciprocalRoot)
NORMPROOF_CUDA_ELEMENTS(MovingAverage)
NORMPROOF_CUDA_ELEMENTS(ScaledMean)
NORMPROOF_CUDA_ELEMENTS(UnbiasedVariance)
NORMPROOF_CUDA_ELEMENTS(BatchRenormFactors)
NORMPROOF_CUDA_ELEMENTS(Product)
NORMPROOF_CUDA_ELEMENTS(MultiplyByFactor)
NORMPROOF_CUDA_ELEMENTS(Sum)
NORMPROOF_CUDA_ELEMENTS(UpdateNu)
NORMPROOF_CUDA_ELEMENTS(CumulativeMean)
