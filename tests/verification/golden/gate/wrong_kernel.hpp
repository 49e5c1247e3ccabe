#pragma once

#include <cmath>
#include <functional>
#include <span>
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

/// The statistics by which a wrong norm normalizes a row: it divides by sqrt(square + eps).
struct RowStatistics {
  double mean, square;
};

/// Returns the right outputs with y of a norm in float32 whose statistics are wrong, with eps 1e-5.
inline std::vector<StoredTensor> norm_with_statistics(
    const StoredCase& stored,
    const std::function<RowStatistics(std::span<const double> row)>& statistics) {
  const Case& c = stored.description.c;
  const std::vector<double> x = find_tensor_values(c.inputs, "x"),
                            gamma = find_tensor_values(c.inputs, "gamma"),
                            beta = find_tensor_values(c.inputs, "beta");
  const std::size_t width = gamma.size();
  return change_output(run_mutation(c, {}), "y", [&](double, std::size_t i) {
    const RowStatistics row = statistics(std::span(x).subspan(i / width * width, width));
    const double x_hat = (x[i] - row.mean) / std::sqrt(row.square + 1e-5);
    const double y = x_hat * gamma[i % width] + (beta.empty() ? 0 : beta[i % width]);
    return static_cast<double>(static_cast<float>(y));
  });
}

/// Returns the sum of the squared distances from the mean.
inline double sum_of_squares(std::span<const double> row, double mean = 0) {
  double squares = 0;
  for (const double x : row) squares += (x - mean) * (x - mean);
  return squares;
}

inline double mean_of(std::span<const double> row) {
  double sum = 0;
  for (const double x : row) sum += x;
  return sum / static_cast<double>(row.size());
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
