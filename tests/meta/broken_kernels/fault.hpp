#pragma once

#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include "ref/numeric/square_root.hpp"
#include "verification/claims/engine/claim.hpp"

namespace normproof::tests::broken_kernels {

using ref::tensor::is_given;
using verification::claims::engine::NamedTensors;
using verification::claims::engine::NormInputs;
using verification::claims::engine::NormOptions;
using verification::claims::engine::TestedImplementation;

/// A broken implementation and the claim whose verdict it must change. A claim that holds for the
/// correct implementation must be refuted for the broken one. A claim that is refuted for the
/// correct implementation must hold for the broken one.
struct Fault {
  std::string claim;             ///< id of the claim, for example "F1"
  std::string what;              ///< what is wrong, for the messages of the test
  TestedImplementation subject;  ///< the broken implementation
};

/// Prints a fault in messages of GoogleTest.
inline void PrintTo(const Fault& fault, std::ostream* out) {
  *out << fault.claim << ": " << fault.what;
}

std::vector<Fault> one_step_faults();    ///< for the claims whose ids begin with M, T, A or B
std::vector<Fault> power_norm_faults();  ///< for the claims whose ids begin with C or D
std::vector<Fault> encoder_faults();     ///< for the claims whose ids begin with E or L
std::vector<Fault> dyt_faults();         ///< for the claims whose ids begin with F

/// Returns a broken implementation that computes a step of a layer as `f(step, options, inputs,
/// state)`. `f` is a generic callable that returns a NormStep. It may call the correct `step`.
///
///   around([](const auto& step, const auto& options, const auto& in, const auto& state) {
///     auto result = step(options, in, state);
///     ... change result.outputs, result.state ...
///     return result;
///   })
template <class Around>
TestedImplementation wrap_step(Around f) {
  const auto wrapped =
      [f]<class T>(TestedImplementation::Step<T> sound) -> TestedImplementation::Step<T> {
    return [f, sound](const NormOptions& options, const NormInputs<T>& in,
                      const NamedTensors<T>& state) { return f(sound, options, in, state); };
  };
  const TestedImplementation sound;
  TestedImplementation faulty;
  faulty.step_double = wrapped(sound.step_double);
  faulty.step_oracle50 = wrapped(sound.step_oracle50);
  faulty.step_oracle100 = wrapped(sound.step_oracle100);
  faulty.step_dual = wrapped(sound.step_dual);
  return faulty;
}

/// Returns an implementation that is broken for the layer with these options only. It computes a
/// step of this layer as `f(step, options, inputs, state)`; see around().
template <class Options, class Around>
TestedImplementation wrap_layer_step(Around f) {
  return wrap_step(
      [f](const auto& step, const NormOptions& options, const auto& in, const auto& state) {
        if (const auto* own = std::get_if<Options>(&options)) return f(step, *own, in, state);
        return step(options, in, state);
      });
}

/// Replaces each element v by f(v).
template <class T, class F>
void apply_to_each(ref::tensor::Tensor<T>& values, F f) {
  for (std::size_t i = 0; i < values.size(); ++i) values.data()[i] = f(values.data()[i]);
}

inline constexpr double kSlightlyAboveOne = 1 + 0x1p-20;

/// Returns an implementation that multiplies the output `name` of the layer by `factor`, if the
/// layer has this output.
template <class Options>
TestedImplementation scale_output(const std::string& name, double factor) {
  return wrap_layer_step<Options>(
      [=](const auto& step, const Options& options, const auto& in, const auto& state) {
        auto result = step(options, in, state);
        if (auto* values = result.outputs.find(name))
          apply_to_each(*values, [&]<class T>(const T& v) { return T(v * T(factor)); });
        return result;
      });
}

}  // namespace normproof::tests::broken_kernels
