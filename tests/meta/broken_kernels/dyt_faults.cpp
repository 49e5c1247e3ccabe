#include "tests/meta/broken_kernels/fault.hpp"

namespace normproof::tests::broken_kernels {

using namespace verification::claims::engine;

namespace {

using ref::model::DyTOptions;

// Adds `factor * x[0]` to each element of y if `first_element`, else `factor` times the same
// element of x.
TestedImplementation add_input_to_output(double factor, bool first_element) {
  return wrap_layer_step<DyTOptions>(
      [=]<class T>(const TestedImplementation::Step<T>& step, const DyTOptions& options,
                   const NormInputs<T>& in, const NamedTensors<T>& state) {
        auto result = step(options, in, state);
        auto& y = result.outputs.at("y");
        for (std::size_t at = 0; at < y.size(); ++at)
          y.data()[at] = y.data()[at] + T(factor) * in.x.data()[first_element ? 0 : at];
        return result;
      });
}

TestedImplementation double_alpha_in_output() {
  return wrap_layer_step<DyTOptions>([]<class T>(const TestedImplementation::Step<T>& step,
                                                 const DyTOptions& options, const NormInputs<T>& in,
                                                 const NamedTensors<T>& state) {
    auto result = step(options, in, state);
    NormInputs<T> steep = in;
    if (auto* alpha = steep.others.find("alpha"))
      apply_to_each(*alpha, [](const T& v) { return T(v + v); });
    result.outputs.set("y", step(options, steep, state).outputs.at("y"));
    return result;
  });
}

TestedImplementation run_rms_norm_instead() {
  return wrap_layer_step<DyTOptions>([]<class T>(const TestedImplementation::Step<T>& step,
                                                 const DyTOptions&, NormInputs<T> in,
                                                 const NamedTensors<T>& state) {
    in.others = {};
    return step(ref::model::RMSNormOptions{.eps = 0}, in, state);
  });
}

}  // namespace

std::vector<Fault> dyt_faults() {
  return {
      {"F1", "grad_x is slightly too large", scale_output<DyTOptions>("grad_x", kSlightlyAboveOne)},
      {"F1", "grad_alpha is slightly too large",
       scale_output<DyTOptions>("grad_alpha", kSlightlyAboveOne)},
      {"F1", "grad_gamma has the other sign", scale_output<DyTOptions>("grad_gamma", -1)},
      {"F1", "grad_beta counts twice", scale_output<DyTOptions>("grad_beta", 2)},
      {"F1", "y is slightly too large", scale_output<DyTOptions>("y", kSlightlyAboveOne)},
      {"F2", "some x passes the tanh", add_input_to_output(0x1p-10, false)},
      {"F3", "alpha counts twice in y", double_alpha_in_output()},
      {"F3", "the slope at 0 is slightly too small",
       scale_output<DyTOptions>("grad_x", 1 / kSlightlyAboveOne)},
      {"F4", "the first element is added everywhere", add_input_to_output(0x1p-20, true)},
      {"F5", "RMSNorm in its place", run_rms_norm_instead()}};
}

}  // namespace normproof::tests::broken_kernels
