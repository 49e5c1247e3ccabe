#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "gpu/ops/library_products.hpp"
#include "gpu/ops/matmul.hpp"
#include "verification/benchmark/device_rows.hpp"
#if defined(NORMPROOF_CUDA)
#include "gpu/device/cuda_device.cuh"
#endif

namespace normproof::verification::benchmark {
namespace {

using gpu::device::Span;
using gpu::ops::Matrices;
using gpu::ops::Transpose;

/// A matrix product `c = a b`. The matrix `c` has the shape [rows,columns], and `depth` is the
/// number of columns of `a`. If there are several heads, as in attention, each head has such a
/// product.
struct Product {
  std::size_t rows, columns, depth;
  Transpose transpose = Transpose::none;
  std::size_t sentences = 1, heads = 1;

  std::size_t matrices() const { return sentences * heads; }
};

std::string layout_name(const Product& p) {
  const char* const form = p.transpose == Transpose::none ? "AB"
                           : p.transpose == Transpose::a  ? "AtB"
                                                          : "ABt";
  const std::string size = fmt::format("{}x{}x{}", p.rows, p.columns, p.depth);
  return p.matrices() == 1 ? fmt::format("{}/{}", size, form)
                           : fmt::format("{}@{}/{}", p.matrices(), size, form);
}

/// How an operand of attention is stored.
/// - scores: one matrix per head, one after another.
/// - mean: a tensor [B,T,D] whose columns are the heads of the attention output. The output is a
///   weighted mean of the values.
/// - parts: a tensor [B,T,3D] whose columns are the heads of the queries, keys and values.
enum class Layout { scores, mean, parts };

struct Operand {
  std::size_t rows, columns;  ///< numbers of rows and columns of the stored matrix
  Layout layout;

  std::size_t width(std::size_t heads) const {
    return heads * columns * (layout == Layout::parts ? 3 : 1);
  }
};

struct Operands {
  Operand a, b, c;
};

Operands make_operands(const Product& p) {
  const bool many = p.matrices() > 1;
  const bool at = p.transpose == Transpose::a, bt = p.transpose == Transpose::b;
  const Layout a = many && bt ? Layout::parts : Layout::scores;
  const Layout b = !many ? Layout::scores : at ? Layout::mean : Layout::parts;
  const Layout c = !many || bt ? Layout::scores : at ? Layout::parts : Layout::mean;
  return {{at ? p.depth : p.rows, at ? p.rows : p.depth, a},
          {bt ? p.columns : p.depth, bt ? p.depth : p.columns, b},
          {p.rows, p.columns, c}};
}

Shape shape_of(const Product& p, const Operand& o) {
  return {p.sentences, o.rows, o.width(p.heads)};
}

template <class T>
Matrices<T> view(Span<T> span, const Product& p, const Operand& o) {
  const std::size_t width = o.width(p.heads), all = o.rows * width;
  if (o.layout == Layout::scores)
    return {span, 0,           o.rows, o.columns, o.columns,
            1,    p.sentences, all,    p.heads,   o.rows * o.columns};
  return {span, 0, o.rows, o.columns, width, 1, p.sentences, all, p.heads, o.columns};
}

DeviceWork make_own_product_work(DeviceRows& rows, const std::string& row, const Product& p,
                                 const gpu::ops::Products& products) {
  const Operands operands = make_operands(p);
  const auto a = rows.numbers("a", shape_of(p, operands.a));
  const auto b = rows.numbers("b", shape_of(p, operands.b));
  DeviceTensor<double> c(rows.device(), shape_of(p, operands.c));
  auto left = view(a.span(), p, operands.a), right = view(b.span(), p, operands.b);
  if (p.transpose == Transpose::a) left = gpu::ops::transposed(left);
  if (p.transpose == Transpose::b) right = gpu::ops::transposed(right);
  const auto result = view(c.span(), p, operands.c);
  products.prepare(rows.device());
  // The function captures a, b and c so that their memory is not released.
  return record_layer(rows.device(), row, [&rows, &products, a, b, c, left, right, result] {
    gpu::ops::matmul_into(rows.device(), result, left, right, false, products);
  });
}

#if defined(NORMPROOF_CUDA)
/// Computes the product p with cuBLAS, for matrices that are stored one after another. cuBLAS uses
/// column-major order, so it computes c^T = b^T a^T.
void call_cublas(Device& device, const Product& p, const double* a, const double* b, double* c) {
  const double one = 1, zero = 0;
  const auto left = p.transpose == Transpose::b ? CUBLAS_OP_T : CUBLAS_OP_N;
  const auto right = p.transpose == Transpose::a ? CUBLAS_OP_T : CUBLAS_OP_N;
  const int m = static_cast<int>(p.rows), n = static_cast<int>(p.columns),
            k = static_cast<int>(p.depth);
  const int ldb = p.transpose == Transpose::b ? k : n, lda = p.transpose == Transpose::a ? m : k;
  if (p.matrices() == 1) {
    NORMPROOF_CUDA_CALL(cublasDgemm(gpu::device::cublas_handle(device), left, right, n, m, k, &one,
                                    b, ldb, a, lda, &zero, c, n));
    return;
  }
  NORMPROOF_CUDA_CALL(cublasDgemmStridedBatched(
      gpu::device::cublas_handle(device), left, right, n, m, k, &one, b, ldb,
      static_cast<long long>(p.columns * p.depth), a, lda, static_cast<long long>(p.rows * p.depth),
      &zero, c, n, static_cast<long long>(p.rows * p.columns), static_cast<int>(p.matrices())));
}

DeviceWork make_bare_product_work(DeviceRows& rows, const Product& p) {
  const Operands operands = make_operands(p);
  const auto a = rows.numbers("a", shape_of(p, operands.a));
  const auto b = rows.numbers("b", shape_of(p, operands.b));
  DeviceTensor<double> c(rows.device(), shape_of(p, operands.c));
  return {[&rows, p, a, b, c](std::int64_t times) mutable {
    for (std::int64_t i = 0; i < times; ++i)
      call_cublas(rows.device(), p, a.span().data, b.span().data, c.span().data);
  }};
}
#endif

/// Returns two products of square matrices, and the products that an encoder computes: in linear
/// maps, in the gradients of linear maps, and in attention. If `tiny` is true, all products are
/// small.
std::vector<Product> make_products(bool tiny) {
  const std::size_t sentences = tiny ? 2 : 256, length = tiny ? 8 : 128, heads = tiny ? 2 : 4;
  const std::size_t d = tiny ? 16 : 256, d_ff = 4 * d, d_k = d / heads, tokens = sentences * length;
  const std::size_t small = tiny ? 16 : 1024, large = tiny ? 32 : 4096;
  return {{small, small, small},
          {large, large, large},
          {tokens, 3 * d, d, Transpose::b},
          {tokens, d, d, Transpose::b},
          {tokens, d_ff, d, Transpose::b},
          {tokens, d, d_ff, Transpose::b},
          {tokens, d, 3 * d},
          {tokens, d, d_ff},
          {3 * d, d, tokens, Transpose::a},
          {d_ff, d, tokens, Transpose::a},
          {length, length, d_k, Transpose::b, sentences, heads},
          {length, d_k, length, Transpose::none, sentences, heads},
          {length, d_k, length, Transpose::a, sentences, heads}};
}

}  // namespace

void add_products(DeviceRows& rows) {
  const std::int64_t batch = rows.tiny() ? 1 : 10;
  for (const Product& p : make_products(rows.tiny())) {
    using Prepare = std::function<DeviceWork(const std::string& row)>;
    const auto add = [&](std::string_view who, const Prepare& prepare) {
      const auto elements = static_cast<double>(p.matrices() * p.rows * p.columns);
      const std::string row = fmt::format("product/{}/{}", layout_name(p), who);
      rows.add({.name = row,
                .batch = batch,
                .bytes = 0,
                .operations = 2 * elements * static_cast<double>(p.depth),
                .prepare = [prepare, row] { return prepare(row); }});
    };
#if defined(NORMPROOF_CUDA)
    if (rows.is_on_gpu())
      add("cublasDgemm",
          [&rows, p](const std::string&) { return make_bare_product_work(rows, p); });
#endif
    add("ordered", [&rows, p](const std::string& row) {
      return make_own_product_work(rows, row, p, gpu::ops::ordered_products());
    });
    for (const std::string& name : gpu::ops::precision_names()) {
      const auto library =
          std::make_shared<gpu::ops::LibraryProducts>(gpu::ops::parse_precision(name));
      add(name, [&rows, p, library](const std::string& row) {
        return make_own_product_work(rows, row, p, *library);
      });
    }
  }
}

}  // namespace normproof::verification::benchmark
