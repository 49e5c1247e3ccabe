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

/// The implementation that a claim is about. A claim reaches ref/norm, ref/encoder, matmul and relu
/// through this alone, so that a faulty implementation can take its place
/// (tests/meta/broken_kernels) and must turn it red.
struct Subject {
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

  /// One step from a given state.
  template <class T>
  NormStep<T> step(const NormOptions& options, const NormInputs<T>& inputs,
                   const NamedTensors<T>& state) const {
    return of<T>()(options, inputs, state);
  }
  /// One step from the initial state.
  template <class T>
  NormStep<T> step(const NormOptions& options, const NormInputs<T>& inputs) const {
    return step<T>(options, inputs, ref::norm::initial_state<T>(options, inputs.x.shape().back()));
  }
};

enum class Verdict { holds, refuted };

/// What a check is given. Evidence is a function of (seed, cases, subject) and of nothing else.
struct Run {
  std::uint64_t seed = 1;
  std::size_t cases = 1000;
  Subject subject = {};
  std::string claim = {};  ///< the id, set by evaluate(): every claim draws cases of its own
  bool shrinks = true;     ///< the first violation is made as small as possible
  bool stops_at_violation = false;  ///< no case is tried after it
};

/// What a check found.
struct Evidence {
  Verdict observed = Verdict::refuted;
  std::size_t cases = 0;       ///< tried: at least as many as asked for
  std::size_t violations = 0;  ///< of them
  double worst = 0;            ///< the largest share of its bound that any case attained; above 1 =
                               ///< violated
  std::string worst_meaning = {};   ///< in one line
  std::string counterexample = {};  ///< shrunken, in the numbers that matter; empty where it holds
  std::string detail = {};          ///< what else the cases teach
  std::uint64_t seed = 0;
};

/// One statement of the ledger.
struct Claim {
  std::string id = {};         ///< "A3"
  std::string title = {};      ///< a few words
  std::string statement = {};  ///< plain mathematics, UTF-8, a line or two
  std::string source =
      {};  ///< "[SYG+20] Alg. 2" or "derived: docs/derivations/norms.md, section 6"
  std::string assumptions = {};  ///< what the cases satisfy
  Verdict expected = Verdict::holds;
  std::string dropped =
      {};  ///< refuted claims: the assumption whose absence refutes it; else empty
  std::function<Evidence(const Run&)> check = {};
};

/// A kind of error, of any size, planted in the implementation.
struct Planted {
  std::string what = {};  ///< "grad_x × (1 + δ)"
  std::function<Subject(double delta)> at = {};
};

/// How small an error the check of a claim still sees.
struct Power {
  std::string planted = {};
  double least_rejected = 0;  ///< infinity where none up to 1 is
};

/// A claim and what came of it. `failure` is set where the check threw, tried no case or crashed.
struct Result {
  std::string id;
  Evidence evidence;
  std::string failure;
  bool as_expected = false;        ///< no failure, and the verdict observed is the verdict expected
  std::vector<Power> powers = {};  ///< where they were asked for
};

/// Runs one check. Never throws on account of it: an exception becomes `failure`, naming the claim.
Result evaluate(const Claim& claim, Run run);

}  // namespace normproof::verification::claims::engine
