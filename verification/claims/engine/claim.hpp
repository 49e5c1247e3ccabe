#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "ref/norm/norm.hpp"
#include "ref/ops/activation.hpp"
#include "ref/ops/matmul.hpp"
#include "verification/claims/engine/stack.hpp"

namespace normproof::verification::claims::engine {

using ref::model::NormOptions;
using ref::norm::NormInputs;
using ref::norm::NormStep;
using ref::numeric::dual;
using ref::numeric::oracle100;
using ref::numeric::oracle50;
using ref::tensor::NamedTensors;

/// The implementation under test. Claims call ref/norm, ref/encoder, matmul and relu only through
/// this struct. Tests can therefore substitute a faulty implementation (tests/meta/broken_kernels)
/// and check that the claim fails.
struct TestedImplementation {
  template <class T>
  using Step = std::function<NormStep<T>(const NormOptions&, const NormInputs<T>&,
                                         const NamedTensors<T>& state)>;
  Step<double> step_double = ref::norm::norm_step<double>;
  Step<oracle50> step_oracle50 = ref::norm::norm_step<oracle50>;
  Step<oracle100> step_oracle100 = ref::norm::norm_step<oracle100>;
  Step<dual> step_dual = ref::norm::norm_step<dual>;

  using Product = std::function<ref::tensor::Tensor<double>(const ref::tensor::Tensor<double>& a,
                                                            const ref::tensor::Tensor<double>& b)>;
  Product matmul = [](const auto& a, const auto& b) { return ref::ops::matmul(a, b); };

  using Relu = std::function<ref::tensor::Tensor<double>(const ref::tensor::Tensor<double>&)>;
  Relu relu = ref::ops::relu<double>;

  template <class T>
  using Stack = std::function<StackStep<T>(const StackInputs<T>&)>;
  Stack<double> stack_double = run_stack<double>;
  Stack<ref::numeric::ball> stack_ball = run_stack<ref::numeric::ball>;

  template <class T>
  const Step<T>& of() const {
    if constexpr (std::is_same_v<T, double>) return step_double;
    if constexpr (std::is_same_v<T, oracle50>) return step_oracle50;
    if constexpr (std::is_same_v<T, oracle100>) return step_oracle100;
    if constexpr (std::is_same_v<T, dual>) return step_dual;
  }

  /// Runs one step of a layer from a given state.
  template <class T>
  NormStep<T> step(const NormOptions& options, const NormInputs<T>& inputs,
                   const NamedTensors<T>& state) const {
    return of<T>()(options, inputs, state);
  }
  /// Runs one step of a layer from its initial state.
  template <class T>
  NormStep<T> step(const NormOptions& options, const NormInputs<T>& inputs) const {
    return step<T>(options, inputs, ref::norm::initial_state<T>(options, inputs.x.shape().back()));
  }
};

enum class Verdict { holds, refuted };

/// The arguments of a check: seed, number of cases and implementation. They alone determine the
/// evidence.
struct Run {
  std::uint64_t seed = 1;
  std::size_t cases = 1000;
  TestedImplementation subject = {};
  std::string claim = {};  ///< the claim's id, set by evaluate(); each claim draws its own cases
  bool shrinks = true;     ///< whether the first violation is shrunk
  bool stops_at_violation = false;  ///< whether the first violation ends the run
};

/// The result of a check: the verdict, and the facts that support it.
struct Evidence {
  Verdict observed = Verdict::refuted;
  std::size_t cases = 0;       ///< number of cases tried, at least as many as requested
  std::size_t violations = 0;  ///< number of cases that violate the claim
  /// The maximum over the cases of the error divided by its bound. If it is above 1, the claim is
  /// violated.
  double worst = 0;
  std::string worst_meaning = {};   ///< one line that says what `worst` is
  std::string counterexample = {};  ///< the shrunk case in numbers; empty if the claim holds
  std::string detail = {};          ///< further findings
  std::uint64_t seed = 0;
};

/// A mathematical statement with a check that tries to refute it. All claims are listed in the
/// ledger.
struct Claim {
  std::string id = {};         ///< "A3"
  std::string title = {};      ///< a few words
  std::string statement = {};  ///< plain mathematics, UTF-8, one or two lines
  /// The origin of the statement, such as "[SYG+20] Alg. 2" or "derived: docs/derivations/norms.md,
  /// section 6".
  std::string source = {};
  std::string assumptions = {};  ///< what the cases satisfy
  Verdict expected = Verdict::holds;
  /// The assumption without which the statement is false. Empty unless the claim is expected to be
  /// refuted.
  std::string dropped = {};
  std::function<Evidence(const Run&)> check = {};
};

/// An injected error in the implementation under test. Its size is a parameter.
struct InjectedError {
  std::string what = {};  ///< "grad_x × (1 + δ)"
  std::function<TestedImplementation(double delta)> at = {};
};

/// The sensitivity of a claim's check to an injected error.
struct CheckSensitivity {
  std::string planted = {};
  /// The smallest size of the error that the check rejects; infinity if the check does not reject
  /// size 1.
  double smallest_rejected_error = 0;
};

/// The result of a claim. `failure` is set if the check threw an exception, tried no case or
/// crashed.
struct Result {
  std::string id;
  Evidence evidence;
  std::string failure;
  /// Whether the check ran without failure and the verdict is the expected one.
  bool as_expected = false;
  std::vector<CheckSensitivity> powers = {};  ///< if requested
};

/// Runs the check of a claim. If the check throws an exception, the `failure` of the result is the
/// message of the exception with the claim's id.
Result evaluate(const Claim& claim, Run run);

}  // namespace normproof::verification::claims::engine
