#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/ops/reduce.hpp"
#include "gpu/train/cross_entropy.hpp"
#include "gpu/train/cross_entropy_kernels.hpp"
#include "ref/tensor/contract.hpp"

/// Code that two versions of the cross-entropy share: the version that stores all logits, and the
/// version that computes the logits of some rows at a time. Device version of
/// ref/train/loss_batch.hpp. The clauses are the same as in ref/train/cross_entropy.hpp.
namespace normproof::gpu::train {

/// The checked arguments of the loss for one batch, and the constants that the loss and its
/// gradient use. The constructor checks the arguments.
class LossBatch {
 public:
  LossBatch(std::string_view function, device::Device& device, const device::Shape& shape,
            const std::vector<int>& all_targets, const DeviceTensor<double>& class_weights,
            const ref::model::LossOptions& options)
      : classes_(shape[1]) {
    check_weights(function, class_weights);
    set_rows(function, device, shape[0], all_targets);
    const double s = options.label_smoothing;
    ref::tensor::check_option(function, "label_smoothing", s, s >= 0 && s <= 1,
                              "0 <= label_smoothing <= 1", ref::numeric::Clause::C4);
    weights_ =
        class_weights.is_given() ? class_weights : device::full_tensor(device, {classes_}, 1);
    kernel = {rows_.span(),
              targets_.span(),
              classes_,
              {weights_.span()},
              1.0 - s,
              s / static_cast<double>(classes_),
              0};
    sum_of_weights = ops::sum_elements(weights_);
    if (ops::find_first_not_finite(sum_of_weights) == 0)
      ref::numeric::contract_failure(function, "class_weights", "have a sum that overflows",
                                     "a finite sum", ref::numeric::Clause::C3);
    DeviceTensor<double> of_targets(device, {size()});
    device::launch_elements(device, size(), TargetWeight{kernel, of_targets.span()});
    total_weight = ops::sum_elements(of_targets);
    if (ops::find_first_not_positive(total_weight) == 0)
      ref::numeric::contract_failure(
          function, "class_weights",
          fmt::format("give the targets the sum {}", device::download_element(total_weight)),
          "a finite sum > 0", ref::numeric::Clause::C5);
  }
  LossBatch(const LossBatch&) = delete;
  LossBatch& operator=(const LossBatch&) = delete;

  /// Returns the number of rows that the loss does not ignore.
  std::size_t size() const { return rows_.size(); }
  /// Returns the number of rows before `row` that the loss does not ignore.
  std::size_t count_unignored_rows_before(std::size_t row) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(host_rows_, row) - host_rows_.begin());
  }
  /// Returns some of the rows that the loss does not ignore. These rows are numbered 0, 1, ...; the
  /// function returns the rows with the numbers `first` to `end - 1`. `begin` is the index in the
  /// batch of the first row of the logits.
  LossRows part(std::size_t begin, std::size_t first, std::size_t end) const {
    LossRows own = kernel;
    own.rows = {kernel.rows.data + first, end - first};
    own.targets = {kernel.targets.data + first, end - first};
    own.begin = begin;
    return own;
  }

  LossRows kernel{};
  DeviceTensor<double> sum_of_weights;  ///< [1]
  DeviceTensor<double> total_weight;    ///< [1]

 private:
  void check_weights(std::string_view function, const DeviceTensor<double>& given) const {
    if (!given.is_given()) return;
    const auto refuse = [&](const std::string& observation) {
      ref::numeric::contract_failure(
          function, "class_weights", observation,
          fmt::format("shape [{}], finite elements >= 0 and a finite sum", classes_),
          ref::numeric::Clause::C3);
    };
    if (given.shape() != device::Shape{classes_})
      refuse("has shape " + ref::tensor::to_string(given.shape()));
    if (const std::size_t c = ops::find_first_negative(given); c < classes_)
      refuse(fmt::format("has the element [{}] = {}", c, device::download(given).data()[c]));
  }

  void set_rows(std::string_view function, device::Device& device, std::size_t count,
                const std::vector<int>& all_targets) {
    if (all_targets.size() != count)
      ref::numeric::contract_failure(function, "targets",
                                     fmt::format("has {} elements", all_targets.size()),
                                     fmt::format("{}, one a row", count), ref::numeric::Clause::C2);
    std::vector<std::size_t> targets;
    targets.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const int t = all_targets[i];
      if (t == kIgnored) continue;
      if (t < 0 || static_cast<std::size_t>(t) >= classes_)
        ref::numeric::contract_failure(
            function, "targets", fmt::format("has the element [{}] = {}", i, t),
            fmt::format("a class 0 .. {}, or {} where the row is ignored", classes_ - 1, kIgnored),
            ref::numeric::Clause::C2);
      host_rows_.push_back(i);
      targets.push_back(static_cast<std::size_t>(t));
    }
    if (host_rows_.empty())
      ref::numeric::contract_failure(function, "targets", "ignores every row",
                                     "one at least that counts", ref::numeric::Clause::C5);
    rows_ = device::upload(device, host_rows_.data(), {host_rows_.size()});
    targets_ = device::upload(device, targets.data(), {targets.size()});
  }

  std::size_t classes_;
  std::vector<std::size_t> host_rows_;
  DeviceTensor<double> weights_;
  DeviceTensor<std::size_t> rows_, targets_;
};

/// Checks    that `values`, which are computed from the logits, are finite
inline void check_overflow(const DeviceTensor<double>& values, std::string_view what) {
  const std::size_t at = ops::find_first_not_finite(values);
  if (at < values.size())
    ref::numeric::contract_failure(
        "cross_entropy", "logits",
        fmt::format("make {} {}", what, device::download(values).data()[at]),
        "logits so near each other that it is finite", ref::numeric::Clause::C6);
}

}  // namespace normproof::gpu::train
