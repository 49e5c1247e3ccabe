#include "tests/ref/norm/broken_layer.hpp"

#include <limits>

#include "tests/ref/numeric/error_message.hpp"

namespace normproof::ref::norm {
namespace {

using tensor::full_tensor;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

LayerCall valid_call(const model::NormOptions& options) {
  LayerCall q{.options = options, .in = {}, .state = initial_state<double>(options, 4)};
  q.in.x = {{1, -2, 3, 5}, {2, 7, -1, 4}, {-3, 1, 6, 2}};
  q.in.grad_y = {{1, 0, -1, 2}, {3, 1, 2, -2}, {0, 1, 1, -1}};
  q.in.valid = {true, true, true};
  for (const model::NormParameter& own : model::norm_layer(options).parameters)
    set_parameter(q.in, own.name,
                  full_tensor<double>({model::entry_extent(own.shape, 4)}, 2 * own.initial));
  return q;
}

void run_layer(const LayerCall& q) {
  NormStep<double> step = norm_forward(q.options, q.in, q.state);
  q.between(step);
  norm_backward(q.options, q.in, step);
}

}  // namespace

void expect_rejected(const model::NormOptions& options, const Fault& fault) {
  LayerCall q = valid_call(options);
  EXPECT_NO_THROW(run_layer(q));
  fault.inject(q);
  EXPECT_EQ(numeric::contract_violation([&] { run_layer(q); }).argument, fault.argument);
}

Fault wrong_option(const char* field, const char* value) {
  return {field, [=](LayerCall& q) { model::set_option(q.options, field, value); }};
}
Fault state_of_wrong_extent(const char* name) {
  return {name, [=](LayerCall& q) { q.state.set(name, full_tensor<double>({5}, 1)); }};
}
Fault state_with_negative(const char* name) {
  return {name, [=](LayerCall& q) { q.state.at(name).data()[0] = -1; }};
}
Fault state_with_nan(const char* name) {
  return {name, [=](LayerCall& q) { q.state.at(name).data()[0] = kNaN; }};
}
Fault saved_statistic_of_wrong_extent(const char* name) {
  return {name, [=](LayerCall& q) {
            q.between = [=](NormStep<double>& step) {
              step.outputs.set(name, full_tensor<double>({5}, 1));
            };
          }};
}

const Fault kEmptyX{"x", [](LayerCall& q) { q.in.x = tensor::empty_tensor<double>({0, 4}); }};
const Fault kZerosWithoutEps{"x", [](LayerCall& q) {
                               model::set_option(q.options, "eps", "0");
                               q.in.x = full_tensor<double>({3, 4}, 0);
                             }};
const Fault kGammaOfWrongExtent{"gamma",
                                [](LayerCall& q) { q.in.gamma = full_tensor<double>({5}, 1); }};
const Fault kBetaOfWrongExtent{"beta",
                               [](LayerCall& q) { q.in.beta = full_tensor<double>({5}, 1); }};
const Fault kInfiniteX{"x", [](LayerCall& q) { q.in.x(1, 2) = kInfinity; }};
const Fault kNanInGamma{"gamma", [](LayerCall& q) { q.in.gamma.data()[0] = kNaN; }};
const Fault kHugeX{"x", [](LayerCall& q) { q.in.x(1, 2) = 1e200; }};
const Fault kGradYOfWrongShape{"grad_y", [](LayerCall& q) {
                                 q.in.grad_y = full_tensor<double>({4, 3}, 1);
                               }};
const Fault kInfiniteGradY{"grad_y", [](LayerCall& q) { q.in.grad_y(2, 1) = kInfinity; }};
const Fault kNoValidRow{"valid", [](LayerCall& q) { q.in.valid = {false, false, false}; }};
const Fault kMaskOfWrongShape{"valid", [](LayerCall& q) { q.in.valid = {true, true, true, true}; }};

}  // namespace normproof::ref::norm
