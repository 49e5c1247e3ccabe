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
using verification::claims::engine::Subject;

/// An injected fault of the implementation and the claim whose verdict it must change: a claim that
/// holds must be refuted, and a refuted one must hold.
struct Fault {
  std::string claim;  ///< id of the claim
  std::string what;   ///< description, for the test's message
  Subject subject;
};

/// Prints a fault in messages of GoogleTest.
inline void PrintTo(const Fault& fault, std::ostream* out) {
  *out << fault.claim << ": " << fault.what;
}

std::vector<Fault> one_step_faults();    ///< for the claims of T, A and B
std::vector<Fault> power_norm_faults();  ///< for the claims of C and D
std::vector<Fault> encoder_faults();     ///< for the claims of E and L
std::vector<Fault> dyt_faults();         ///< for the claims of F

/// Returns a subject whose steps run as `around(step, options, inputs, state)`. `around` is a
/// generic callable that may call the correct `step` and returns a NormStep.
///
///   around([](const auto& step, const auto& options, const auto& in, const auto& state) {
///     auto result = step(options, in, state);
///     ... change result.outputs, result.state ...
///     return result;
///   })
template <class Around>
Subject around(Around f) {
  const auto wrapped = [f]<class T>(Subject::Step<T> sound) -> Subject::Step<T> {
    return [f, sound](const NormOptions& options, const NormInputs<T>& in,
                      const NamedTensors<T>& state) { return f(sound, options, in, state); };
  };
  const Subject sound;
  Subject faulty;
  faulty.step_double = wrapped(sound.step_double);
  faulty.step_oracle50 = wrapped(sound.step_oracle50);
  faulty.step_oracle100 = wrapped(sound.step_oracle100);
  faulty.step_dual = wrapped(sound.step_dual);
  return faulty;
}

/// Does the same for one layer: `f(step, that layer's options, inputs, state)`. Other layers stay
/// correct.
template <class Options, class Around>
Subject around_layer(Around f) {
  return around(
      [f](const auto& step, const NormOptions& options, const auto& in, const auto& state) {
        if (const auto* own = std::get_if<Options>(&options)) return f(step, *own, in, state);
        return step(options, in, state);
      });
}

/// Replaces each element by f of it.
template <class T, class F>
void each(ref::tensor::Tensor<T>& values, F f) {
  for (std::size_t i = 0; i < values.size(); ++i) values.data()[i] = f(values.data()[i]);
}

inline constexpr double kSlightly = 1 + 0x1p-20;

/// Multiplies one output of the layer, if it exists.
template <class Options>
Subject scaled_output(const std::string& name, double factor) {
  return around_layer<Options>(
      [=](const auto& step, const Options& options, const auto& in, const auto& state) {
        auto result = step(options, in, state);
        if (auto* values = result.outputs.find(name))
          each(*values, [&]<class T>(const T& v) { return T(v * T(factor)); });
        return result;
      });
}

}  // namespace normproof::tests::broken_kernels
