#include "verification/bindings/c/selected_case.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "verification/bindings/c/boundary.hpp"
#include "verification/golden/gate/judged_values.hpp"

namespace normproof::verification::bindings::c {

using golden::certify::StoredCase;
using golden::corpus::Case;
using ref::io::StoredTensor;

SelectedCase::SelectedCase(std::shared_ptr<const StoredCase> stored) : stored_(std::move(stored)) {
  const Case& c = stored_->description.c;
  op_ = golden::corpus::case_operation_name(c);
  nlohmann::json object = nlohmann::json::object();
  for (auto& [name, value] : ref::model::list_options(c.options)) {
    object[name] = value;
    options_.emplace_back(name, value);
  }
  options_json_ = object.dump();
  shapes_.reserve(c.inputs.size());
  for (const StoredTensor& tensor : c.inputs) {
    const auto& shape = shapes_.emplace_back(tensor.shape.begin(), tensor.shape.end());
    inputs_.push_back({tensor.name.c_str(), dtype_number(tensor.dtype),
                       static_cast<std::int32_t>(shape.size()), shape.data(), tensor.bytes.data(),
                       tensor.bytes.size()});
  }
}

normproof_case SelectedCase::view() const {
  const Case& c = stored_->description.c;
  return {stored_->description.path.c_str(),
          op_.c_str(),
          c.mode == golden::corpus::Mode::training ? "training" : "inference",
          options_json_.c_str(),
          c.why.c_str(),
          stored_->description.case_text.c_str(),
          dtype_number(c.dtype),
          c.sequence ? 1 : 0,
          inputs_.size(),
          inputs_.data()};
}

ExpectedValues::ExpectedValues(const StoredCase& stored, const golden::gate::CheckOptions& options,
                               const golden::tolerance::Tolerance& bounds) {
  for (const StoredTensor& tensor : stored.expected) {
    if (tensor.name.ends_with("_lo")) continue;
    auto exact = golden::gate::compute_judged_values(stored, stored.expected, tensor.name, bounds);
    auto elements = std::make_unique<Elements>();
    elements->shape.assign(tensor.shape.begin(), tensor.shape.end());
    for (std::size_t i = 0; i < exact.high.size(); ++i)
      elements->bound.push_back(!std::isfinite(exact.high[i])
                                    ? std::numeric_limits<double>::quiet_NaN()
                                    : exact.bound[i]);
    elements->value = std::move(exact.high);
    elements->remainder = std::move(exact.low);
    outputs_.push_back({tensor.name.c_str(), dtype_number(tensor.dtype),
                        golden::gate::is_required(stored, tensor.name, options) ? 1 : 0,
                        static_cast<std::int32_t>(elements->shape.size()), 0,
                        elements->shape.data(), elements->value.size(), elements->value.data(),
                        elements->remainder.data(), elements->bound.data()});
    elements_.push_back(std::move(elements));
  }
}

}  // namespace normproof::verification::bindings::c
