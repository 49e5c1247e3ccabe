#include "verification/agreement/agree.hpp"

#include "verification/agreement/operations.hpp"
#include "verification/agreement/primitives.hpp"
#include "verification/agreement/random_cases.hpp"
#include "verification/agreement/trajectory.hpp"
#include "verification/golden/corpus.hpp"

namespace normproof::verification::agreement {

Agreement agree_ordered(gpu::device::Device& device, std::uint64_t seed,
                        const std::function<void(std::string_view part)>& begin) {
  Agreement result;
  begin("primitives");
  agree_on_primitives(device, seed, result.rows);
  begin("golden corpus");
  for (const golden::Case& c : golden::corpus(golden::Tier::quick)) {
    const std::string name = golden::path_of(c);
    if (!agree_on_operation(device, c.options, golden::inputs_of(c, name), name, result.rows))
      ++result.left_out;
  }
  begin("random cases");
  for_each_random_case(seed, [&](const RandomCase& c) {
    agree_on_operation(device, c.operation, c.inputs, c.name, result.rows);
  });
  begin("training");
  agree_on_training(device, seed, result.rows);
  return result;
}

}  // namespace normproof::verification::agreement
