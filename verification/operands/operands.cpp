#include "verification/operands/operands.hpp"

namespace normproof::verification::operands {

std::vector<std::string> required_operands(std::string_view function) {
  if (function == "attention") return {"q", "k", "v"};
  if (function == "cross_entropy") return {"logits", "targets"};
  if (function == "rope") return {"x", "cos", "sin"};
  if (takes_gate(function)) return {"x", "gate"};
  if (adds_residual(function)) return {"x", "residual"};
  return {"x"};
}

bool takes_mask(std::string_view function) {
  return function == "softmax" || function == "log_sum_exp" || function == "attention" ||
         function == "cross_entropy";
}

bool takes_gate(std::string_view function) {
  return function == "swiglu" || function == "geglu";
}

bool adds_residual(std::string_view function) {
  return function == "add_layer_norm" || function == "add_rms_norm";
}

}  // namespace normproof::verification::operands
