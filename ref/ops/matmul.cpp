#include "ref/ops/matmul.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>

#include "ref/numeric/parallel.hpp"
#include "ref/ops/ball_matmul.hpp"
#include "ref/ops/fma_chain.hpp"
#include "ref/ops/matmul_double.hpp"
#include "ref/tensor/contract.hpp"

namespace normproof::ref::ops {
namespace {

using numeric::Clause;
using numeric::contract_failure;
using tensor::Shape;
using tensor::shape_of;
using tensor::Tensor;
using tensor::to_string;

constexpr std::size_t kBytesLimit = std::size_t{1} << 63;

template <class T>
Shape view_shape(const MatrixView<T>& m) {
  if (m.batches() == 1) return {m.rows, m.columns};
  if (m.inner_batch_size == 1) return {m.batch_size, m.rows, m.columns};
  return {m.batch_size, m.inner_batch_size, m.rows, m.columns};
}

std::string format_both_shapes(const Shape& a, const Shape& b) {
  return "have shapes " + to_string(a) + " and " + to_string(b);
}

struct Axis {
  std::size_t extent;
  std::size_t stride;
};

template <class T>
std::array<Axis, 4> operand_axes(const MatrixView<T>& m) {
  return {{{m.batch_size, m.batch_stride},
           {m.inner_batch_size, m.inner_batch_stride},
           {m.rows, m.row_stride},
           {m.columns, m.column_stride}}};
}

// Sets `span` to the number of elements from the first to the last element in memory, or to 0 if
// the view is empty. Returns false if a product or the span overflows.
template <class T>
bool compute_span(const MatrixView<T>& m, std::size_t& span) {
  span = 1;
  std::size_t size = 1;
  bool fits = true;
  bool empty = false;
  for (const Axis& axis : operand_axes(m)) {
    empty = empty || axis.extent == 0;
    std::size_t reach = 0;
    fits = fits && !__builtin_mul_overflow(size, std::max<std::size_t>(axis.extent, 1), &size) &&
           !__builtin_mul_overflow(axis.extent == 0 ? 0 : axis.extent - 1, axis.stride, &reach) &&
           !__builtin_add_overflow(span, reach, &span) && span < kBytesLimit / sizeof(T) &&
           size < kBytesLimit / sizeof(T);
  }
  if (empty) span = 0;
  return fits;
}

template <class T>
bool has_distinct_elements(const MatrixView<T>& m) {
  auto axes = operand_axes(m);
  std::sort(axes.begin(), axes.end(), [](Axis x, Axis y) { return x.stride < y.stride; });
  std::size_t reach = 0;
  for (const Axis& axis : axes) {
    if (axis.extent <= 1) continue;
    if (axis.stride <= reach) return false;
    reach += (axis.extent - 1) * axis.stride;
  }
  return true;
}

template <class T>
void check_no_overlap(const char* function, const char* operand, const MatrixView<T>& c,
                      std::size_t c_span, const MatrixView<const T>& x, std::size_t x_span) {
  if (c_span == 0 || x_span == 0) return;
  const std::less_equal<const T*> not_after;
  if (not_after(c.data + c_span, x.data) || not_after(x.data + x_span, c.data)) return;
  contract_failure(function, std::string("c and ") + operand,
                   format_both_shapes(view_shape(c), view_shape(x)) + " and overlap in memory",
                   "an output apart from the operands", Clause::C2);
}

// If x has a single matrix, makes x repeat it for every matrix of c.
template <class T>
bool broadcast_to(const MatrixView<T>& c, MatrixView<const T>& x) {
  if (x.batches() == 1) {
    x.batch_stride = 0;
    x.inner_batch_stride = 0;
    x.batch_size = c.batch_size;
    x.inner_batch_size = c.inner_batch_size;
  }
  return x.batch_size == c.batch_size && x.inner_batch_size == c.inner_batch_size;
}

template <class T>
void check_matmul_operands(const char* function, const MatrixView<T>& c, MatrixView<const T>& a,
                           MatrixView<const T>& b) {
  std::size_t spans[3];
  const bool fit =
      compute_span(c, spans[0]) && compute_span(a, spans[1]) && compute_span(b, spans[2]);
  const Shape a_shape = view_shape(a);
  const Shape b_shape = view_shape(b);
  if (!fit)
    contract_failure(function, "a and b",
                     format_both_shapes(a_shape, b_shape) + ", too large with c",
                     "sizes and offsets below 2^63 bytes", Clause::C4);
  const bool agree = broadcast_to(c, a) && broadcast_to(c, b) && a.columns == b.rows &&
                     c.rows == a.rows && c.columns == b.columns;
  if (!agree)
    contract_failure(function, "a and b",
                     format_both_shapes(a_shape, b_shape) + " for c " + to_string(view_shape(c)),
                     "a [M, K], b [K, N] and c [M, N] with the batch of c or none", Clause::C1);
  check_no_overlap(function, "a", c, spans[0], a, spans[1]);
  check_no_overlap(function, "b", c, spans[0], b, spans[2]);
  if (spans[0] > 0 && !has_distinct_elements(c))
    contract_failure(
        function, "c",
        "has shape " + to_string(view_shape(c)) + " and strides " +
            to_string({c.batch_stride, c.inner_batch_stride, c.row_stride, c.column_stride}),
        "strides that keep its elements apart", Clause::C3);
}

// Multiplies in the order of rule R1. It is for scalars that have no kernels.
template <class T>
void matmul_in_defined_order(const MatrixView<T>& c, const MatrixView<const T>& a,
                             const MatrixView<const T>& b, bool add) {
  const std::size_t rows = c.batches() * c.rows;
  numeric::parallel_for(rows, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const std::size_t batch = row / c.rows;
      const std::size_t i = row % c.rows;
      const T* a_row = a.at(batch).data + i * a.row_stride;
      T* c_row = c.at(batch).data + i * c.row_stride;
      for (std::size_t j = 0; j < c.columns; ++j) {
        const T* b_column = b.at(batch).data + j * b.column_stride;
        T& element = c_row[j * c.column_stride];
        fma_chain(
            a.columns, [&](std::size_t k) -> const T& { return a_row[k * a.column_stride]; },
            [&](std::size_t k) -> const T& { return b_column[k * b.row_stride]; }, element, add);
      }
    }
  });
}

// Copies the elements of `from` to `to`. If both are the same matrices, it does nothing.
template <class T>
void copy_elements(const MatrixView<T>& to, const MatrixView<const T>& from) {
  if (to.data == from.data) return;
  for (std::size_t batch = 0; batch < to.batches(); ++batch)
    for (std::size_t i = 0; i < to.rows; ++i)
      for (std::size_t j = 0; j < to.columns; ++j)
        to.at(batch).data[i * to.row_stride + j * to.column_stride] =
            from.at(batch).data[i * from.row_stride + j * from.column_stride];
}

// Calls the implementation for the scalar type T. `before` has the extents of c and is added to the
// product. If before.data is null, nothing is added.
template <class T>
void dispatch_matmul(const char* function, const MatrixView<T>& c, MatrixView<const T> a,
                     MatrixView<const T> b, const MatrixView<const T>& before = {}) {
  check_matmul_operands(function, c, a, b);
  if constexpr (std::is_same_v<T, double>) {
    matmul_double(c, a, b, before);
  } else {
    const bool add = before.data != nullptr;
    if (add) copy_elements(c, before);
    if constexpr (std::is_same_v<T, numeric::ball>)
      ball_matmul(c, a, b, add);
    else
      matmul_in_defined_order(c, a, b, add);
  }
}

template <class T, class Data>
MatrixView<T> view_matrices(const Shape& shape, Data* data) {
  if (shape.size() < 2)
    contract_failure("matrices", "t", "has shape " + to_string(shape), "rank 2 or more",
                     Clause::C1);
  MatrixView<T> m = matrix<T>(data, shape[shape.size() - 2], shape.back());
  for (std::size_t axis = 0; axis + 2 < shape.size(); ++axis) m.batch_size *= shape[axis];
  m.batch_stride = m.rows * m.columns;
  return m;
}

}  // namespace

template <numeric::Real T>
MatrixView<const T> matrices(const Tensor<T>& t) {
  return view_matrices<const T>(shape_of(t), t.data());
}
template <numeric::Real T>
MatrixView<T> matrices(Tensor<T>& t) {
  return view_matrices<T>(shape_of(t), t.data());
}

template <numeric::Real T>
void matmul_into(const MatrixView<T>& c, const std::type_identity_t<MatrixView<const T>>& a,
                 const std::type_identity_t<MatrixView<const T>>& b) {
  dispatch_matmul("matmul_into", c, a, b);
}
template <numeric::Real T>
void matmul_add(const MatrixView<T>& c, const std::type_identity_t<MatrixView<const T>>& a,
                const std::type_identity_t<MatrixView<const T>>& b) {
  dispatch_matmul<T>("matmul_add", c, a, b, c);
}

template <numeric::Real T>
void matmul_add_to_row(const MatrixView<T>& c, const std::type_identity_t<MatrixView<const T>>& a,
                       const std::type_identity_t<MatrixView<const T>>& b,
                       const Tensor<std::type_identity_t<T>>& row) {
  constexpr auto kName = "matmul_add_to_row";
  tensor::check_shape(kName, "row", shape_of(row), {c.columns}, Clause::C5);
  MatrixView<const T> rows = c;
  rows.data = row.data();
  rows.row_stride = rows.batch_stride = rows.inner_batch_stride = 0;
  rows.column_stride = 1;
  dispatch_matmul<T>(kName, c, a, b, rows);
}

template <numeric::Real T>
Tensor<T> matmul(const Tensor<T>& a, const Tensor<T>& b, Transpose transpose) {
  const Shape a_shape = shape_of(a);
  const Shape b_shape = shape_of(b);
  const auto fail = [&](const char* expectation, Clause clause) {
    contract_failure("matmul", "a and b", format_both_shapes(a_shape, b_shape), expectation,
                     clause);
  };
  if (a_shape.size() < 2 || b_shape.size() < 2) fail("rank 2 or more", Clause::C1);
  MatrixView<const T> left = matrices(a);
  MatrixView<const T> right = matrices(b);
  if (transpose == Transpose::a) left = transposed(left);
  if (transpose == Transpose::b) right = transposed(right);
  const bool same_batch =
      b_shape.size() == 2 || (a_shape.size() == b_shape.size() &&
                              std::equal(a_shape.begin(), a_shape.end() - 2, b_shape.begin()));
  if (!same_batch) fail("equal leading extents, or b of rank 2", Clause::C1);
  if (left.columns != right.rows)
    fail(transpose == Transpose::none ? "a [..., M, K] and b [..., K, N]"
         : transpose == Transpose::a  ? "a [..., K, M] and b [..., K, N]"
                                      : "a [..., M, K] and b [..., N, K]",
         Clause::C1);
  std::size_t size = 0;
  if (__builtin_mul_overflow(left.rows, right.columns, &size) ||
      __builtin_mul_overflow(size, left.batch_size, &size) || size >= kBytesLimit / sizeof(T))
    fail("a result of less than 2^63 bytes", Clause::C4);
  Shape c_shape(a_shape.begin(), a_shape.end() - 2);
  c_shape.push_back(left.rows);
  c_shape.push_back(right.columns);
  Tensor<T> c = tensor::empty_tensor<T>(c_shape);
  MatrixView<T> result = matrices(c);
  // One matrix b serves the whole batch, so a is treated as one tall matrix.
  if (b_shape.size() == 2 && transpose != Transpose::a && left.batch_size > 1) {
    left = matrix(left.data, left.batch_size * left.rows, left.columns);
    result = matrix(result.data, left.rows, result.columns);
  }
  dispatch_matmul<T>("matmul", result, left, right);
  return c;
}

#define NORMPROOF_INSTANTIATE(T)                                                    \
  template MatrixView<const T> matrices(const Tensor<T>&);                          \
  template MatrixView<T> matrices(Tensor<T>&);                                      \
  template void matmul_into(const MatrixView<T>&, const MatrixView<const T>&,       \
                            const MatrixView<const T>&);                            \
  template void matmul_add(const MatrixView<T>&, const MatrixView<const T>&,        \
                           const MatrixView<const T>&);                             \
  template void matmul_add_to_row(const MatrixView<T>&, const MatrixView<const T>&, \
                                  const MatrixView<const T>&, const Tensor<T>&);    \
  template Tensor<T> matmul(const Tensor<T>&, const Tensor<T>&, Transpose);
NORMPROOF_FOR_EACH_REAL(NORMPROOF_INSTANTIATE)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::ref::ops
