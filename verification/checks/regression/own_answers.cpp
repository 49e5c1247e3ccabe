#include "verification/checks/regression/own_answers.hpp"

#include <bit>
#include <cstdint>
#include <limits>
#include <utility>

#include "verification/checks/evaluation/sequence.hpp"
#include "verification/golden/certify/certificate.hpp"
#include "verification/golden/recipes/case_inputs.hpp"

namespace normproof::verification::checks::regression {

using golden::corpus::Case;
using golden::corpus::DType;
using golden::corpus::StoredTensor;

namespace {

using golden::certify::kOtherReplacements;
using golden::certify::kReplacements;

checks::evaluation::EvalInputs finite_inputs(const Case& c,
                                             const golden::certify::Replacements& stand_ins) {
  checks::evaluation::EvalInputs inputs = golden::recipes::inputs_of(c, golden::corpus::path_of(c));
  golden::certify::replace_not_finite(inputs, stand_ins);
  return inputs;
}

}  // namespace

golden::gate::Candidate double_candidate(Evaluate evaluate) {
  return [evaluate = std::move(evaluate)](
             const golden::certify::StoredCase& stored) -> golden::gate::CandidateOutput {
    const Case& c = stored.description.c;
    const auto results = evaluate(c, finite_inputs(c, kReplacements));
    if (!results) return {};
    const auto others = evaluate(c, finite_inputs(c, kOtherReplacements));
    std::vector<StoredTensor> answer;
    for (const auto& [name, tensor] : *results) {
      const double* const other = others->at(name).data();
      std::vector<double> values(tensor.data(), tensor.data() + tensor.size());
      for (std::size_t i = 0; i < values.size(); ++i)
        if (std::bit_cast<std::uint64_t>(values[i]) != std::bit_cast<std::uint64_t>(other[i]))
          values[i] = std::numeric_limits<double>::quiet_NaN();
      const DType dtype = golden::corpus::output_dtype(DType::float64, name);
      answer.push_back(ref::io::make_tensor(name, dtype, ref::tensor::shape_of(tensor), values));
    }
    return answer;
  };
}

golden::gate::Candidate own_candidate() {
  return double_candidate([](const Case& c, const checks::evaluation::EvalInputs& inputs) {
    return checks::evaluation::run_operation<double>(c.options, inputs, c.sequence);
  });
}

}  // namespace normproof::verification::checks::regression
