#include "verification/operands/operands.hpp"

namespace normproof::verification::operands {

std::vector<std::string> operands_of(std::string_view function) {
  if (function == "attention") return {"q", "k", "v"};
  if (takes_gate(function)) return {"x", "gate"};
  return {"x"};
}

bool takes_mask(std::string_view function) {
  return function == "softmax" || function == "log_sum_exp" || function == "attention";
}

bool takes_gate(std::string_view function) {
  return function == "swiglu" || function == "geglu";
}

}  // namespace normproof::verification::operands
