#include "verification/checks/agreement/agree.hpp"

#include <variant>

#include "verification/checks/agreement/device_functions.hpp"
#include "verification/checks/agreement/operations.hpp"
#include "verification/checks/agreement/primitives.hpp"
#include "verification/checks/agreement/random_cases.hpp"
#include "verification/checks/agreement/trajectory.hpp"
#include "verification/golden/recipes/case_inputs.hpp"
#include "verification/golden/recipes/corpus.hpp"

namespace normproof::verification::checks::agreement {

/// Whether a device computes the operation with the options of the case.
static bool is_on_device(const golden::corpus::Case& c) {
  const auto* const function = std::get_if<ref::model::FunctionOptions>(&c.options);
  return function == nullptr || runs_on_device(*function);
}

std::vector<std::string> list_rows_in_order() {
  std::vector<std::string> names;
  for (const Primitive& primitive : primitives()) names.push_back(primitive.name);
  for (const std::string& operation : operations_on_device()) names.push_back(operation);
  for (const TrainingTask task : kTrainingTasks) names.push_back(row_name(task));
  return names;
}

Rows compare_ordered_mode(gpu::device::Device& device, std::uint64_t seed,
                          golden::corpus::Tier tier, const golden::corpus::PathGlobs& only,
                          const Finished& finished) {
  Rows rows;
  const auto finish = [&] { finished(rows.last()); };
  for (const Primitive& primitive : primitives()) {
    if (!only.match(primitive.name)) continue;
    primitive.agree_on(device, seed, rows);
    finish();
  }
  const std::vector<golden::corpus::Case> corpus = golden::recipes::corpus(tier);
  for (const std::string& operation : operations_on_device()) {
    if (!only.match(operation)) continue;
    bool compared = false;
    for (const golden::corpus::Case& c : corpus) {
      if (golden::corpus::case_operation_name(c) != operation || !is_on_device(c)) continue;
      const std::string name = golden::corpus::case_folder(c);
      compare_operation(device, c.options, golden::recipes::inputs_of(c, name), name, rows);
      compared = true;
    }
    for_each_random_case(seed, operation, [&](const RandomCase& c) {
      compare_operation(device, c.operation, c.inputs, c.name, rows);
      compared = true;
    });
    if (compared) finish();
  }
  for (const TrainingTask task : kTrainingTasks) {
    if (!only.match(row_name(task))) continue;
    compare_training(device, seed, task, rows);
    finish();
  }
  return rows;
}

}  // namespace normproof::verification::checks::agreement
