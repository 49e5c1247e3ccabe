#include "verification/operands/optional_operands.hpp"

#include "verification/operands/operands.hpp"

namespace normproof::verification::operands {

std::vector<std::string> accepted_operands(std::string_view function) {
  std::vector<std::string> names = {function == "cross_entropy" ? "class_weights" : "grad_y"};
  if (adds_residual(function)) names.insert(names.end(), {"grad_sum", "gamma", "beta"});
  if (takes_mask(function)) names.emplace_back("valid");
  return names;
}

}  // namespace normproof::verification::operands
