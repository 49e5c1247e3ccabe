#include "verification/golden/candidate/double_candidate.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "verification/checks/evaluation/sequence.hpp"
#include "verification/golden/certify/not_finite.hpp"
#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/recipes/case_inputs.hpp"

namespace normproof::verification::golden::candidate {

using corpus::Case;
using corpus::DType;

Candidate double_candidate(certify::Evaluate evaluate) {
  return [evaluate = std::move(evaluate)](const StoredCase& stored) -> CandidateOutput {
    const Case& c = stored.description.c;
    auto inputs = recipes::inputs_of(c, corpus::case_folder(c));
    // NotFiniteElements evaluates the case, so it is made only if the case is not declined.
    auto original = certify::has_not_finite(inputs) ? std::optional(inputs) : std::nullopt;
    certify::replace_not_finite(inputs, c, certify::kReplacements);
    const auto results = evaluate(c, inputs);
    if (!results) return CandidateOutput::declined();
    const certify::NotFiniteElements not_finite(evaluate, c, original ? *original : inputs);
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
