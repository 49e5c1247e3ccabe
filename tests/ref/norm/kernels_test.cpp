#include "ref/norm/kernels.hpp"

#include <gtest/gtest.h>

#include "ref/norm/norm.hpp"
#include "ref/numeric/instruction_set.hpp"
#include "ref/numeric/parallel.hpp"
#include "ref/numeric/random.hpp"
#include "tests/verification/checks/compare/expect.hpp"

namespace normproof::ref::norm {
namespace {

NormInputs<double> random_inputs(const model::NormOptions& options, std::size_t batch_size,
                                 std::size_t seq_len, std::size_t d_model) {
  const numeric::RandomStream random(21, "kernels");
  std::uint64_t draw = 0;
  const auto fill = [&](const tensor::Shape& shape, double offset) {
    Tensor<double> t = tensor::empty_tensor<double>(shape);
    for (std::size_t i = 0; i < t.size(); ++i) t.data()[i] = random.normal(draw++) + offset;
    return t;
  };
  NormInputs<double> in{.x = fill({batch_size, seq_len, d_model}, 0.5)};
  in.grad_y = fill({batch_size, seq_len, d_model}, 0);
  for (const model::NormParameter& parameter : model::norm_layer(options).parameters)
    set_parameter(in, parameter.name,
                  fill({model::entry_extent(parameter.shape, d_model)}, parameter.initial));
  in.valid = tensor::full_tensor<bool>({batch_size, seq_len}, true);
  for (std::size_t i = 0; i < in.valid.size(); ++i)
    in.valid.data()[i] = i % seq_len == 0 || random.below(draw++, 4) > 0;
  return in;
}

void expect_same(const NormStep<double>& got, const NormStep<double>& expected) {
  ASSERT_EQ(got.outputs.names(), expected.outputs.names());
  for (const auto& [name, values] : expected.outputs)
    EXPECT_BITS_EQ(got.outputs.at(name), values) << name;
  for (const auto& [name, values] : expected.state)
    EXPECT_BITS_EQ(got.state.at(name), values) << name;
}

class NormLayerKernels : public ::testing::TestWithParam<std::string> {
 protected:
  void TearDown() override {
    numeric::set_num_threads(1);
    numeric::select_instruction_set(numeric::instruction_sets().back());
  }
};

// Extents that are small, odd, above the threshold for non-temporal stores, and large enough for
// several threads.
constexpr std::size_t kExtents[][3] = {
    {1, 1, 1}, {2, 3, 5}, {3, 11, 33}, {4, 65, 129}, {2, 400, 700}};

TEST_P(NormLayerKernels, GivesTheSameBitsOnEveryInstructionSetAndThreadCount) {
  const auto options = model::norm_options(GetParam());
  for (const auto& [batch_size, seq_len, d_model] : kExtents) {
    if (std::holds_alternative<model::BatchNormOptions>(options) && batch_size * seq_len < 2)
      continue;
    const auto in = random_inputs(options, batch_size, seq_len, d_model);
    const auto state = initial_state<double>(options, d_model);
    numeric::set_num_threads(1);
    numeric::select_instruction_set("baseline");
    const auto expected = norm_step(options, in, state);
    for (const auto& set : numeric::instruction_sets()) {
      numeric::select_instruction_set(set);
      for (const int threads : {1, 2, 5}) {
        numeric::set_num_threads(threads);
        SCOPED_TRACE(set + ", " + std::to_string(threads) +
                     " threads, D = " + std::to_string(d_model));
        expect_same(norm_step(options, in, state), expected);
      }
    }
  }
}

// The kernels for `double` must have the bits of the generic template. The template computes the
// value part of running_error.
TEST_P(NormLayerKernels, DoubleKernelsMatchTheGenericTemplate) {
  const auto options = model::norm_options(GetParam());
  const auto in = random_inputs(options, 3, 11, 33);
  using numeric::running_error;
  const auto convert_elements = [](const Tensor<double>& t) {
    return tensor::convert<running_error>(t);
  };
  NormInputs<running_error> lifted{
      .x = convert_elements(in.x), .grad_y = convert_elements(in.grad_y), .valid = in.valid};
  for (const model::NormParameter& parameter : model::norm_layer(options).parameters)
    set_parameter(lifted, parameter.name, convert_elements(*find_parameter(in, parameter.name)));
  const auto got = norm_step(options, lifted, initial_state<running_error>(options, 33));
  const auto expected = norm_step(options, in, initial_state<double>(options, 33));
  for (const auto& [name, values] : expected.outputs) {
    Tensor<double> bits = tensor::empty_tensor<double>(tensor::shape_of(values));
    for (std::size_t i = 0; i < bits.size(); ++i)
      bits.data()[i] = got.outputs.at(name).data()[i].value;
    EXPECT_BITS_EQ(bits, values) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Norm, NormLayerKernels, ::testing::ValuesIn(model::norm_names()),
                         [](const auto& layer) { return layer.param; });

// The result of a row must not depend on other rows, so any part of the batch alone has the same
// bits.
TEST(BatchInvariance, HoldsForLayersWithStatisticsPerRow) {
  for (const model::NormLayer& layer : model::norm_layers()) {
    if (layer.uses_statistics_over_rows()) continue;
    const auto options = model::norm_options(layer.name);
    const auto in = random_inputs(options, 7, 5, 67);
    const auto whole = norm_step(options, in, {});
    for (std::size_t begin = 0; begin < 7; ++begin) {
      for (std::size_t end = begin + 1; end <= 7; end += 2) {
        const auto part_of = [&](const Tensor<double>& t) {
          Tensor<double> part = tensor::empty_tensor<double>({end - begin, 5, 67});
          for (std::size_t i = 0; i < part.size(); ++i)
            part.data()[i] = t.data()[begin * 5 * 67 + i];
          return part;
        };
        NormInputs<double> part = in;
        part.x = part_of(in.x);
        part.grad_y = part_of(in.grad_y);
        part.valid = {};
        const auto got = norm_step(options, part, {});
        EXPECT_BITS_EQ(got.outputs.at("y"), part_of(whole.outputs.at("y"))) << layer.name;
        EXPECT_BITS_EQ(got.outputs.at("grad_x"), part_of(whole.outputs.at("grad_x"))) << layer.name;
      }
    }
  }
}

}  // namespace
}  // namespace normproof::ref::norm
