#include <algorithm>

#include "ref/ops/matmul.hpp"
#include "verification/checks/determinism/probe.hpp"

namespace normproof::verification::checks::determinism {
namespace {

namespace ops = ref::ops;
using ops::MatrixView;
using ops::Transpose;
using ref::tensor::Shape;
using ref::tensor::Tensor;

struct Product {
  std::size_t rows, depth, columns;
};

// The extents of the products: numbers of terms around the chain length 256, rows and columns
// around the tile size, and sizes large enough for several threads.
constexpr Product kProducts[] = {{1, 1, 1},      {2, 3, 4},       {7, 255, 5},    {7, 256, 5},
                                 {7, 257, 5},    {3, 511, 9},     {3, 512, 9},    {3, 513, 9},
                                 {1, 64, 300},   {300, 64, 1},    {33, 600, 65},  {127, 61, 333},
                                 {64, 2048, 64}, {129, 256, 131}, {200, 300, 220}};

struct Layout {
  const char* name;
  Transpose transpose;
};
constexpr Layout kLayouts[] = {
    {"ab", Transpose::none}, {"atb", Transpose::a}, {"abt", Transpose::b}};

Shape make_batched_shape(std::size_t batch, std::size_t rows, std::size_t columns) {
  return batch == 0 ? Shape{rows, columns} : Shape{batch, rows, columns};
}

Shape left_shape(const Product& p, Transpose t, std::size_t batch) {
  return t == Transpose::a ? make_batched_shape(batch, p.depth, p.rows)
                           : make_batched_shape(batch, p.rows, p.depth);
}
Shape right_shape(const Product& p, Transpose t, std::size_t batch) {
  return t == Transpose::b ? make_batched_shape(batch, p.columns, p.depth)
                           : make_batched_shape(batch, p.depth, p.columns);
}

void add_result(const Tensor<double>& c, Values& values) {
  if (c.size() <= 1024)
    values.add(c);
  else
    values.add_block_hashes(c);
}

void add_layouts(std::vector<Probe>& probes) {
  for (const Product& p : kProducts) {
    for (const Layout& layout : kLayouts) {
      const std::string name = std::string("matmul/") + layout.name + "_" + std::to_string(p.rows) +
                               "x" + std::to_string(p.depth) + "x" + std::to_string(p.columns);
      probes.push_back({name, [=](Values& values) {
                          Inputs inputs(name);
                          const auto a =
                              inputs.draw_uniforms(left_shape(p, layout.transpose, 0), -1, 1);
                          const auto b =
                              inputs.draw_uniforms(right_shape(p, layout.transpose, 0), -1, 1);
                          add_result(ops::matmul(a, b, layout.transpose), values);
                        }});
    }
  }
}

void add_batches(std::vector<Probe>& probes) {
  constexpr Product kProduct{17, 70, 19};
  for (const Layout& layout : kLayouts) {
    for (const std::size_t right_batch : {6u, 0u}) {
      if (right_batch == 0 && layout.transpose == Transpose::a) continue;
      const std::string name =
          std::string("matmul/batched_") + layout.name + (right_batch == 0 ? "_shared" : "");
      probes.push_back(
          {name, [=](Values& values) {
             Inputs inputs(name);
             const auto a = inputs.draw_uniforms(left_shape(kProduct, layout.transpose, 6), -1, 1);
             const auto b =
                 inputs.draw_uniforms(right_shape(kProduct, layout.transpose, right_batch), -1, 1);
             add_result(ops::matmul(a, b, layout.transpose), values);
           }});
    }
  }
}

/// Returns the matrices of all heads of a [B,T,D] tensor, for each sentence. Each head has `d`
/// features. The matrix of head h consists of `d` columns, beginning with column `h d`.
template <class T>
MatrixView<T> heads(T* data, std::size_t batch_size, std::size_t seq_len, std::size_t num_heads,
                    std::size_t d) {
  return {.data = data,
          .rows = seq_len,
          .columns = d,
          .row_stride = num_heads * d,
          .column_stride = 1,
          .batch_size = batch_size,
          .batch_stride = seq_len * num_heads * d,
          .inner_batch_size = num_heads,
          .inner_batch_stride = d};
}

// Computes attention scores q k^T and their product with v for each head. The heads are not copied
// out of their [B,T,D] tensors.
void probe_strided_heads(Values& values) {
  constexpr std::size_t kBatch = 2, kSeq = 37, kHeads = 3, kDim = 21;
  Inputs inputs("matmul/strided_heads");
  const Tensor<double> q = inputs.draw_uniforms({kBatch, kSeq, kHeads * kDim}, -1, 1);
  const Tensor<double> k = inputs.draw_uniforms({kBatch, kSeq, kHeads * kDim}, -1, 1);
  Tensor<double> scores = ref::tensor::empty_tensor<double>({kBatch, kHeads, kSeq, kSeq});
  Tensor<double> context = ref::tensor::empty_tensor<double>({kBatch, kSeq, kHeads * kDim});
  MatrixView<double> score_view = ops::matrix(scores.data(), kSeq, kSeq);
  score_view.batch_size = kBatch;
  score_view.batch_stride = kHeads * kSeq * kSeq;
  score_view.inner_batch_size = kHeads;
  score_view.inner_batch_stride = kSeq * kSeq;
  const auto q_view = heads<const double>(q.data(), kBatch, kSeq, kHeads, kDim);
  const auto k_view = heads<const double>(k.data(), kBatch, kSeq, kHeads, kDim);
  ops::matmul_into(score_view, q_view, ops::transposed(k_view));
  ops::matmul_into(heads<double>(context.data(), kBatch, kSeq, kHeads, kDim), score_view, k_view);
  add_result(scores, values);
  add_result(context, values);
}

// Computes a product whose result is stored by columns and whose operands are every second element.
void probe_strided_product(Values& values) {
  constexpr std::size_t kRows = 23, kDepth = 300, kColumns = 31;
  Inputs inputs("matmul/strided");
  const Tensor<double> a = inputs.draw_uniforms({kRows, 2 * kDepth}, -1, 1);
  const Tensor<double> b = inputs.draw_uniforms({kDepth, 2 * kColumns}, -1, 1);
  Tensor<double> c = ref::tensor::empty_tensor<double>({kColumns, kRows});
  ops::matmul_into<double>({c.data(), kRows, kColumns, 1, kRows},
                           {a.data(), kRows, kDepth, 2 * kDepth, 2},
                           {b.data(), kDepth, kColumns, 2 * kColumns, 2});
  values.add(c);
}

void probe_sum_with_old_result(Values& values) {
  Inputs inputs("matmul/add");
  for (const std::size_t depth : {0u, 1u, 256u, 257u, 700u}) {
    const Tensor<double> a = inputs.draw_uniforms({9, std::max<std::size_t>(depth, 1)}, -1, 1);
    const Tensor<double> b = inputs.draw_uniforms({std::max<std::size_t>(depth, 1), 11}, -1, 1);
    Tensor<double> c = inputs.draw_uniforms({9, 11}, -1, 1);
    ops::matmul_add<double>(ops::matrices(c), {a.data(), 9, depth, std::max<std::size_t>(depth, 1)},
                            {b.data(), depth, 11, 11});
    values.add(c);
  }
}

void probe_wide_products(Values& values) {
  Inputs inputs("matmul/wide");
  const Tensor<double> a = inputs.wide_range_numbers({13, 400}, -400, 400);
  const Tensor<double> b = inputs.wide_range_numbers({400, 15}, -400, 400);
  values.add(ops::matmul(a, b));
}

void probe_subnormal_products(Values& values) {
  Inputs inputs("matmul/subnormal");
  const Tensor<double> a = inputs.wide_range_numbers({13, 300}, -540, -530);
  const Tensor<double> b = inputs.wide_range_numbers({300, 15}, -545, -530);
  values.add(ops::matmul(a, b));
}

void cancelling(Values& values) {
  Inputs inputs("matmul/cancelling");
  const Tensor<double> a = inputs.cancelling({13, 514});
  values.add(ops::matmul(a, ref::tensor::full_tensor<double>({514, 15}, 0.1)));
}

}  // namespace

void add_matmul_probes(std::vector<Probe>& probes) {
  add_layouts(probes);
  add_batches(probes);
  probes.push_back({"matmul/strided_heads", probe_strided_heads});
  probes.push_back({"matmul/strided", probe_strided_product});
  probes.push_back({"matmul/add", probe_sum_with_old_result});
  probes.push_back({"matmul/wide", probe_wide_products});
  probes.push_back({"matmul/subnormal", probe_subnormal_products});
  probes.push_back({"matmul/cancelling", cancelling});
}

}  // namespace normproof::verification::checks::determinism
