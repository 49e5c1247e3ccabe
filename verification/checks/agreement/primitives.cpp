#include "verification/checks/agreement/primitives.hpp"

#include <fmt/format.h>

#include <limits>

#include "gpu/nn/dropout.hpp"
#include "gpu/nn/embedding.hpp"
#include "gpu/ops/elementary.hpp"
#include "gpu/ops/matmul.hpp"
#include "gpu/ops/reduce.hpp"
#include "ref/nn/dropout.hpp"
#include "ref/nn/embedding.hpp"
#include "ref/numeric/elementary_array.hpp"
#include "ref/numeric/random.hpp"
#include "ref/ops/matmul.hpp"
#include "ref/ops/reduce.hpp"
#include "ref/tensor/contract.hpp"
#include "verification/checks/agreement/float32_norms.hpp"
#include "verification/checks/agreement/random_cases.hpp"

namespace normproof::verification::checks::agreement {
namespace {

using gpu::device::Device;
using gpu::device::download;
using gpu::device::upload;
using ref::tensor::Shape;
using ref::tensor::Tensor;
using ref::tensor::to_string;

void compare_sums(Device& device, std::uint64_t seed, Rows& rows) {
  for (const Shape& shape : {Shape{1, 1}, {3, 33}, {31, 64}, {65537, 2}, {2, 5001}}) {
    const Tensor<double> x = random_tensor(seed, "sums/x", shape);
    const Tensor<double> w = random_tensor(seed, "sums/w", shape);
    const auto there = upload(device, x);
    rows.begin("sums", to_string(shape));
    rows.compare("sum_rows", download(gpu::ops::sum_rows(there)), ref::ops::sum_rows(x));
    rows.compare("sum_columns", download(gpu::ops::sum_columns(there)), ref::ops::sum_columns(x));
    rows.compare("dot_rows", download(gpu::ops::dot_rows(there, upload(device, w))),
                 ref::ops::dot_rows(x, w));
    rows.compare("sum_elements", download(gpu::ops::sum_elements(there)).data()[0],
                 ref::ops::sum_elements(x));
  }
}

void compare_products(Device& device, std::uint64_t seed, Rows& rows) {
  struct Extents {
    std::size_t m, k, n;
  };
  for (const auto& [m, k, n] : {Extents{1, 1, 1},
                                {1, 600, 1},
                                {3, 255, 5},
                                {5, 256, 3},
                                {5, 257, 3},
                                {65, 40, 129},
                                {70000, 3, 2},
                                {7, 1025, 9}}) {
    const Tensor<double> a = random_tensor(seed, "matmul/a", {m, k});
    const Tensor<double> b = random_tensor(seed, "matmul/b", {k, n});
    const Tensor<double> a_t = random_tensor(seed, "matmul/a", {k, m});
    const Tensor<double> b_t = random_tensor(seed, "matmul/b", {n, k});
    rows.begin("matmul", fmt::format("[{}, {}, {}]", m, k, n));
    rows.compare("a b", download(gpu::ops::matmul(upload(device, a), upload(device, b))),
                 ref::ops::matmul(a, b));
    rows.compare(
        "a^T b",
        download(gpu::ops::matmul(upload(device, a_t), upload(device, b), gpu::ops::Transpose::a)),
        ref::ops::matmul(a_t, b, ref::ops::Transpose::a));
    rows.compare(
        "a b^T",
        download(gpu::ops::matmul(upload(device, a), upload(device, b_t), gpu::ops::Transpose::b)),
        ref::ops::matmul(a, b_t, ref::ops::Transpose::b));
  }
}

void compare_elementary(Device& device, std::uint64_t seed, Rows& rows) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double special[] = {0.0,     -0.0, kInfinity, -kInfinity, 709.9, -745.2,   0x1p-1074,
                            0x1p-60, 20.0, -19.99,    5.99,       6.0,   0x1p-950, 1e300};
  Tensor<double> x = random_tensor(seed, "elementary", {4096});
  for (std::size_t i = 0; i < std::size(special); ++i) x.data()[i] = special[i];
  const auto run_on_ref = [&](auto f, const Tensor<double>& argument) {
    Tensor<double> y = ref::tensor::empty_tensor<double>({argument.size()});
    f(argument.data(), argument.size(), y.data());
    return y;
  };
  Tensor<double> positive = x;
  for (double& v : positive) v = v < 0 ? -v : v;
  using ref::numeric::erf, ref::numeric::exp, ref::numeric::log, ref::numeric::tanh;
  rows.begin("elementary", "exp");
  rows.compare("y", download(gpu::ops::exp(upload(device, x))),
               run_on_ref([](const double* p, std::size_t n, double* y) { exp(p, n, y); }, x));
  rows.begin("elementary", "log");
  rows.compare(
      "y", download(gpu::ops::log(upload(device, positive))),
      run_on_ref([](const double* p, std::size_t n, double* y) { log(p, n, y); }, positive));
  rows.begin("elementary", "tanh");
  rows.compare("y", download(gpu::ops::tanh(upload(device, x))),
               run_on_ref([](const double* p, std::size_t n, double* y) { tanh(p, n, y); }, x));
  rows.begin("elementary", "erf");
  rows.compare("y", download(gpu::ops::erf(upload(device, x))),
               run_on_ref([](const double* p, std::size_t n, double* y) { erf(p, n, y); }, x));
}

void compare_dropout(Device& device, std::uint64_t seed, Rows& rows) {
  for (const double rate : {0.0, 0.1, 0.5}) {
    const Shape shape = {67, 101};
    const auto keep = ref::nn::dropout_mask(shape, rate, {.seed = seed, .step = 3, .place = "p"});
    const auto there = gpu::nn::dropout_mask(device, shape, rate, {seed, 3, "p"});
    const Tensor<double> x = random_tensor(seed, "dropout/x", shape);
    rows.begin("dropout", fmt::format("rate {}", rate));
    rows.compare("keep", ref::tensor::convert<double>(download(there)),
                 ref::tensor::convert<double>(keep));
    rows.compare("y", download(gpu::nn::dropout(upload(device, x), there, rate)),
                 ref::nn::dropout(x, keep, rate));
  }
}

void compare_embedding(Device& device, std::uint64_t seed, Rows& rows) {
  const ref::numeric::RandomStream random(seed, "embedding/ids");
  std::vector<std::int32_t> ids(5 * 77);
  for (std::size_t i = 0; i < ids.size(); ++i)
    ids[i] = static_cast<std::int32_t>(random.below(i, 40));
  const Tensor<double> weight = random_tensor(seed, "embedding/weight", {50, 33});
  const Tensor<double> grad_y = random_tensor(seed, "embedding/grad_y", {5, 77, 33});
  rows.begin("embedding", "[5, 77, 33]");
  rows.compare("y", download(gpu::nn::embedding({5, 77, ids}, upload(device, weight))),
               ref::nn::embedding({5, 77, ids}, weight));
  rows.compare(
      "grad_weight",
      download(gpu::nn::embedding_backward(upload(device, grad_y), {5, 77, ids}, 50).values),
      ref::nn::embedding_backward(grad_y, {5, 77, ids}, 50).values);
}

}  // namespace

const std::vector<Primitive>& primitives() {
  using ref::numeric::FloatType;
  const auto float32_norms = [](FloatType format) {
    return Primitive{float32_norm_row(format),
                     [format](Device& device, std::uint64_t seed, Rows& rows) {
                       compare_float32_norms(device, seed, format, rows);
                     }};
  };
  static const std::vector<Primitive> all = {{"sums", compare_sums},
                                             {"matmul", compare_products},
                                             {"elementary", compare_elementary},
                                             {"dropout", compare_dropout},
                                             {"embedding", compare_embedding},
                                             float32_norms(FloatType::float32),
                                             float32_norms(FloatType::bfloat16),
                                             float32_norms(FloatType::float16)};
  return all;
}

}  // namespace normproof::verification::checks::agreement
