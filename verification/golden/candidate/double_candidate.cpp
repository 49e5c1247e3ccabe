#include "verification/golden/candidate/double_candidate.hpp"

#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "verification/checks/evaluation/sequence.hpp"
#include "verification/golden/certify/not_finite.hpp"
#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/recipes/case_inputs.hpp"

namespace normproof::verification::golden::candidate {

using certify::kOtherReplacements;
using certify::kReplacements;
using corpus::Case;
using corpus::DType;

namespace {

/// Evaluates the case with replaced inputs and generic gradients.
std::optional<ref::tensor::NamedTensors<double>> evaluate_generic(
    const Evaluate& evaluate, const Case& c, const certify::Replacements& replacements) {
  checks::evaluation::EvalInputs inputs = recipes::inputs_of(c, corpus::case_folder(c));
  certify::replace_gradients_by_generic_numbers(inputs);
  certify::replace_not_finite(inputs, c, replacements);
  return evaluate(c, inputs);
}

/// Sets the elements of an output that are not finite.
class NotFiniteElements {
 public:
  NotFiniteElements(const Evaluate& evaluate, const Case& c,
                    const checks::evaluation::EvalInputs& inputs)
      : case_(c), inputs_(inputs), is_used_(certify::has_not_finite(inputs)) {
    if (!is_used_) return;
    results_ = evaluate_generic(evaluate, c, kReplacements).value();
    others_ = evaluate_generic(evaluate, c, kOtherReplacements).value();
  }

  void set(const std::string& name, std::vector<double>& values) const {
    if (!is_used_) return;
    const auto &result = results_.at(name), &other = others_.at(name);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (certify::is_minus_infinity(inputs_, case_, name, i))
        values[i] = -std::numeric_limits<double>::infinity();
      else if (std::bit_cast<std::uint64_t>(result.data()[i]) !=
               std::bit_cast<std::uint64_t>(other.data()[i]))
        values[i] = std::numeric_limits<double>::quiet_NaN();
    }
  }

 private:
  const Case& case_;
  const checks::evaluation::EvalInputs& inputs_;
  bool is_used_;
  ref::tensor::NamedTensors<double> results_, others_;
};

}  // namespace

Candidate double_candidate(Evaluate evaluate) {
  return [evaluate = std::move(evaluate)](const StoredCase& stored) -> CandidateOutput {
    const Case& c = stored.description.c;
    const auto original = recipes::inputs_of(c, corpus::case_folder(c));
    auto inputs = original;
    certify::replace_not_finite(inputs, c, kReplacements);
    const auto results = evaluate(c, inputs);
    if (!results) return CandidateOutput::declined();
    const NotFiniteElements not_finite(evaluate, c, original);
    std::vector<StoredTensor> outputs;
    for (const auto& [name, tensor] : *results) {
      std::vector<double> values(tensor.data(), tensor.data() + tensor.size());
      not_finite.set(name, values);
      const DType dtype = corpus::output_dtype(DType::float64, name);
      outputs.push_back(ref::io::make_tensor(name, dtype, ref::tensor::shape_of(tensor), values));
    }
    return outputs;
  };
}

Candidate reference_candidate() {
  return double_candidate([](const Case& c, const checks::evaluation::EvalInputs& inputs) {
    return checks::evaluation::run_operation<double>(c.options, inputs, c.sequence);
  });
}

}  // namespace normproof::verification::golden::candidate
