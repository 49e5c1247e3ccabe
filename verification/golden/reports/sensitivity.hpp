#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "verification/golden/gate/case_result.hpp"

namespace normproof::verification::golden::reports {

/// The errors that the cases of an operation in a dtype find in one of its outputs.
struct OutputSensitivity {
  std::string operation;
  ref::io::DType dtype = ref::io::DType::float64;
  std::string output;
  /// The smallest relative error of all elements of the output that a case finds. Infinite if no
  /// case verifies an element that is not 0.
  double smallest_found_error = std::numeric_limits<double>::infinity();
  std::string found_by = {};     ///< the path of the case that finds this error
  std::size_t cases = 0;         ///< number of cases that have the output
  std::size_t elements = 0;      ///< number of verified elements
  std::size_t accept_zeros = 0;  ///< number of elements whose bounds accept zeros
};

/// Collects the errors that cases find, from results in which every output passed.
class Sensitivity {
 public:
  /// Adds the outputs of a case. An output that failed is left out.
  void add(const gate::CaseResult& result);

  /// Returns the outputs in the order of operation, dtype and name.
  std::vector<OutputSensitivity> outputs() const;

 private:
  std::map<std::tuple<std::string, ref::io::DType, std::string>, OutputSensitivity> outputs_;
};

}  // namespace normproof::verification::golden::reports
