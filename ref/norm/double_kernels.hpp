#pragma once

#include "ref/ops/row_traversal.hpp"

/// Structs that hold the arguments of the layers' loops over rows or columns, one struct per loop.
/// The function compute(work, range) of a struct is in <layer>_formula.hpp.
namespace normproof::ref::norm {

template <class T>
struct BatchNormBackwardRows;
template <class T>
struct BatchNormParameterGradients;
template <class T>
struct BatchNormRows;
template <class T>
struct BatchNormStatistics;
template <class T>
struct BatchRenormGammaGradient;
template <class T>
struct BatchRenormRows;
template <class T>
struct DyTBackwardRows;
template <class T>
struct DyTRows;
template <class T>
struct GroupScalingBackwardRows;
template <class T>
struct GroupScalingRows;
template <class T>
struct L2NormBackwardRows;
template <class T>
struct L2NormRows;
template <class T>
struct LayerNormBackwardRows;
template <class T>
struct LayerNormRows;
template <class T>
struct PowerNormBackwardRows;
template <class T>
struct PowerNormMoments;
template <class T>
struct PowerNormParameterGradients;
template <class T>
struct PowerNormRows;
template <class T>
struct QuadraticMean;
template <class T>
struct RMSNormBackwardRows;
template <class T>
struct RMSNormRows;
template <class T>
struct ScaledNuUpdate;
template <class T>
struct ScaleNormBackwardRows;
template <class T>
struct ScaleNormRows;
template <class T>
struct SquaredNorms;

/// A pointer to the function compute(work, range), compiled for one instruction set.
template <class Work>
struct Kernel {
  void (*compute)(const Work&, ops::IndexRange);
};
template <class... Works>
struct KernelTable : Kernel<Works>... {};

template <template <class> class... Works>
using DoubleKernelTable = KernelTable<Works<double>...>;

/// The kernels of all layers for `double`, compiled for one instruction set. Every instruction set
/// gives the same bits (docs/specification/determinism.md), so the choice affects only the speed.
using DoubleKernels =
    DoubleKernelTable<ops::LaneTotals, BatchNormBackwardRows, BatchNormParameterGradients,
                      BatchNormRows, BatchNormStatistics, BatchRenormGammaGradient, BatchRenormRows,
                      DyTBackwardRows, DyTRows, GroupScalingBackwardRows, GroupScalingRows,
                      L2NormBackwardRows, L2NormRows, LayerNormBackwardRows, LayerNormRows,
                      PowerNormBackwardRows, PowerNormMoments, PowerNormParameterGradients,
                      PowerNormRows, QuadraticMean, RMSNormBackwardRows, RMSNormRows,
                      ScaledNuUpdate, ScaleNormBackwardRows, ScaleNormRows, SquaredNorms>;

extern const DoubleKernels double_kernels_baseline;
#if defined(__x86_64__)
extern const DoubleKernels double_kernels_avx2;
extern const DoubleKernels double_kernels_avx512;
#endif

}  // namespace normproof::ref::norm
