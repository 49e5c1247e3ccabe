#include "verification/golden/candidate/double_candidate.hpp"

#include <bit>
#include <cstdint>
#include <limits>
#include <utility>

#include "verification/checks/evaluation/sequence.hpp"
#include "verification/golden/certify/certificate.hpp"
#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/recipes/case_inputs.hpp"

namespace normproof::verification::golden::candidate {

using certify::kOtherReplacements;
using certify::kReplacements;
using corpus::Case;
using corpus::DType;

namespace {

checks::evaluation::EvalInputs replace_non_finite_inputs(
    const Case& c, const certify::Replacements& replacements) {
  checks::evaluation::EvalInputs inputs = recipes::inputs_of(c, corpus::case_folder(c));
  certify::replace_not_finite(inputs, replacements);
  return inputs;
}

}  // namespace

Candidate double_candidate(Evaluate evaluate) {
  return [evaluate = std::move(evaluate)](const StoredCase& stored) -> CandidateOutput {
    const Case& c = stored.description.c;
    const auto results = evaluate(c, replace_non_finite_inputs(c, kReplacements));
    if (!results) return CandidateOutput::declined();
    const auto others = evaluate(c, replace_non_finite_inputs(c, kOtherReplacements));
    std::vector<StoredTensor> outputs;
    for (const auto& [name, tensor] : *results) {
      const double* const other = others->at(name).data();
      std::vector<double> values(tensor.data(), tensor.data() + tensor.size());
      for (std::size_t i = 0; i < values.size(); ++i)
        if (std::bit_cast<std::uint64_t>(values[i]) != std::bit_cast<std::uint64_t>(other[i]))
          values[i] = std::numeric_limits<double>::quiet_NaN();
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
