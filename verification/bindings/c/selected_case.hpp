#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "verification/bindings/c/normproof.h"
#include "verification/golden/gate/check.hpp"

namespace normproof::verification::bindings::c {

/// A stored case, and the arrays to which the fields of normproof_case point.
class SelectedCase {
 public:
  explicit SelectedCase(std::shared_ptr<const golden::certify::StoredCase> stored);
  SelectedCase(const SelectedCase&) = delete;
  SelectedCase& operator=(const SelectedCase&) = delete;

  const golden::certify::StoredCase& stored() const { return *stored_; }
  const std::vector<std::pair<std::string, std::string>>& options() const { return options_; }
  normproof_case view() const;

 private:
  std::shared_ptr<const golden::certify::StoredCase> stored_;
  std::string op_, options_json_;
  std::vector<std::pair<std::string, std::string>> options_;
  std::vector<std::vector<std::int64_t>> shapes_;
  std::vector<normproof_tensor> inputs_;
};

/// The expected outputs of a case, and the arrays to which the fields of normproof_expected point.
class ExpectedValues {
 public:
  ExpectedValues(const golden::certify::StoredCase& stored,
                 const golden::gate::CheckOptions& options,
                 const golden::tolerance::Tolerance& bounds);
  ExpectedValues(const ExpectedValues&) = delete;
  ExpectedValues& operator=(const ExpectedValues&) = delete;

  const std::vector<normproof_expected>& outputs() const { return outputs_; }

 private:
  struct Elements {
    std::vector<std::int64_t> shape;
    std::vector<double> value, remainder, bound;
  };
  std::vector<std::unique_ptr<const Elements>> elements_;
  std::vector<normproof_expected> outputs_;
};

}  // namespace normproof::verification::bindings::c
