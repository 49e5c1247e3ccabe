#include "verification/operands/operands.hpp"

namespace normproof::verification::operands {

bool takes_mask(std::string_view function) {
  return function == "softmax" || function == "log_sum_exp";
}

bool takes_gate(std::string_view function) {
  return function == "swiglu" || function == "geglu";
}

}  // namespace normproof::verification::operands
