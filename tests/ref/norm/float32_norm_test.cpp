#include "ref/norm/float32_norm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "ref/norm/layer_norm.hpp"
#include "ref/norm/rms_norm.hpp"
#include "ref/numeric/random.hpp"
#include "tests/ref/numeric/error_message.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::ref::norm {
namespace {

using model::Float32NormOptions;
using numeric::contract_message;
using numeric::FloatType;

constexpr Float32NormOptions kFloat32Options{.storage = FloatType::float32,
                                             .parameters = FloatType::float32};

Tensor<float> float32_sample(const tensor::Shape& shape, std::string_view name) {
  const numeric::RandomStream random(5, name);
  Tensor<float> result = tensor::empty_tensor<float>(shape);
  for (std::size_t i = 0; i < result.size(); ++i)
    result.data()[i] = static_cast<float>(random.normal(i) * std::exp2(random.below(i, 21)));
  return result;
}

void expect_same_floats(const Tensor<float>& got, const Tensor<float>& expected) {
  EXPECT_BITS_EQ(tensor::convert<double>(got), tensor::convert<double>(expected));
}

TEST(Float32Norm, MatchesHandComputedValues) {
  const Tensor<float> x = {{0, 2, 0, 2}, {10, 10, 14, 14}};
  const Affine<float> affine{{1, 2, 4, 8}, {0.5, 0, 0, -1}};
  Float32NormOptions options = kFloat32Options;
  options.eps = 0;
  const auto forward = float32_norm(x, affine, options);
  EXPECT_BITS_EQ(forward.mean, (Tensor<double>{1, 12}));
  EXPECT_BITS_EQ(forward.rstd, (Tensor<double>{1, 0.5}));
  expect_same_floats(forward.y, {{-0.5, 2, -4, 7}, {-0.5, -2, 4, 7}});
  const auto gradients =
      float32_norm_backward({{4, 0, 0, 0}, {0, 0, 0, 1}}, x, affine, forward, options);
  expect_same_floats(gradients.grad_x, {{2, 0, -2, 0}, {0, 0, -2, 2}});
  expect_same_floats(gradients.grad_gamma, {-4, 0, 0, 1});
  expect_same_floats(gradients.grad_beta, {4, 0, 0, 1});
}

/// Adds terms in the order of rule R2 of docs/specification/determinism.md. Lane l of 32 adds the
/// terms l, l + 32, l + 64, ... in ascending order, starting from +0. A tree then adds the lanes.
template <class T>
T sum_in_32_lanes(std::size_t count, const std::function<T(std::size_t)>& term) {
  T lane[32] = {};
  for (std::size_t i = 0; i < count; ++i) lane[i % 32] = lane[i % 32] + term(i);
  for (const int stride : {16, 8, 4, 2, 1})
    for (int l = 0; l < stride; ++l) lane[l] = lane[l] + lane[l + stride];
  return lane[0];
}

/// Adds one term per row in the order of the parameter gradients. Each run of 32 rows is added in
/// ascending order, starting from +0. The sums of the runs are then added by rule R2.
template <class T>
T sum_in_runs_of_32_rows(std::size_t count, const std::function<T(std::size_t)>& term) {
  return sum_in_32_lanes<T>((count + 31) / 32, [&](std::size_t run) {
    T sum = 0;
    for (std::size_t r = run * 32; r < count && r < run * 32 + 32; ++r) sum = sum + term(r);
    return sum;
  });
}

void expect_sums_in_documented_order(bool centred, std::size_t rows) {
  constexpr std::size_t kWidth = 101;
  const Tensor<float> x = float32_sample({rows, kWidth}, "x");
  const Tensor<float> grad_y = float32_sample({rows, kWidth}, "grad_y");
  const Affine<float> affine{float32_sample({kWidth}, "gamma"), float32_sample({kWidth}, "beta")};
  Float32NormOptions options = kFloat32Options;
  options.centred = centred;
  options.eps = 0.1;
  const auto forward = float32_norm(x, affine, options);
  const auto gradients = float32_norm_backward(grad_y, x, affine, forward, options);

  const auto at = [&](const Tensor<float>& t, std::size_t r, std::size_t d) {
    return t.data()[r * kWidth + d];
  };
  const auto n = static_cast<float>(kWidth);
  std::vector<float> mean(rows, 0), rstd(rows);
  const auto x_hat = [&](std::size_t r, std::size_t d) {
    return (centred ? at(x, r, d) - mean[r] : at(x, r, d)) * rstd[r];
  };
  std::size_t different = 0;
  const auto count = [&](double got, float expected) {
    different += got == static_cast<double>(expected) ? 0 : 1;
  };
  for (std::size_t r = 0; r < rows; ++r) {
    if (centred) {
      mean[r] = sum_in_32_lanes<float>(kWidth, [&](std::size_t d) { return at(x, r, d); }) / n;
      count(forward.mean.data()[r], mean[r]);
    }
    const float square = sum_in_32_lanes<float>(kWidth, [&](std::size_t d) {
      const float v = at(x, r, d) - mean[r];
      return v * v;
    });
    rstd[r] = 1.0F / std::sqrt(square / n + 0.1F);
    count(forward.rstd.data()[r], rstd[r]);
    const auto g = [&](std::size_t d) { return affine.gamma.data()[d] * at(grad_y, r, d); };
    const float a = centred ? sum_in_32_lanes<float>(kWidth, g) / n : 0;
    const float c =
        sum_in_32_lanes<float>(kWidth, [&](std::size_t d) { return g(d) * x_hat(r, d); }) / n;
    for (std::size_t d = 0; d < kWidth; ++d) {
      count(static_cast<double>(at(forward.y, r, d)),
            affine.gamma.data()[d] * x_hat(r, d) + affine.beta.data()[d]);
      count(static_cast<double>(at(gradients.grad_x, r, d)),
            ((g(d) - a) - x_hat(r, d) * c) * rstd[r]);
    }
  }
  for (std::size_t d = 0; d < kWidth; ++d) {
    count(static_cast<double>(gradients.grad_gamma.data()[d]),
          sum_in_runs_of_32_rows<float>(
              rows, [&](std::size_t r) { return at(grad_y, r, d) * x_hat(r, d); }));
    count(static_cast<double>(gradients.grad_beta.data()[d]),
          sum_in_runs_of_32_rows<float>(rows, [&](std::size_t r) { return at(grad_y, r, d); }));
  }
  EXPECT_EQ(different, 0u);
}

/// Returns the tensor with each element rounded once to the format.
template <class T>
Tensor<float> round_elements(FloatType type, const Tensor<T>& t) {
  Tensor<float> result = tensor::empty_tensor<float>(tensor::shape_of(t));
  for (std::size_t i = 0; i < t.size(); ++i)
    result.data()[i] = static_cast<float>(round_to(type, static_cast<double>(t.data()[i])));
  return result;
}

TEST(Float32Norm, SumsFollowTheDocumentedOrderInFloat32) {
  static_assert(model::kRowsPerRun == 32);
  for (const std::size_t rows : {1, 2, 31, 32, 33, 75, 32 * 32 + 1, 35 * 32 + 7}) {
    expect_sums_in_documented_order(true, rows);
    expect_sums_in_documented_order(false, rows);
  }
}

TEST(Float32Norm, OutputsAreRoundedOnceToTheStorageFormat) {
  const Tensor<float> x = {{1, 2, 4, 9}, {-1, 0.5, 3, 256}};
  const Tensor<float> grad_y = {{1, -3, 0.25, 7}, {2, 2, 0.5, -1}};
  const Affine<float> affine{{0.5, 1.5, -2, 3}, {0.125, 7, -300, 0.25}};
  const auto forward = float32_norm(x, affine, kFloat32Options);
  const auto exact = float32_norm_backward(grad_y, x, affine, forward, kFloat32Options);
  const Float32NormOptions halves{.storage = FloatType::float16, .parameters = FloatType::bfloat16};
  const auto rounded_to_format = float32_norm(x, affine, halves);
  expect_same_floats(rounded_to_format.y, round_elements(FloatType::float16, forward.y));
  EXPECT_BITS_EQ(rounded_to_format.mean, forward.mean);
  EXPECT_BITS_EQ(rounded_to_format.rstd, forward.rstd);
  const auto gradients = float32_norm_backward(grad_y, x, affine, rounded_to_format, halves);
  expect_same_floats(gradients.grad_x, round_elements(FloatType::float16, exact.grad_x));
  expect_same_floats(gradients.grad_gamma, round_elements(FloatType::bfloat16, exact.grad_gamma));
  expect_same_floats(gradients.grad_beta, round_elements(FloatType::bfloat16, exact.grad_beta));
  EXPECT_NE(rounded_to_format.y.data()[0], forward.y.data()[0]);
  EXPECT_NE(gradients.grad_gamma.data()[0], exact.grad_gamma.data()[0]);
}

TEST(Float32Norm, Float64ArithmeticEqualsTheDoubleLayerRoundedOnce) {
  const tensor::Shape shape{40, 77};
  const Tensor<float> x = round_elements(FloatType::bfloat16, float32_sample(shape, "x"));
  const Tensor<float> grad_y = round_elements(FloatType::bfloat16, float32_sample(shape, "grad_y"));
  const Affine<float> affine{float32_sample({77}, "gamma"), float32_sample({77}, "beta")};
  const Affine<double> in_double{tensor::convert<double>(affine.gamma),
                                 tensor::convert<double>(affine.beta)};
  const Tensor<double> wide_x = tensor::convert<double>(x);
  const Tensor<double> wide_grad_y = tensor::convert<double>(grad_y);
  Float32NormOptions options{.eps = 0.1,
                             .storage = FloatType::bfloat16,
                             .parameters = FloatType::float32,
                             .arithmetic = FloatType::float64};
  const auto in_runs = [&](const std::function<double(std::size_t, std::size_t)>& term) {
    Tensor<double> sums = tensor::empty_tensor<double>({shape[1]});
    for (std::size_t d = 0; d < shape[1]; ++d)
      sums.data()[d] =
          sum_in_runs_of_32_rows<double>(shape[0], [&](std::size_t r) { return term(r, d); });
    return round_elements(FloatType::float32, sums);
  };
  const auto expect = [&](const auto& layer, const AffineGradients<double>& gradients) {
    const auto got = float32_norm(x, affine, options);
    expect_same_floats(got.y, round_elements(FloatType::bfloat16, layer.y));
    EXPECT_BITS_EQ(got.rstd, layer.saved.rstd);
    const auto back = float32_norm_backward(grad_y, x, affine, got, options);
    expect_same_floats(back.grad_x, round_elements(FloatType::bfloat16, gradients.grad_x));
    const auto at = [&](const Tensor<double>& t, std::size_t r, std::size_t d) {
      return t.data()[r * shape[1] + d];
    };
    expect_same_floats(back.grad_gamma, in_runs([&](std::size_t r, std::size_t d) {
                         const double mean = options.centred ? got.mean.data()[r] : 0;
                         const double x_hat = (at(wide_x, r, d) - mean) * got.rstd.data()[r];
                         return at(wide_grad_y, r, d) * x_hat;
                       }));
    expect_same_floats(back.grad_beta, in_runs([&](std::size_t r, std::size_t d) {
                         return at(wide_grad_y, r, d);
                       }));
  };
  const auto centred = layer_norm(wide_x, in_double, {.eps = 0.1});
  EXPECT_BITS_EQ(float32_norm(x, affine, options).mean, centred.saved.mean);
  expect(centred, layer_norm_backward(wide_grad_y, wide_x, in_double, centred.saved));
  options.centred = false;
  const auto plain = rms_norm(wide_x, in_double, {.eps = 0.1});
  expect(plain, rms_norm_backward(wide_grad_y, wide_x, in_double, plain.saved));
}

TEST(Float32Norm, AddNormNormalizesTheSumRoundedToTheStorageFormat) {
  const tensor::Shape shape{5, 37};
  const Float32NormOptions options{.storage = FloatType::bfloat16,
                                   .parameters = FloatType::float32};
  const Tensor<float> x = round_elements(FloatType::bfloat16, float32_sample(shape, "x"));
  const Tensor<float> residual =
      round_elements(FloatType::bfloat16, float32_sample(shape, "residual"));
  const Affine<float> affine{float32_sample({37}, "gamma"), float32_sample({37}, "beta")};
  for (const FloatType arithmetic : {FloatType::float32, FloatType::float64}) {
    Float32NormOptions options_with_arithmetic = options;
    options_with_arithmetic.arithmetic = arithmetic;
    const auto got = float32_add_norm(x, residual, affine, options_with_arithmetic);
    Tensor<float> sum = x;
    for (std::size_t i = 0; i < sum.size(); ++i) sum.data()[i] += residual.data()[i];
    expect_same_floats(got.sum, round_elements(FloatType::bfloat16, sum));
    const auto norm = float32_norm(got.sum, affine, options_with_arithmetic);
    expect_same_floats(got.norm.y, norm.y);
    EXPECT_BITS_EQ(got.norm.mean, norm.mean);
    EXPECT_BITS_EQ(got.norm.rstd, norm.rstd);
  }
}

TEST(Float32Norm, GradXIsRoundedAfterGradSumIsAdded) {
  const tensor::Shape shape{5, 37};
  const auto sample = [&](const char* name) {
    return round_elements(FloatType::bfloat16, float32_sample(shape, name));
  };
  const Tensor<float> sum = sample("sum"), grad_y = sample("grad_y"), grad_sum = sample("grad_sum");
  Float32NormOptions options{.storage = FloatType::float32, .parameters = FloatType::float32};
  const auto forward = float32_norm(sum, {}, options);
  const auto alone = float32_norm_backward(grad_y, sum, {}, forward, options);
  Tensor<float> whole = alone.grad_x,
                twice_rounded = round_elements(FloatType::bfloat16, alone.grad_x);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    whole.data()[i] += grad_sum.data()[i];
    twice_rounded.data()[i] += grad_sum.data()[i];
  }
  options.storage = FloatType::bfloat16;
  const auto got = float32_norm_backward(grad_y, sum, {}, forward, options, grad_sum);
  expect_same_floats(got.grad_x, round_elements(FloatType::bfloat16, whole));
  EXPECT_NE(got.grad_x, round_elements(FloatType::bfloat16, twice_rounded));
  expect_same_floats(got.grad_gamma, alone.grad_gamma);
  expect_same_floats(got.grad_beta, alone.grad_beta);
}

TEST(Float32Norm, HandlesZeroRowsAndOneFeature) {
  const Tensor<float> none = tensor::empty_tensor<float>({0, 3});
  const auto forward = float32_norm(none, {}, kFloat32Options);
  EXPECT_EQ(tensor::shape_of(forward.y), (tensor::Shape{0, 3}));
  EXPECT_EQ(tensor::shape_of(forward.rstd), (tensor::Shape{0}));
  const auto gradients = float32_norm_backward(none, none, {}, forward, kFloat32Options);
  expect_same_floats(gradients.grad_gamma, {0, 0, 0});
  expect_same_floats(gradients.grad_beta, {0, 0, 0});
  Tensor<float> column = tensor::full_tensor<float>({2, 1}, 3);
  column.data()[1] = -7e30F;
  expect_same_floats(float32_norm(column, {{2}, {5}}, kFloat32Options).y,
                     tensor::full_tensor<float>({2, 1}, 5));
}

TEST(Float32Norm, ZeroCenteredGammaScalesByOnePlusGamma) {
  const Tensor<float> x = {{1, 2, 4, 9}};
  Float32NormOptions around_one = kFloat32Options;
  around_one.zero_centred_gamma = true;
  expect_same_floats(float32_norm(x, {{0.5, -1, 0x1p-30F, 3}, {}}, around_one).y,
                     float32_norm(x, {{1.5, 0, 1, 4}, {}}, kFloat32Options).y);
}

const Tensor<float> kFloat32X = {{1, 2, 4}, {3, 5, 9}};

TEST(Float32Norm, C1_RejectsXWithoutFeatures) {
  EXPECT_EQ(contract_message([] {
              float32_norm(tensor::empty_tensor<float>({2, 0}), {}, kFloat32Options);
            }),
            "float32_norm: x has shape [2, 0]; expected [N, D], D at least 1 (C1)");
}

TEST(Float32Norm, C2_RejectsNegativeEps) {
  Float32NormOptions options = kFloat32Options;
  options.eps = -1;
  EXPECT_EQ(contract_message([&] { float32_norm(kFloat32X, {}, options); }),
            "float32_norm: eps is -1; expected eps >= 0 (C2)");
}

TEST(Float32Norm, C3_RejectsGammaOfWrongExtent) {
  EXPECT_EQ(contract_message([] {
              float32_norm(kFloat32X, {{1, 2}, {}}, kFloat32Options);
            }),
            "float32_norm: gamma has shape [2]; expected shape [3] (C3)");
}

TEST(Float32Norm, C5_RejectsGradYOfWrongShape) {
  const auto forward = float32_norm(kFloat32X, {}, kFloat32Options);
  EXPECT_EQ(contract_message([&] {
              float32_norm_backward({{1, 2, 3}}, kFloat32X, {}, forward, kFloat32Options);
            }),
            "float32_norm_backward: grad_y has shape [1, 3]; expected shape [2, 3] (C5)");
}

TEST(Float32Norm, C6_RejectsSavedStatisticOfWrongShape) {
  auto forward = float32_norm(kFloat32X, {}, kFloat32Options);
  forward.mean = {1};
  EXPECT_EQ(contract_message(
                [&] { float32_norm_backward(kFloat32X, kFloat32X, {}, forward, kFloat32Options); }),
            "float32_norm_backward: mean has shape [1]; expected shape [2] (C6)");
}

TEST(Float32Norm, C12_RejectsFloat64Storage) {
  Float32NormOptions options = kFloat32Options;
  options.storage = FloatType::float64;
  EXPECT_EQ(contract_message([&] { float32_norm(kFloat32X, {}, options); }),
            "float32_norm: storage is float64; expected float32, bfloat16 or float16 (C12)");
}

TEST(Float32Norm, C13_RejectsGradSumOfWrongShape) {
  const auto forward = float32_norm(kFloat32X, {}, kFloat32Options);
  EXPECT_EQ(
      contract_message([&] {
        float32_norm_backward(kFloat32X, kFloat32X, {}, forward, kFloat32Options, {{1, 2, 3}});
      }),
      "float32_norm_backward: grad_sum has shape [1, 3]; expected shape [2, 3] (C13)");
}

TEST(Float32AddNorm, C14_RejectsResidualOfWrongShape) {
  EXPECT_EQ(contract_message([] {
              float32_add_norm(kFloat32X, {{1, 2, 3}}, {}, kFloat32Options);
            }),
            "float32_add_norm: residual has shape [1, 3]; expected shape [2, 3] (C14)");
}

}  // namespace
}  // namespace normproof::ref::norm
