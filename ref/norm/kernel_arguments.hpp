#pragma once

#include <cstddef>

/// The arguments of the kernels: plain pointers, the same types for every instruction set.
namespace normproof::ref::norm {

/// x, y [rows, d_model]; gamma, beta [d_model] or null; mean, rstd [rows, groups], mean unused by
/// layers that do not centre.
template <class T>
struct RowForward {
  const T* x;
  const T* gamma;
  const T* beta;
  T eps;
  std::size_t d_model;
  std::size_t groups;
  bool past_caches;
  T* y;
  T* mean;
  T* rstd;
};

template <class T>
struct RowBackward {
  const T* grad_y;
  const T* x;
  const T* gamma;
  const T* mean;
  const T* rstd;
  std::size_t rows;
  std::size_t d_model;
  std::size_t groups;
  bool past_caches;
  T* grad_x;
  T* lane_sums;  ///< [32, 2, d_model], or null for a layer without parameters
};

template <class T>
struct ColumnStatistics {
  const T* x;
  std::size_t stride;
  const std::size_t* stat_rows;
  std::size_t stat_count;
  T* mean;    ///< [D], where centred
  T* square;  ///< [D], the biased variance where centred, else the quadratic mean
};

template <class T>
struct ColumnForward {
  const T* x;
  const T* gamma;
  const T* beta;
  const T* mean;  ///< [D], where centred
  const T* rstd;  ///< [D]
  std::size_t d_model;
  bool past_caches;
  T* y;
};

template <class T>
struct ColumnBackward {
  const T* grad_y;
  const T* x;
  const T* gamma;
  const T* mean;   ///< [D], where centred
  const T* rstd;   ///< [D]
  const T* scale;  ///< [D], the last factor of grad_x: rstd in most layers
  std::size_t rows;
  std::size_t d_model;
  bool past_caches;
  T* grad_x;
  T* grad_gamma;
  T* grad_beta;
};

}  // namespace normproof::ref::norm
