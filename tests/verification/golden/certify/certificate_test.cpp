#include "verification/golden/certify/certificate.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/math/constants/constants.hpp>

#include <algorithm>
#include <cmath>
#include <set>

#include "ref/model/operation_info.hpp"
#include "tests/verification/golden/certify/samples.hpp"
#include "verification/checks/evaluation/layouts.hpp"
#include "verification/checks/oracle/oracle.hpp"
#include "verification/golden/corpus/layer_traits.hpp"
#include "verification/golden/recipes/case_inputs.hpp"

namespace normproof::verification::golden::certify {

using corpus::has_option;

namespace {

using ref::numeric::ContractError;
using ref::numeric::oracle100;
using ref::tensor::convert;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A user's case of few digits starts with 128 bits and has its second enclosure in `double`.
TEST(Certify, UserCasesHaveTheExpectedValuesOfTheCorpusWhateverTheirEnclosures) {
  for (const char* const op : {"layer_norm", "rms_norm", "batch_norm", "dyt", "softmax", "gelu",
                               "swiglu", "add_layer_norm", "gated_rms_norm", "l2_norm"})
    for (const DType dtype : {DType::float64, DType::float32, DType::float16, DType::bfloat16}) {
      Case c = plain_recipe(op, {6, 40}, dtype).make(1);
      const Expected of_corpus = certify(c);
      c.tier = corpus::Tier::user;
      const Expected of_user = certify(c);
      EXPECT_EQ(of_user.tensors, of_corpus.tensors) << op;
      EXPECT_EQ(of_user.certificate.elements, of_corpus.certificate.elements) << op;
      if (of_corpus.certificate.bits == 192) {
        EXPECT_EQ(of_user.certificate.bits, dtype == DType::float64 ? 192 : 128) << op;
      }
      EXPECT_LT(of_user.certificate.second_widest, -20) << op;
    }
}

TEST(Certify, LayerNormOfOneAndThreeMatchesHandComputation) {
  // The mean is 2, the variance 1 and eps 3. So rstd is 1/2, and every number is exact.
  const Expected expected = certify(layer_norm_case_of_one_and_three("3"));
  EXPECT_THAT(find_tensor_values(expected.tensors, "y"), ElementsAre(-0.5, 0.5));
  EXPECT_THAT(find_tensor_values(expected.tensors, "mean"), ElementsAre(2.0));
  EXPECT_THAT(find_tensor_values(expected.tensors, "rstd"), ElementsAre(0.5));
  // `grad_x = rstd (g - mean(g) - x_hat mean(g x_hat))` with g = grad_y = (1, 0).
  EXPECT_THAT(find_tensor_values(expected.tensors, "grad_x"), ElementsAre(0.1875, -0.1875));
  for (const StoredTensor& tensor : expected.tensors)
    if (tensor.name.ends_with("_lo")) {
      for (const double low : ref::io::widen(tensor)) EXPECT_EQ(low, 0) << tensor.name;
    }
}

TEST(Certify, RemainderOfAnIrrationalResultIsCorrect) {
  // With eps = 1, y is 1/sqrt(2), whose double and next 53 digits are known.
  const oracle100 root = 1 / ref::numeric::square_root(oracle100(2));
  for (const DType dtype : {DType::float64, DType::float32, DType::float16, DType::bfloat16}) {
    const Expected expected = certify(layer_norm_case_of_one_and_three("1", dtype));
    const double high = round_to_dtype(dtype, ref::numeric::to_double(root));
    const double low = ref::numeric::to_double(oracle100(root - oracle100(high)));
    EXPECT_THAT(find_tensor_values(expected.tensors, "y"), ElementsAre(-high, high));
    EXPECT_THAT(find_tensor_values(expected.tensors, "y_lo"), ElementsAre(-low, low));
    EXPECT_EQ(find(expected.tensors, "y")->dtype, dtype);
    EXPECT_EQ(find(expected.tensors, "y_lo")->dtype, DType::float64);
  }
  EXPECT_EQ(find_tensor_values(certify(layer_norm_case_of_one_and_three("1")).tensors, "y")[1],
            0x1.6a09e667f3bcdp-1);
}

TEST(Certify, ReportsPrecisionElementsTiesAndWidths) {
  const Certificate certificate = certify(layer_norm_case_of_one_and_three("1")).certificate;
  EXPECT_EQ(certificate.bits, 192);
  // The outputs are y and grad_x with two elements each, and mean, biased variance and rstd of one
  // row.
  const std::vector<StoredTensor> tensors = certify(layer_norm_case_of_one_and_three("1")).tensors;
  std::size_t elements = 0;
  for (const StoredTensor& tensor : tensors)
    if (!tensor.name.ends_with("_lo")) elements += ref::io::widen(tensor).size();
  EXPECT_EQ(certificate.elements, elements);
  EXPECT_EQ(certificate.ties, 0u);
  EXPECT_LT(certificate.widest, -150);
  EXPECT_GT(certificate.widest, -192);
  // The enclosures have 192 bits, of which a few are lost.
  EXPECT_LT(certificate.second_widest, -150);
  const Certificate points = certify(layer_norm_case_of_one_and_three("3")).certificate;
  EXPECT_EQ(points.widest, std::numeric_limits<long>::min());
}

TEST(Certify, ReturnsTheOutputsOfTheLayerInAscendingOrder) {
  const Expected expected = certify(plain_recipe("batch_norm", {4, 3}, DType::float16).make(1));
  std::vector<std::string> names;
  for (const StoredTensor& tensor : expected.tensors) names.push_back(tensor.name);
  EXPECT_TRUE(std::ranges::is_sorted(names));
  for (const char* name : {"y", "grad_x", "grad_gamma", "grad_beta", "mean", "biased_variance",
                           "rstd", "running_mean", "running_variance"}) {
    EXPECT_NE(find(expected.tensors, name), nullptr) << name;
    EXPECT_NE(find(expected.tensors, std::string(name) + "_lo"), nullptr) << name;
  }
  EXPECT_EQ(find(expected.tensors, "grad_x")->dtype, DType::float16);
  EXPECT_EQ(find(expected.tensors, "running_mean")->dtype, DType::float32);
}

std::vector<bool> nan_flags(const Expected& expected, std::string_view name) {
  std::vector<bool> result;
  for (const double value : find_tensor_values(expected.tensors, name))
    result.push_back(std::isnan(value));
  return result;
}

TEST(Certify, NaNReachesExactlyTheElementsThatDependOnIt) {
  const auto nan_at = [](std::size_t at) {
    return [at](std::size_t i, double normal) { return i == at ? kGoldenNaN : normal; };
  };
  const Expected in_x = certify(plain_recipe("layer_norm", {2, 3}).x(nan_at(4)).make(1));
  EXPECT_THAT(nan_flags(in_x, "y"), ElementsAre(false, false, false, true, true, true));
  EXPECT_THAT(nan_flags(in_x, "grad_x"), ElementsAre(false, false, false, true, true, true));
  EXPECT_THAT(nan_flags(in_x, "mean"), ElementsAre(false, true));
  EXPECT_THAT(nan_flags(in_x, "grad_gamma"), ElementsAre(true, true, true));
  EXPECT_THAT(nan_flags(in_x, "grad_beta"), ElementsAre(false, false, false));
  EXPECT_EQ(nan_flags(in_x, "y_lo"), nan_flags(in_x, "y"));
  const Expected in_grad = certify(plain_recipe("layer_norm", {2, 3}).grad_y(nan_at(4)).make(1));
  EXPECT_THAT(nan_flags(in_grad, "y"), ElementsAre(false, false, false, false, false, false));
  EXPECT_THAT(nan_flags(in_grad, "grad_x"), ElementsAre(false, false, false, true, true, true));
  EXPECT_THAT(nan_flags(in_grad, "grad_gamma"), ElementsAre(false, true, false));
  EXPECT_THAT(nan_flags(in_grad, "grad_beta"), ElementsAre(false, true, false));
  // The other elements equal those of the same case without NaN.
  const Expected whole = certify(plain_recipe("layer_norm", {2, 3}).make(1));
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(find_tensor_values(in_x.tensors, "y")[i], find_tensor_values(whole.tensors, "y")[i]);
  EXPECT_EQ(in_x.certificate.elements + 3 + 3 + 1 + 1 + 3, whole.certificate.elements);
}

TEST(Certify, InfinityIsTreatedLikeNaN) {
  Case c = plain_recipe("layer_norm", {2, 3})
               .x([](std::size_t i, double normal) { return i == 0 ? -kGoldenInfinity : normal; })
               .make(1);
  EXPECT_THAT(nan_flags(certify(c), "mean"), ElementsAre(true, false));
  checks::evaluation::EvalInputs inputs = inputs_of(c, "f");
  EXPECT_TRUE(has_not_finite(inputs));
  replace_not_finite(inputs, c, {.first = 7, .apart = 1});
  EXPECT_EQ(inputs.steps[0].x.data()[0], 7);
  EXPECT_FALSE(has_not_finite(inputs));
  EXPECT_EQ(inputs.steps[0].x.data()[0], 7);
}

TEST(Certify, NaNReachesElementsThatDependOnDifferencesOnly) {
  // Softmax does not change if a constant is added to a whole row. A row of three NaNs must be
  // replaced by three different numbers to find that y depends on them.
  const Expected rows =
      certify(plain_recipe("softmax", {2, 3})
                  .x([](std::size_t i, double normal) { return i < 3 ? kGoldenNaN : normal; })
                  .make(1));
  for (const char* output : {"y", "grad_x"})
    EXPECT_THAT(nan_flags(rows, output), ElementsAre(true, true, true, false, false, false));
}

TEST(Certify, C1_RejectsAnExactCaseWithAnInexactResult) {
  Case c = layer_norm_case_of_one_and_three("3");
  c.exact = true;
  EXPECT_THAT(find_tensor_values(certify(c).tensors, "y_lo"), ElementsAre(0.0, 0.0));
  c = layer_norm_case_of_one_and_three("1");
  c.exact = true;
  EXPECT_THAT(ref::numeric::contract_message([&] { certify(c); }),
              testing::AllOf(HasSubstr("certify: quick/layer_norm/sample-1x2-float64 is not exact "
                                       "in "),
                             HasSubstr("; expected a result that the dtype holds (C1)")));
}

/// Expects the sum of the certified value hi and its remainder lo to match the definition at 100
/// digits. The definition shares no formula with the certificate.
void expect_matches_oracle(const Case& c) {
  const Expected expected = certify(c);
  const checks::evaluation::EvalInputs inputs = inputs_of(c, "f");
  ref::tensor::NamedTensors<oracle100> state;
  for (const auto& [name, values] : inputs.state) state.set(name, convert<oracle100>(values));
  const auto& in = inputs.steps[0];
  const auto& options = std::get<ref::model::NormOptions>(c.options);
  const ref::model::Layout layout = ref::model::norm_layout(options);
  checks::oracle::OracleInputs asked{
      convert<oracle100>(checks::evaluation::convert_to_rows(layout, in.x)),
      convert<oracle100>(in.gamma),
      convert<oracle100>(in.beta),
      convert<oracle100>(checks::evaluation::convert_to_rows(layout, in.grad_y)),
      in.valid,
      in.mode};
  for (const auto& [name, values] : in.others) asked.others.set(name, convert<oracle100>(values));
  checks::oracle::OracleStep step =
      checks::oracle::step(ref::model::use_row_layout(options), asked, state);
  for (const char* name : {"y", "grad_x"})
    step.outputs.set(name, checks::evaluation::convert_to_layout(
                               layout, ref::tensor::shape_of(in.x), step.outputs.at(name)));
  std::size_t compared = 0;
  for (const auto* part : {&step.outputs, &step.state})
    for (const auto& [name, exact] : *part) {
      const std::vector<double> high = find_tensor_values(expected.tensors, name);
      std::vector<double> low = find_tensor_values(expected.tensors, name + "_lo");
      ASSERT_EQ(high.size(), exact.size()) << case_folder(c) << " " << name;
      if (low.empty()) low.assign(high.size(), 0);
      for (std::size_t i = 0; i < high.size(); ++i) {
        const oracle100 rest = oracle100(exact.data()[i]) - oracle100(high[i]);
        const oracle100 off = rest - oracle100(low[i]);
        // Allows one rounding of the remainder, and the oracle's own error of 1e-97 for terms below
        // 1e4.
        ASSERT_LE(off < 0 ? oracle100(-off) : off,
                  oracle100(std::fabs(low[i])) * 0x1p-53 + oracle100("1e-93"))
            << case_folder(c) << " " << name << " at " << i;
        const DType dtype = find(expected.tensors, name)->dtype;
        ASSERT_EQ(high[i] + low[i] == high[i] || dtype != DType::float64, true);
        ASSERT_EQ(round_to_dtype(dtype, high[i]), high[i]);
        if (high[i] != 0 && low[i] != 0) {
          ASSERT_LE(std::fabs(low[i] / high[i]), 0x1p-8) << name;
        }
        ++compared;
      }
    }
  EXPECT_EQ(compared, expected.certificate.elements) << case_folder(c);
}

using Numbers = std::vector<oracle100>;

/// Computes the function of a row by its definition: no shift by the maximum, no mask, no gate.
Numbers evaluate_definition(const std::string& function, const Numbers& x) {
  namespace mp = boost::multiprecision;
  const oracle100 pi = boost::math::constants::pi<oracle100>();
  Numbers y;
  oracle100 sum = 0;
  oracle100 squares = 0;
  for (const oracle100& v : x) sum += mp::exp(v);
  for (const oracle100& v : x) squares += v * v;
  if (function == "log_sum_exp") return {mp::log(sum)};
  for (const oracle100& v : x) {
    if (function == "quantize" || function == "dequantize") y.push_back(v);
    if (function == "softmax") y.push_back(mp::exp(v) / sum);
    if (function == "log_softmax") y.push_back(v - mp::log(sum));
    if (function == "l2_norm") y.push_back(v / mp::sqrt(oracle100(squares + oracle100(1e-6))));
    if (function == "relu") y.push_back(v > 0 ? v : oracle100(0));
    if (function == "gelu")
      y.push_back(v / 2 * (1 + mp::erf(oracle100(v / mp::sqrt(oracle100(2))))));
    if (function == "gelu_tanh")
      y.push_back(v / 2 *
                  (1 + mp::tanh(oracle100(mp::sqrt(oracle100(2 / pi)) *
                                          (v + oracle100("0.044715") * v * v * v)))));
    if (function == "silu" || function == "swiglu") y.push_back(v / (1 + mp::exp(oracle100(-v))));
    if (function == "relu_squared") y.push_back(v > 0 ? oracle100(v * v) : oracle100(0));
    if (function == "sigmoid") y.push_back(1 / (1 + mp::exp(oracle100(-v))));
    if (function == "log_sigmoid") y.push_back(-mp::log(oracle100(1 + mp::exp(oracle100(-v)))));
    if (function == "softplus") y.push_back(mp::log(oracle100(1 + mp::exp(v))));
    if (function == "tanh") y.push_back(mp::tanh(v));
    if (function == "mish") y.push_back(v * mp::tanh(mp::log(oracle100(1 + mp::exp(v)))));
    if (function == "geglu") y.push_back(v * mp::erfc(oracle100(-v / mp::sqrt(oracle100(2)))) / 2);
  }
  return y;
}

/// Compares the certified forward with the definition, and the certified backward with difference
/// quotients of the definition.
void expect_matches_definition(const std::string& function, DType dtype) {
  constexpr std::size_t kWidth = 5;
  const Case c = plain_recipe(function, {3, kWidth}, dtype).make(1);
  const Expected expected = certify(c);
  // Returns how far hi + lo is from the exact value. It is at most half an ulp of lo.
  const auto off = [&](const char* name, std::size_t i, const oracle100& value) {
    const double high = find_tensor_values(expected.tensors, name)[i];
    const double low = find_tensor_values(expected.tensors, std::string(name) + "_lo")[i];
    const oracle100 bound = oracle100(std::fabs(low)) * 0x1p-53 + oracle100("1e-50");
    return oracle100(abs(oracle100(value - oracle100(high) - oracle100(low))) / bound);
  };
  const std::vector<double> x = find_tensor_values(c.inputs, "x"),
                            grad_y = find_tensor_values(c.inputs, "grad_y");
  std::vector<double> gate = find_tensor_values(c.inputs, "gate");
  const bool gated = !gate.empty();
  if (!gated) gate.assign(x.size(), 1);
  const oracle100 h("1e-30");  // a quotient is off by 1e-60
  for (std::size_t row = 0; row < 3; ++row) {
    Numbers at(x.begin() + static_cast<std::ptrdiff_t>(row * kWidth),
               x.begin() + static_cast<std::ptrdiff_t>((row + 1) * kWidth));
    const Numbers y = evaluate_definition(function, at);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const std::size_t at_i = row * y.size() + i;
      ASSERT_LE(off("y", at_i, y[i] * gate[at_i]), 1) << function;
      if (gated) {
        ASSERT_LE(off("grad_gate", at_i, y[i] * grad_y[at_i]), 1) << function;
      }
    }
    for (std::size_t d = 0; d < kWidth; ++d) {
      Numbers above = at, below = at;
      above[d] += h;
      below[d] -= h;
      const Numbers up = evaluate_definition(function, above),
                    down = evaluate_definition(function, below);
      oracle100 slope = 0;
      for (std::size_t i = 0; i < y.size(); ++i)
        slope += oracle100(grad_y[row * y.size() + i]) * gate[row * y.size() + i] *
                 (up[i] - down[i]) / (2 * h);
      ASSERT_LE(off("grad_x", row * kWidth + d, slope), 1) << function;
    }
  }
}

TEST(Certify, AgreesWithTheDefinitionOfEveryFunction) {
  for (const std::string& function : ref::model::function_names()) {
    const auto& operands = ref::model::operation_info(function).operands;
    // The next test covers the norms of sums. The tests of the formulas cover the other functions:
    // attention, gated_rms_norm, rope, cross_entropy and merge_attention_states.
    if (!std::ranges::all_of(operands, [](const ref::model::OperandInfo& operand) {
          const std::string_view name = operand.name;
          return name == "x" || name == "gate" || name == "valid" || name == "grad_y";
        }))
      continue;
    for (const DType dtype : {DType::float64, DType::bfloat16})
      ASSERT_NO_FATAL_FAILURE(expect_matches_definition(function, dtype));
  }
}

/// The definition of swiglu with options at 100 digits, and its difference quotients in x and in
/// the gate. Elements at the limit have no derivative, so none is there.
TEST(Certify, AgreesWithTheDefinitionOfLimitedSwiglu) {
  const auto scaled = [](std::size_t, double normal) { return 3 * normal; };
  const Case c = plain_recipe("swiglu", {4, 9})
                     .option("limit", "2")
                     .option("alpha", "1.5")
                     .option("beta", "0.75")
                     .x(scaled)
                     .gate(scaled)
                     .make(1);
  const auto definition = [](const oracle100& x, const oracle100& gate) {
    const oracle100 limited_x = x < 2 ? x : oracle100(2), d = gate < -2 ? oracle100(-2) : gate;
    const oracle100 limited = d < 2 ? d : oracle100(2);
    const oracle100 e = boost::multiprecision::exp(oracle100(limited_x * oracle100(-1.5)));
    return oracle100(limited_x / (1 + e) * (limited + oracle100(0.75)));
  };
  const Expected expected = certify(c);
  const auto x = find_tensor_values(c.inputs, "x"), gate = find_tensor_values(c.inputs, "gate"),
             grad_y = find_tensor_values(c.inputs, "grad_y");
  const oracle100 h("1e-30");  // a quotient is off by 1e-60
  const auto expect_near = [&](const std::string& name, std::size_t i, const oracle100& value) {
    const double high = find_tensor_values(expected.tensors, name)[i];
    const double low = find_tensor_values(expected.tensors, name + "_lo")[i];
    const oracle100 bound = oracle100(std::fabs(low)) * 0x1p-53 + oracle100("1e-50");
    EXPECT_LE(oracle100(abs(oracle100(value - oracle100(high) - oracle100(low)))), bound)
        << name << " " << i;
  };
  std::size_t limited = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const oracle100 at(x[i]), by(gate[i]), dy(grad_y[i]);
    limited += x[i] > 2 || std::fabs(gate[i]) > 2 ? 1 : 0;
    expect_near("y", i, definition(at, by));
    expect_near("grad_x", i, dy * (definition(at + h, by) - definition(at - h, by)) / (2 * h));
    expect_near("grad_gate", i, dy * (definition(at, by + h) - definition(at, by - h)) / (2 * h));
  }
  EXPECT_GT(limited, 9u);
}

/// If the sum is exact, the values must equal the values of the layer applied to the sum. Another
/// test compares the layer with its definition.
TEST(Certify, AddNormEqualsTheLayerOfTheSum) {
  for (const char* layer : {"layer_norm", "rms_norm"}) {
    const auto eighths = [](std::size_t, double normal) { return std::round(8 * normal) / 8; };
    const Case added = plain_recipe(fmt::format("add_{}", layer), {3, 7})
                           .x(eighths)
                           .parameter("residual", eighths)
                           .parameter("grad_sum", [](std::size_t, double) { return 0.0; })
                           .make(1);
    Case alone = plain_recipe(layer, {3, 7}).make(1);
    std::vector<double> sum = find_tensor_values(added.inputs, "x");
    for (std::size_t i = 0; i < sum.size(); ++i)
      sum[i] += find_tensor_values(added.inputs, "residual")[i];
    for (StoredTensor& tensor : alone.inputs)
      tensor = tensor.name == "x" ? make_stored_tensor("x", DType::float64, {3, 7}, sum)
                                  : *find(added.inputs, tensor.name);
    const auto got = certify(added).tensors, expected = certify(alone).tensors;
    EXPECT_EQ(find_tensor_values(got, "sum"), sum);
    for (const char* name : {"y", "y_lo", "grad_x", "grad_x_lo", "grad_gamma", "grad_gamma_lo",
                             "grad_beta", "grad_beta_lo"})
      EXPECT_EQ(find_tensor_values(got, name), find_tensor_values(expected, name))
          << layer << " " << name;
  }
}

TEST(Certify, AgreesWithTheDefinitionOfEveryLayer) {
  for (const std::string& layer : ref::model::norm_names()) {
    if (layer == "none") continue;
    for (const DType dtype : {DType::float64, DType::bfloat16}) {
      Recipe recipe = plain_recipe(layer, {2, 3, 4}, dtype);
      if (has_option(layer, "groups")) recipe.option("groups", "2");
      if (has_option(layer, "warmup_iterations")) recipe.option("warmup_iterations", "1");
      ASSERT_NO_FATAL_FAILURE(expect_matches_oracle(recipe.make(1)));
      if (layer == "group_scaling" || layer == "group_norm") continue;
      ASSERT_NO_FATAL_FAILURE(
          expect_matches_oracle(recipe.pads([](std::size_t row) { return row == 2; }).make(1)));
      ASSERT_NO_FATAL_FAILURE(expect_matches_oracle(recipe.inference().make(1)));
    }
  }
}

TEST(Certify, AgreesWithTheDefinitionInEveryLayout) {
  for (const char* layer : {"batch_norm", "group_norm"})
    for (const char* layout : {"channels_first", "channels_last"}) {
      Recipe recipe = plain_recipe(layer, {2, 4, 3, 2}, DType::float32);
      recipe.option("layout", layout);
      if (has_option(layer, "groups")) recipe.option("groups", "2");
      ASSERT_NO_FATAL_FAILURE(expect_matches_oracle(recipe.make(1)));
    }
}

TEST(Certify, AgreesWithTheDefinitionForZeroCenteredGamma) {
  for (const char* layer : {"layer_norm", "rms_norm"})
    for (const DType dtype : {DType::float64, DType::bfloat16})
      ASSERT_NO_FATAL_FAILURE(expect_matches_oracle(
          plain_recipe(layer, {3, 4}, dtype).option("zero_centred_gamma", "1").make(1)));
}

}  // namespace
}  // namespace normproof::verification::golden::certify
