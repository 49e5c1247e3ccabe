#include "verification/golden/tolerance/merge_allowances.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "ref/model/attention_states.hpp"
#include "ref/nn/merge_attention_states.hpp"
#include "ref/numeric/elementary_array.hpp"
#include "verification/golden/tolerance/units.hpp"

namespace normproof::verification::golden::tolerance {

using corpus::accumulation_arithmetic;
using corpus::storage_format;
using ref::tensor::NamedTensors;
using ref::tensor::shape_of;
using ref::tensor::Tensor;

namespace {

class MergeAllowances {
 public:
  MergeAllowances(const Case& c, const checks::evaluation::FunctionInputs& in,
                  Accumulation accumulation, NamedTensors<double>& bound)
      : options_(std::get<ref::model::MergeAttentionStatesOptions>(
            std::get<ref::model::FunctionOptions>(c.options))),
        o_(in.tensors.at("o")),
        dy_(in.tensors.find("grad_y")),
        logs_(ref::model::split_states(in.tensors.at("log_sum_exp"))),
        bound_(bound),
        u_(accumulation_arithmetic(accumulation).unit_roundoff),
        states_(ref::model::attention_states("merge_attention_states", shape_of(o_),
                                             shape_of(logs_.finite), {})),
        forward_(ref::nn::merge_attention_states(o_, logs_.finite, logs_.present, options_)) {
    if (corpus::rounds_when_stored(c.dtype, accumulation))
      format_ = accumulation_arithmetic(storage_format(c.dtype));
    if (options_.log_sum_exp_base == ref::model::LogSumExpBase::two) unit_ = std::numbers::ln2;
  }

  void add() {
    for (std::size_t row = 0; row < states_.rows; ++row) add_row(row);
  }

 private:
  void add(const char* name, std::size_t i, double amount) {
    const double operations = 2 * static_cast<double>(states_.splits + states_.value_features + 8);
    double& bound = bound_.at(name).data()[i];
    bound += amount * operation_slack(operations, u_);
    // 0 times an infinite error is NaN. The bound is infinite in this case, too.
    if (std::isnan(bound)) bound = std::numeric_limits<double>::infinity();
  }
  bool is_present(std::size_t split, std::size_t row) const {
    return ref::model::is_present(logs_.present, states_.state(split, row));
  }

  void add_row(std::size_t row) {
    const std::size_t splits = states_.splits, width = states_.value_features;
    const auto count = static_cast<double>(splits);
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t p = 0; p < splits; ++p)
      if (is_present(p, row))
        largest = std::fmax(largest, logs_.finite.data()[states_.state(p, row)]);
    if (std::isinf(largest)) return;
    add("log_sum_exp", row, kOperationError * u_ * count * (std::fabs(largest) + 1 / unit_));
    std::vector<double> moved(splits);
    for (std::size_t p = 0; p < splits; ++p) {
      if (!is_present(p, row)) continue;
      const double apart = largest - logs_.finite.data()[states_.state(p, row)];
      const double exponent =
          kOperationError * u_ * (count * (std::fabs(largest) * unit_ + 1) + apart * unit_);
      moved[p] = weight(p, row) * exponent * ref::numeric::exp(exponent);
      for (std::size_t e = 0; e < width; ++e) {
        const std::size_t at = states_.state(p, row) * width + e;
        add("y", row * width + e, moved[p] * std::fabs(o_.data()[at]));
        if (dy_ != nullptr) add("grad_o", at, moved[p] * std::fabs(dy_->data()[row * width + e]));
      }
    }
    if (dy_ != nullptr) add_gradients_of_logs(row, moved);
  }

  double weight(std::size_t split, std::size_t row) const {
    return forward_.weights.data()[row * states_.splits + split];
  }

  /// Adds the errors of grad_log_sum_exp. `moved` are those of the weights of the splits.
  void add_gradients_of_logs(std::size_t row, const std::vector<double>& moved) {
    const std::size_t splits = states_.splits, width = states_.value_features;
    std::vector<double> gradients(splits);
    double mean = 0, mean_error = 0;
    for (std::size_t p = 0; p < splits; ++p) {
      if (!is_present(p, row)) continue;
      for (std::size_t e = 0; e < width; ++e)
        gradients[p] += dy_->data()[row * width + e] * o_.data()[states_.state(p, row) * width + e];
      mean += weight(p, row) * gradients[p];
      mean_error += moved[p] * std::fabs(gradients[p]);
    }
    for (std::size_t e = 0; e < width; ++e) {
      const double y = std::fabs(forward_.y.data()[row * width + e]);
      const double error = bound_.at("y").data()[row * width + e];
      const double stored =
          format_.unit_roundoff == 0 ? 0 : format_.unit_roundoff * (y + error + 2 * format_.tiny);
      mean_error += std::fabs(dy_->data()[row * width + e]) *
                    (error + stored + static_cast<double>(width) * u_ * y);
    }
    for (std::size_t p = 0; p < splits; ++p)
      if (is_present(p, row))
        add("grad_log_sum_exp", states_.state(p, row),
            unit_ * (moved[p] * (std::fabs(gradients[p] - mean) + mean_error) +
                     weight(p, row) * mean_error));
  }

  ref::model::MergeAttentionStatesOptions options_;
  const Tensor<double>& o_;
  const Tensor<double>* dy_;
  ref::model::SplitStates logs_;
  NamedTensors<double>& bound_;
  double u_;
  double unit_ = 1;  ///< the natural logarithm of the base
  ref::model::AttentionStates states_;
  ref::nn::MergedStates<double> forward_;
  ref::numeric::Arithmetic format_{.unit_roundoff = 0, .tiny = 0, .largest = 0};
};

}  // namespace

void add_merge_allowances(const Case& c, const checks::evaluation::FunctionInputs& inputs,
                          Accumulation accumulation, NamedTensors<double>& bound) {
  MergeAllowances(c, inputs, accumulation, bound).add();
}

}  // namespace normproof::verification::golden::tolerance
