#include "verification/agreement/agree.hpp"

#include "verification/agreement/operations.hpp"
#include "verification/agreement/primitives.hpp"
#include "verification/agreement/random_cases.hpp"
#include "verification/agreement/trajectory.hpp"
#include "verification/golden/recipes/case_inputs.hpp"
#include "verification/golden/recipes/corpus.hpp"

namespace normproof::verification::agreement {

Rows agree_ordered(gpu::device::Device& device, std::uint64_t seed, golden::corpus::Tier tier,
                   const Finished& finished) {
  Rows rows;
  const auto finish = [&] { finished(rows.last()); };
  agree_on_primitives(device, seed, rows, finish);
  const std::vector<golden::corpus::Case> corpus = golden::recipes::corpus(tier);
  for (const std::string& operation : ref::model::operation_names()) {
    for (const golden::corpus::Case& c : corpus) {
      if (golden::corpus::op_of(c) != operation) continue;
      const std::string name = golden::corpus::path_of(c);
      agree_on_operation(device, c.options, golden::recipes::inputs_of(c, name), name, rows);
    }
    for_each_random_case(seed, operation, [&](const RandomCase& c) {
      agree_on_operation(device, c.operation, c.inputs, c.name, rows);
    });
    if (rows.last().operation == operation) finish();
  }
  agree_on_training(device, seed, rows);
  finish();
  return rows;
}

}  // namespace normproof::verification::agreement
