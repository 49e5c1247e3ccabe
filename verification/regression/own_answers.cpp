#include "verification/regression/own_answers.hpp"

#include <bit>
#include <cstdint>
#include <limits>

#include "verification/evaluation/sequence.hpp"
#include "verification/golden/certify/certificate.hpp"
#include "verification/golden/recipes/case_inputs.hpp"

namespace normproof::verification::regression {

using golden::corpus::Case;
using golden::corpus::DType;
using golden::corpus::StoredTensor;

namespace {

using golden::certify::kOtherStandIns;
using golden::certify::kStandIns;

ref::tensor::NamedTensors<double> run(const Case& c, const golden::certify::StandIns& stand_ins) {
  evaluation::EvalInputs inputs = golden::recipes::inputs_of(c, golden::corpus::path_of(c));
  golden::certify::replace_not_finite(inputs, stand_ins);
  return evaluation::run_operation<double>(c.options, inputs, c.sequence);
}

}  // namespace

golden::gate::Ask from_this_program() {
  return [](const golden::certify::StoredCase& stored) {
    const Case& c = stored.description.c;
    const auto results = run(c, kStandIns), others = run(c, kOtherStandIns);
    std::vector<StoredTensor> answer;
    for (const auto& [name, tensor] : results) {
      const double* const other = others.at(name).data();
      std::vector<double> values(tensor.data(), tensor.data() + tensor.size());
      for (std::size_t i = 0; i < values.size(); ++i)
        if (std::bit_cast<std::uint64_t>(values[i]) != std::bit_cast<std::uint64_t>(other[i]))
          values[i] = std::numeric_limits<double>::quiet_NaN();
      const DType dtype = golden::corpus::dtype_of_output(DType::float64, name);
      answer.push_back(ref::io::make_tensor(name, dtype, ref::tensor::shape_of(tensor), values));
    }
    return answer;
  };
}

}  // namespace normproof::verification::regression
