#include "verification/golden/certify/not_finite_elements.hpp"

#include <bit>
#include <cstdint>
#include <limits>

#include "verification/golden/certify/not_finite.hpp"
#include "verification/golden/recipes/case_inputs.hpp"

namespace normproof::verification::golden::certify {

namespace {

/// Evaluates the case with replaced inputs and generic gradients.
ref::tensor::NamedTensors<double> evaluate_generic(const Evaluate& evaluate, const corpus::Case& c,
                                                   const Replacements& replacements) {
  ref::model::OperationInputs inputs = recipes::inputs_of(c, corpus::case_folder(c));
  replace_gradients_by_generic_numbers(inputs);
  replace_not_finite(inputs, c, replacements);
  return evaluate(c, inputs).value();
}

}  // namespace

NotFiniteElements::NotFiniteElements(const Evaluate& evaluate, const corpus::Case& c,
                                     const ref::model::OperationInputs& inputs)
    : case_(c), inputs_(inputs), is_used_(has_not_finite(inputs)) {
  if (!is_used_) return;
  results_ = evaluate_generic(evaluate, c, kReplacements);
  others_ = evaluate_generic(evaluate, c, kOtherReplacements);
}

void NotFiniteElements::set(const std::string& name, std::vector<double>& values) const {
  if (!is_used_) return;
  const auto &result = results_.at(name), &other = others_.at(name);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (is_minus_infinity(inputs_, case_, name, i))
      values[i] = -std::numeric_limits<double>::infinity();
    else if (std::bit_cast<std::uint64_t>(result.data()[i]) !=
             std::bit_cast<std::uint64_t>(other.data()[i]))
      values[i] = std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace normproof::verification::golden::certify
