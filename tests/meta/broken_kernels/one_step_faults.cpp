#include <cmath>
#include <type_traits>

#include "tests/meta/broken_kernels/fault.hpp"

namespace normproof::tests::broken_kernels {

using namespace verification::claims::engine;

namespace {

using namespace ref::model;

template <class Inputs>
using scalar_of = std::decay_t<decltype(*std::declval<Inputs>().x.data())>;

// Returns gamma * grad_y for the element with the flat index `at`.
template <class T>
T upstream_gradient(const NormInputs<T>& in, std::size_t at) {
  const T g = in.grad_y.data()[at];
  return is_given(in.gamma) ? T(g * in.gamma.data()[at % in.gamma.size()]) : g;
}

template <class Options>
TestedImplementation multiply_eps(double factor) {
  return wrap_layer_step<Options>(
      [=](const auto& step, Options options, const auto& in, const auto& state) {
        options.eps *= factor;
        return step(options, in, state);
      });
}

// Returns the rstd by which the layer multiplied the element of x [N,D] with the flat index `at`.
template <class T>
T find_rstd(const NormStep<T>& step, const NormInputs<T>& in, std::size_t at) {
  const auto& rstd = step.outputs.at("rstd");
  const std::size_t features = in.x.shape().back();
  return rstd.data()[rstd.size() == features ? at % features : at / features];
}

// Runs the backward with sums over only the rows for which `counts` is true. The backward is linear
// in grad_y, so the gradient of an omitted row is still gamma * grad_y * rstd plus the terms of the
// sums.
template <class Options, class Counts>
TestedImplementation sum_backward_over_rows(Counts counts) {
  return wrap_layer_step<Options>([=]<class T>(const TestedImplementation::Step<T>& step,
                                               const Options& options, const NormInputs<T>& in,
                                               const NamedTensors<T>& state) {
    auto result = step(options, in, state);
    if (!is_given(in.grad_y)) return result;
    const std::size_t features = in.x.shape().back(), rows = in.x.size() / features;
    NormInputs<T> partial = in;
    for (std::size_t at = 0; at < in.x.size(); ++at)
      if (!counts(in, at / features, rows)) partial.grad_y.data()[at] = T(0);
    auto grad_x = step(options, partial, state).outputs.at("grad_x");
    for (std::size_t at = 0; at < in.x.size(); ++at)
      if (!counts(in, at / features, rows))
        grad_x.data()[at] =
            grad_x.data()[at] + upstream_gradient(in, at) * find_rstd(result, in, at);
    result.outputs.set("grad_x", grad_x);
    return result;
  });
}

template <class Options>
TestedImplementation omit_last_row_in_backward() {
  return sum_backward_over_rows<Options>(
      [](const auto&, std::size_t row, std::size_t rows) { return row + 1 < rows; });
}

template <class Options>
TestedImplementation omit_padding_in_backward_sums() {
  return sum_backward_over_rows<Options>([](const auto& in, std::size_t row, std::size_t) {
    return !is_given(in.valid) || in.valid.data()[row];
  });
}

// Includes padding in the statistics.
template <class Options>
TestedImplementation ignore_padding_mask() {
  return wrap_layer_step<Options>(
      [](const auto& step, const Options& options, auto in, const auto& state) {
        in.valid = decltype(in.valid)();
        return step(options, in, state);
      });
}

// Treats the statistics as constants in the backward: grad_x = gamma * grad_y * rstd.
template <class Options>
TestedImplementation freeze_statistics_in_backward() {
  return wrap_layer_step<Options>([]<class T>(const TestedImplementation::Step<T>& step,
                                              const Options& options, const NormInputs<T>& in,
                                              const NamedTensors<T>& state) {
    auto result = step(options, in, state);
    if (auto* grad_x = result.outputs.find("grad_x"))
      for (std::size_t at = 0; at < grad_x->size(); ++at)
        grad_x->data()[at] = upstream_gradient(in, at) * find_rstd(result, in, at);
    return result;
  });
}

// Omits gamma in the backward.
template <class Options>
TestedImplementation omit_gamma_in_backward() {
  return wrap_layer_step<Options>(
      [](const auto& step, const Options& options, const auto& in, const auto& state) {
        auto result = step(options, in, state);
        if (!is_given(in.grad_y)) return result;
        auto bare = in;
        bare.gamma = decltype(bare.gamma)();
        result.outputs.set("grad_x", step(options, bare, state).outputs.at("grad_x"));
        return result;
      });
}

// Adds `factor * x` to an output if `of_x`, else `factor * grad_y`, element by element.
template <class Options>
TestedImplementation leak_into_output(const std::string& output, bool of_x, double factor) {
  return wrap_layer_step<Options>([=]<class T>(const TestedImplementation::Step<T>& step,
                                               const Options& options, const NormInputs<T>& in,
                                               const NamedTensors<T>& state) {
    auto result = step(options, in, state);
    const auto& source = of_x ? in.x : in.grad_y;
    if (auto* values = result.outputs.find(output))
      for (std::size_t at = 0; at < values->size(); ++at)
        values->data()[at] = values->data()[at] + T(factor) * source.data()[at];
    return result;
  });
}

// Runs the layer with the options `Other` instead of the layer with the options `Options`.
template <class Options, class Other>
TestedImplementation replace_forward() {
  return wrap_layer_step<Options>([]<class T>(const TestedImplementation::Step<T>& step,
                                              const Options& options, const NormInputs<T>& in,
                                              const NamedTensors<T>&) {
    Other other;
    other.eps = options.eps;
    if constexpr (std::is_same_v<Other, BatchNormOptions>) other.unbiased_running_variance = false;
    return step(other, in, ref::norm::initial_state<T>(other, in.x.shape().back()));
  });
}

// Makes LayerNorm depend on the batch's first row.
TestedImplementation make_layer_norm_depend_on_batch() {
  return wrap_layer_step<LayerNormOptions>(
      []<class T>(const TestedImplementation::Step<T>& step, const LayerNormOptions& options,
                  const NormInputs<T>& in, const NamedTensors<T>& state) {
        auto result = step(options, in, state);
        auto& y = result.outputs.at("y");
        for (std::size_t at = 0; at < y.size(); ++at)
          y.data()[at] = y.data()[at] + T(0x1p-20) * in.x.data()[0];
        return result;
      });
}

TestedImplementation use_running_statistics_in_batch_norm() {
  return wrap_layer_step<BatchNormOptions>(
      [](const auto& step, const BatchNormOptions& options, auto in, const auto& state) {
        in.mode = Mode::inference;
        return step(options, in, state);
      });
}

// Computes the backward as printed in the paper of PowerNorm:
// `grad_x = (grad_y - x_hat * mean(grad_y * x_hat)) / (psi * gamma)`. The backward is linear in
// grad_y, so a division of grad_y by gamma^2 gives this formula.
TestedImplementation use_printed_power_norm_v_backward() {
  return wrap_layer_step<PowerNormVOptions>(
      []<class T>(const TestedImplementation::Step<T>& step, const PowerNormVOptions& options,
                  const NormInputs<T>& in, const NamedTensors<T>& state) {
        if (!is_given(in.gamma) || !is_given(in.grad_y)) return step(options, in, state);
        NormInputs<T> divided = in;
        for (std::size_t at = 0; at < in.grad_y.size(); ++at) {
          const T gamma = in.gamma.data()[at % in.gamma.size()];
          divided.grad_y.data()[at] = in.grad_y.data()[at] / (gamma * gamma);
        }
        return step(options, divided, state);
      });
}

TestedImplementation divide_variance_by_n_minus_1() {
  return wrap_layer_step<BatchNormOptions>(
      []<class T>(const TestedImplementation::Step<T>& step, const BatchNormOptions& options,
                  const NormInputs<T>& in, const NamedTensors<T>& state) {
        auto result = step(options, in, state);
        const auto n = static_cast<double>(in.x.size() / in.x.shape().back());
        if (auto* variance = result.outputs.find("biased_variance"); variance && n > 1)
          apply_to_each(*variance, [&](const T& v) { return T(v * T(n) / T(n - 1)); });
        return result;
      });
}

// Omits the division by psi in the backward of PN-V.
TestedImplementation omit_division_by_psi() {
  return wrap_layer_step<PowerNormVOptions>(
      []<class T>(const TestedImplementation::Step<T>& step, const PowerNormVOptions& options,
                  const NormInputs<T>& in, const NamedTensors<T>& state) {
        auto bare = in;
        bare.gamma = decltype(bare.gamma)();
        auto result = step(options, bare, state);
        if (auto* grad_x = result.outputs.find("grad_x"))
          for (std::size_t at = 0; at < grad_x->size(); ++at)
            grad_x->data()[at] = grad_x->data()[at] / find_rstd(result, in, at);
        return result;
      });
}

// Makes PowerNorm normalize by the psi of the current batch instead of the running psi.
TestedImplementation normalize_by_batch_psi() {
  return wrap_layer_step<PowerNormOptions>(
      [](const auto& step, PowerNormOptions options, const auto& in, const auto& state) {
        options.warmup_iterations = 1;
        return step(options, in, state);
      });
}

// Adds an error that only 100 digits can detect.
TestedImplementation add_error_seen_only_at_100_digits() {
  return wrap_layer_step<PowerNormVOptions>(
      []<class T>(const TestedImplementation::Step<T>& step, const PowerNormVOptions& options,
                  const NormInputs<T>& in, const NamedTensors<T>& state) {
        auto result = step(options, in, state);
        if (auto* grad_x = result.outputs.find("grad_x"))
          apply_to_each(*grad_x, [](const T& v) { return T(v + v * T(std::ldexp(1.0, -180))); });
        return result;
      });
}

}  // namespace

std::vector<Fault> one_step_faults() {
  using BN = BatchNormOptions;
  using LN = LayerNormOptions;
  using PNV = PowerNormVOptions;
  std::vector<Fault> faults;
  const auto add = [&](const std::string& claims, const std::string& what,
                       const TestedImplementation& subject) {
    for (std::size_t begin = 0; begin < claims.size();) {
      const std::size_t end = std::min(claims.find(' ', begin), claims.size());
      faults.push_back({claims.substr(begin, end - begin), what, subject});
      begin = end + 1;
    }
  };
  const std::string scaled = "grad_x is 2^-20 too long";

  const auto with_product = [](auto product) {
    TestedImplementation subject;
    subject.matmul = product;
    return subject;
  };
  using Matrix = ref::tensor::Tensor<double>;
  add("M1", "a matrix product is 2^-20 too large",
      with_product([](const Matrix& a, const Matrix& b) {
        Matrix c = ref::ops::matmul(a, b);
        for (double& v : c) v *= kSlightlyAboveOne;
        return c;
      }));
  add("M1", "a matrix product leaves the last term out",
      with_product([](Matrix a, const Matrix& b) {
        for (std::size_t i = 0; i < a.shape(0); ++i) a(i, a.shape(1) - 1) = 0;
        return ref::ops::matmul(a, b);
      }));
  add("M2", "a matrix product rounds once", with_product([](const Matrix& a, const Matrix& b) {
        using ref::tensor::convert;
        return convert<double>(ref::ops::matmul(convert<oracle100>(a), convert<oracle100>(b)));
      }));

  add("T1", "LN adds 2^-20 x to y", leak_into_output<LN>("y", true, 0x1p-20));
  add("T1", "LN multiplies y by eps + 1",
      wrap_layer_step<LN>(
          [](const auto& step, const LN& options, const auto& in, const auto& state) {
            auto result = step(options, in, state);
            apply_to_each(result.outputs.at("y"),
                          [&]<class T>(const T& v) { return T(v + v * T(options.eps)); });
            return result;
          }));
  add("T2", "LN sees the first row", make_layer_norm_depend_on_batch());
  add("T3", "LN takes eps twice", multiply_eps<LN>(2));
  add("T3", "BN takes eps twice", multiply_eps<BN>(2));
  add("T4", "BN in training uses the running statistics", use_running_statistics_in_batch_norm());
  add("T5", "BN runs as PN-V", replace_forward<BN, PNV>());

  add("A1 B2 B6", "BN: " + scaled, scale_output<BN>("grad_x", kSlightlyAboveOne));
  add("A1 A13 B2 B4", "BN: the backward's sums miss the last row", omit_last_row_in_backward<BN>());
  add("A1", "BN: eps twice", multiply_eps<BN>(2));
  add("A2 B6", "LN: " + scaled, scale_output<LN>("grad_x", kSlightlyAboveOne));
  add("A2", "LN: the backward of constant statistics", freeze_statistics_in_backward<LN>());
  add("A3 A13 B1 B3 B6 B7 B10 B12", "PN-V: " + scaled,
      scale_output<PNV>("grad_x", kSlightlyAboveOne));
  add("A3 A13 B1", "PN-V: the backward's sums miss the last row", omit_last_row_in_backward<PNV>());
  add("A3", "PN-V: the backward forgets gamma", omit_gamma_in_backward<PNV>());
  add("A13", "PN-V: the backward's sum runs over valid rows alone",
      omit_padding_in_backward_sums<PNV>());
  add("A13", "PN-V: padding takes part", ignore_padding_mask<PNV>());
  add("A4 B6", "RMSNorm: " + scaled, scale_output<RMSNormOptions>("grad_x", kSlightlyAboveOne));
  add("A4", "RMSNorm: eps twice", multiply_eps<RMSNormOptions>(2));
  add("A5", "PN-V computes the printed form", use_printed_power_norm_v_backward());
  add("A6", "GroupNorm: " + scaled, scale_output<GroupNormOptions>("grad_x", kSlightlyAboveOne));
  add("A6", "GroupNorm with one group",
      wrap_layer_step<GroupNormOptions>(
          [](const auto& step, GroupNormOptions options, const auto& in, const auto& state) {
            options.groups = 1;
            return step(options, in, state);
          }));
  add("A7", "InstanceNorm: " + scaled,
      scale_output<InstanceNormOptions>("grad_x", kSlightlyAboveOne));
  add("A8", "group scaling: " + scaled,
      scale_output<GroupScalingOptions>("grad_x", kSlightlyAboveOne));
  add("A9", "ScaleNorm: " + scaled, scale_output<ScaleNormOptions>("grad_x", kSlightlyAboveOne));
  add("A10", "BatchRenorm: " + scaled,
      scale_output<BatchRenormOptions>("grad_x", kSlightlyAboveOne));
  add("A10", "BatchRenorm: r is not clipped",
      wrap_layer_step<BatchRenormOptions>(
          [](const auto& step, BatchRenormOptions options, const auto& in, const auto& state) {
            options.r_max = 1e300;
            return step(options, in, state);
          }));
  add("A11", "LN: grad_gamma is 2^-20 too long", scale_output<LN>("grad_gamma", kSlightlyAboveOne));
  add("A11", "PowerNorm: grad_beta is 2^-20 too long",
      scale_output<PowerNormOptions>("grad_beta", kSlightlyAboveOne));
  add("A12", "PN-V: grad_x is 2^-180 too long", add_error_seen_only_at_100_digits());

  add("B4", "BN adds 2^-20 grad_y to grad_x", leak_into_output<BN>("grad_x", false, 0x1p-20));
  add("B5", "quadratic_mean is 2^-20 too long",
      scale_output<PNV>("quadratic_mean", kSlightlyAboveOne));
  add("B5", "biased_variance divides by n - 1", divide_variance_by_n_minus_1());
  add("B7", "BN: grad_x half as long", scale_output<BN>("grad_x", 0.5));
  add("B8", "BN: the backward of constant statistics", freeze_statistics_in_backward<BN>());
  add("B9 B11 B18", "PN-V runs as BN", replace_forward<PNV, BN>());
  add("B10 B12", "BN: " + scaled, scale_output<BN>("grad_x", kSlightlyAboveOne));
  add("B13", "PN-V: the backward divides by no psi", omit_division_by_psi());
  add("B14", "BN: grad_x = 0", scale_output<BN>("grad_x", 0));
  add("B15", "BN: y = grad_x = 0",
      wrap_layer_step<BN>(
          [](const auto& step, const BN& options, const auto& in, const auto& state) {
            auto result = step(options, in, state);
            for (const char* name : {"y", "grad_x"})
              if (auto* values = result.outputs.find(name))
                apply_to_each(*values, []<class T>(const T&) { return T(0); });
            return result;
          }));
  add("B16", "PowerNorm normalises by the batch's psi", normalize_by_batch_psi());
  add("B17", "PN-V adds 2^-20 x to y", leak_into_output<PNV>("y", true, 0x1p-20));
  return faults;
}

}  // namespace normproof::tests::broken_kernels
