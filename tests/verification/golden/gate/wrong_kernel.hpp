#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/verification/golden/certify/samples.hpp"
#include "verification/golden/gate/check.hpp"
#include "verification/golden/gate/failing_outputs.hpp"
#include "verification/golden/plain/plain_layers.hpp"

/// Answers of wrong kernels, for tests of the diagnosis.
namespace normproof::verification::golden::gate {

/// Returns the outputs of the plain implementation with this mutation, whose sums run from the last
/// term to the first.
inline std::vector<StoredTensor> run_mutation(const Case& c, const mutations::Mutation& mutation) {
  mutations::Sites sites(mutation);
  return plain::run_plain(c, recipes::inputs_of(c), {.sum = plain::Style::Sum::backwards}, sites);
}

/// Returns the outputs with each element v of the output `name` replaced by change(v, index).
inline std::vector<StoredTensor> change_output(
    std::vector<StoredTensor> answer, const std::string& name,
    const std::function<double(double, std::size_t)>& change) {
  for (StoredTensor& tensor : answer) {
    if (tensor.name != name) continue;
    std::vector<double> values = ref::io::widen(tensor);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = change(values[i], i);
    tensor = make_stored_tensor(name, tensor.dtype, tensor.shape, values);
  }
  return answer;
}

/// Returns the required outputs of an implementation whose sums are in another format.
inline std::vector<StoredTensor> run_with_sums_in(const StoredCase& stored,
                                                  corpus::Accumulation accumulation) {
  const Case& c = stored.description.c;
  mutations::Sites sites;
  std::vector<StoredTensor> answer =
      plain::run_plain(c, recipes::inputs_of(c), {.accumulation = accumulation}, sites);
  std::erase_if(answer, [&](const StoredTensor& tensor) {
    return corpus::find(stored.expected, tensor.name) == nullptr ||
           !is_required(stored, tensor.name, {});
  });
  return answer;
}

inline std::vector<FailingOutput> failing_outputs_of(const StoredCase& stored,
                                                     const std::vector<StoredTensor>& answer) {
  return failing_outputs(stored, answer, check_case(stored, answer, {}),
                         tolerance_for_options(stored.description.c, {}));
}

}  // namespace normproof::verification::golden::gate
