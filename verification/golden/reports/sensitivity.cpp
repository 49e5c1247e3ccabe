#include "verification/golden/reports/sensitivity.hpp"

namespace normproof::verification::golden::reports {

void Sensitivity::add(const gate::CaseResult& result) {
  const corpus::Case& c = result.description.c;
  for (const gate::TensorResult& t : result.tensors) {
    if (!t.passed()) continue;
    const std::string operation = corpus::case_operation_name(c);
    OutputSensitivity& output = outputs_[{operation, c.dtype, t.name}];
    output.operation = operation;
    output.dtype = c.dtype;
    output.output = t.name;
    ++output.cases;
    output.elements += t.count;
    output.accept_zeros += t.vacuous + t.unasked;
    if (t.smallest_found_error >= output.smallest_found_error) continue;
    output.smallest_found_error = t.smallest_found_error;
    output.found_by = result.description.path;
  }
}

std::vector<OutputSensitivity> Sensitivity::outputs() const {
  std::vector<OutputSensitivity> all;
  all.reserve(outputs_.size());
  for (const auto& [key, output] : outputs_) all.push_back(output);
  return all;
}

}  // namespace normproof::verification::golden::reports
