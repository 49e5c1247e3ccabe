#pragma once

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "verification/golden/plain/plain_arithmetic.hpp"
#include "verification/golden/plain/plain_math.hpp"
#include "verification/golden/plain/plain_one_pass.hpp"
#include "verification/golden/plain/plain_rows.hpp"

namespace normproof::verification::golden::plain {

/// The cross-entropy over all rows that are not ignored, and its gradient with respect to the
/// logits, written with simple loops.
template <class T>
class PlainLoss {
 public:
  using Op = MutationOperator;

  PlainLoss(const ref::model::FunctionInputs& in, const ref::model::CrossEntropyOptions& options,
            DType dtype, const Style& style, Sites& sites)
      : targets_(in.targets),
        a_(style, sites, ref::io::item_size(dtype) > 2),
        sites_(sites),
        options_(options),
        smoothing_(static_cast<T>(options.loss.label_smoothing)) {
    const auto& logits = in.tensors.at("logits");
    rows_ = logits.shape(0), classes_ = logits.shape(1);
    for (const double x : logits) x_.push_back(capped(static_cast<T>(x)));
    weights_.assign(classes_, T(1));
    if (const auto* const given = in.tensors.find("class_weights")) {
      weighted_ = true;
      for (std::size_t c = 0; c < classes_; ++c) weights_[c] = static_cast<T>(given->data()[c]);
    }
    counts_.assign(rows_, true);
    if (ref::tensor::is_given(in.valid)) {
      masked_ = true;
      counts_.assign(in.valid.begin(), in.valid.end());
    }
    read_rows("reading logits", {rows_, 1, classes_}, x_, sites_);
    all_classes_ = indices(classes_);
  }

  /// Offers the errors of kernels that have the options of cross_entropy, beside those of models.
  void offer_errors_of_options() {
    if (!has_z_loss() && sites_.any("absent z-loss", {Op::insert}) == Op::insert)
      options_.z_loss = 1e-4;
  }

  void run() {
    std::vector<std::size_t> real;
    for (std::size_t i = 0; i < rows_; ++i)
      if (!masked_ || sites_.mask("mask of the loss", counts_[i])) real.push_back(i);
    const T divisor = mean_divisor(real);
    smooths_ignored_rows_ = masked_ && has_smoothing() &&
                            sites_.any("smoothing of ignored rows", {Op::insert}) == Op::insert;
    grad_.assign(x_.size(), T(0));
    for (std::size_t i = 0; i < rows_; ++i) add_row(i, divisor);
    if (options_.reduction == ref::model::LossReduction::none) {
      store_every_loss();
    } else {
      T sum = a_.sum("sum of the loss", real, [&](std::size_t i) { return losses_[i]; });
      for (const T smoothing : ignored_smoothing_) sum += smoothing;
      loss_ = {is_mean() ? a_.over(sum, divisor) : sum / divisor};
      if (has_z_loss()) {
        const T squares = a_.sum("sum of the z-losses", real, [&](std::size_t i) { return z_[i]; });
        loss_[0] += is_mean() ? a_.over(squares, z_divisor_) : squares;
      }
    }
    for (std::size_t i = 0; i < slopes_.size(); ++i) grad_[i] *= slopes_[i];
    write_rows("grad_logits", {rows_, 1, classes_}, grad_, sites_);
  }

  const std::vector<T>& loss() const { return loss_; }
  const std::vector<T>& grad() const { return grad_; }
  std::size_t rows() const { return rows_; }
  std::size_t classes() const { return classes_; }

 private:
  static std::vector<std::size_t> indices(std::size_t count) {
    std::vector<std::size_t> all(count);
    for (std::size_t i = 0; i < count; ++i) all[i] = i;
    return all;
  }
  static T number(std::size_t n) { return static_cast<T>(static_cast<double>(n)); }

  bool has_smoothing() const { return smoothing_ > 0; }
  bool has_z_loss() const { return options_.z_loss > 0; }
  bool is_mean() const { return options_.reduction == ref::model::LossReduction::mean; }

  /// Returns a logit with its cap, and stores the derivative of the cap.
  T capped(T x) {
    if (!options_.soft_cap) return x;
    const T cap = sites_.constant("given cap", static_cast<T>(*options_.soft_cap));
    const T t = adl_tanh(x / cap), slope = 1 - t * t;
    switch (sites_.any("soft cap in the backward", {Op::drop, Op::square})) {
      case Op::drop:
        slopes_.push_back(T(1));
        break;
      case Op::square:
        slopes_.push_back(slope * slope);
        break;
      default:
        slopes_.push_back(slope);
    }
    switch (sites_.any("soft cap", {Op::drop, Op::inverted, Op::zeroed, Op::clip, Op::square})) {
      case Op::drop:
        return x;
      case Op::inverted:  // error: the cap multiplies where it should divide
        return cap * adl_tanh(x * cap);
      case Op::zeroed:  // error: tanh is not multiplied by the cap
        return t;
      case Op::square:  // error: tanh is multiplied by the logit
        return x * t;
      case Op::clip:  // error: a logit is cut off at the cap
        return x < -cap ? -cap : cap < x ? cap : x;
      default:
        return cap * t;
    }
  }

  /// Stores each loss. An injected error stores those of ignored rows, or their mean.
  void store_every_loss() {
    const bool keeps_ignored =
        masked_ && sites_.any("losses of ignored rows", {Op::insert}) == Op::insert;
    for (std::size_t i = 0; i < rows_; ++i) {
      const bool counts = !masked_ || counts_[i] || keeps_ignored;
      loss_.push_back(counts ? losses_[i] + (has_z_loss() ? z_[i] : T(0)) : T(0));
    }
  }

  /// Returns the z-loss of a row, and stores what its gradient multiplies.
  T z_loss(T sum_exp) {
    const T factor = sites_.factor("factor of the z-loss", static_cast<T>(options_.z_loss));
    switch (sites_.any("z-loss", {Op::drop, Op::other})) {
      case Op::drop:
        z_slope_ = T(0);
        return T(0);
      case Op::other:  // error: the log-sum-exp itself instead of its square
        z_slope_ = factor;
        return factor * sum_exp;
      default:
        z_slope_ =
            (sites_.any("2 in the gradient of the z-loss", {Op::drop}) == Op::drop ? T(1) : T(2)) *
            factor * sum_exp;
        return sum_exp * sum_exp * factor;
    }
  }

  std::size_t target(std::size_t i) {
    const auto t = static_cast<std::size_t>(targets_[i]);
    // Errors that can be injected: the target of the next row, as in next-token prediction, or the
    // next class.
    switch (sites_.any("target of a row", {Op::other, Op::one_more})) {
      case Op::other:
        return static_cast<std::size_t>(targets_[(i + 1) % rows_]);
      case Op::one_more:
        return (t + 1) % classes_;
      default:
        return t;
    }
  }
  T weight(std::size_t c) {
    return weighted_ ? sites_.factor("class weight of the target", weights_[c]) : weights_[c];
  }

  /// Returns the number by which the sum of losses is divided: the sum of the class weights of all
  /// targets.
  T mean_divisor(const std::vector<std::size_t>& real) {
    z_divisor_ = number(real.size());
    if (!is_mean()) {
      // An injected error divides by the number of rows: a mean instead of a sum.
      return sites_.any("sum of the losses", {Op::insert}) == Op::insert ? z_divisor_ : T(1);
    }
    const T divisor = unsharded_mean_divisor(real);
    if (has_z_loss() && weighted_ && sites_.any("divisor of the z-loss", {Op::other}) == Op::other)
      z_divisor_ = divisor;
    switch (
        sites_.any("mean loss of several shards", {Op::twice, Op::four_times, Op::eight_times})) {
      case Op::twice:
        return divisor / 2;
      case Op::four_times:
        return divisor / 4;
      case Op::eight_times:
        return divisor / 8;
      default:
        return divisor;
    }
  }
  T unsharded_mean_divisor(const std::vector<std::size_t>& real) {
    mutations::OfferedOperators offered = {Op::drop, Op::one_less};
    if (weighted_) offered.push_back(Op::other);
    if (masked_) offered.push_back(Op::insert);
    switch (sites_.any("divisor of the mean loss", offered.span())) {
      case Op::drop:  // error: a sum instead of a mean
        return T(1);
      case Op::one_less:
        return number(real.size()) - 1;
      case Op::other:  // error: the number of rows
        return number(real.size());
      case Op::insert:  // error: the number of rows, including ignored rows
        return number(rows_);
      default:
        if (!weighted_) return number(real.size());
        return a_.sum("sum of the weights", real, [&](std::size_t i) { return weight(target(i)); });
    }
  }

  T exponential(T x) {
    using std::exp2;
    return a_.style().powers ? exp2(x * static_cast<T>(std::numbers::log2e)) : adl_exp(x);
  }

  void add_row(std::size_t i, T divisor) {
    const T* const x = &x_[i * classes_];
    T largest = x[0];
    for (std::size_t c = 0; c < classes_; ++c) largest = largest < x[c] ? x[c] : largest;
    if (sites_.any("largest logit", {Op::drop}) == Op::drop) largest = 0;
    T sum = a_.style().welford ? sum_exp_in_one_pass(x)
                               : a_.sum("sum of exponentials", all_classes_,
                                        [&](std::size_t c) { return exponential(x[c] - largest); });
    const auto logit = [&](std::size_t c) { return x[c]; };
    BlockLengths lengths = lengths_before_maximum(classes_, logit);
    // The rows of a model favor the same ones of its few words (six in the quick tier), so that all
    // maxima may lie in the first block. The cases of cross_entropy with five classes would show
    // longer blocks, but these loops also serve the models.
    if (classes_ < 16) lengths.end = std::min<std::size_t>(lengths.end, 2);
    if (const auto length = length_of_blocks(kNotRescaledSum, classes_, lengths, sites_))
      sum = sum_without_rescaling(x, *length);
    T log = adl_log(sum);
    if (sites_.any("logarithm of the sum", {Op::other}) == Op::other)
      log = log * static_cast<T>(std::numbers::log2e);
    // Fused kernels store the single number log_sum_exp for the backward pass.
    const bool one = a_.style().from_y;
    const T sum_exp = largest + sites_.term("log of the sum", log);
    const auto log_p = [&](std::size_t c) {
      return one ? x[c] - sum_exp : (x[c] - largest) - sites_.term("log of the sum", log);
    };
    const std::size_t t = target(i);
    const T w = weight(t);
    T hard = sites_.weight("1 - label smoothing", 1 - smoothing_);
    const T share = smoothing_per_class();
    const bool spares_target =
        has_smoothing() && sites_.any("smoothing of the target", {Op::drop}) == Op::drop;
    const auto smoothed = [&](std::size_t c) {
      return spares_target && c == t ? T(0) : smoothing_weight(c);
    };
    T loss = hard * (w * -log_p(t));
    if (has_smoothing()) {
      const T own =
          sites_.term("smoothing in the loss",
                      share * a_.sum("sum of the smoothing", all_classes_,
                                     [&](std::size_t c) { return smoothed(c) * -log_p(c); }));
      loss += own;
      if (smooths_ignored_rows_ && !counts_[i]) ignored_smoothing_.push_back(own);
    }
    losses_.push_back(loss);
    if (has_z_loss()) z_.push_back(z_loss(sum_exp));
    const bool counts = !masked_ || sites_.mask("mask of the gradient", counts_[i]);
    if (!counts && !smooths_ignored_rows_) return;
    if (!counts) hard = T(0);
    // If all weights are 1, the smoothed targets sum to 1 whatever the smoothing is.
    const auto sum_of_all = [&] {
      return weighted_ ? a_.sum("sum of all weights", all_classes_, smoothed)
                       : number(classes_ - (spares_target ? 1 : 0));
    };
    const T total_weight = hard * w + (has_smoothing() ? share * sum_of_all() : T(0));
    const bool mean = !is_mean() || sites_.any("division of the gradient", {Op::drop}) != Op::drop;
    for (std::size_t c = 0; c < classes_; ++c) {
      const T p = a_.style().divide || one ? exponential(log_p(c))
                                           : a_.over(exponential(x[c] - largest), sum);
      T q = has_smoothing() ? sites_.term("smoothing in the gradient", share * smoothed(c)) : T(0);
      if (c == t) q += sites_.term("1 at the target", hard * w);
      const T g =
          sites_.factor("softmax in the gradient", p) *
              (weighted_ ? sites_.factor("weight of the softmax", total_weight) : total_weight) -
          q;
      T& own = grad_[i * classes_ + c];
      own = !mean ? g : is_mean() ? a_.over(g, divisor) : g / divisor;
      if (has_z_loss())
        own += sites_.term("z-loss in the gradient",
                           p * (is_mean() ? a_.over(z_slope_, z_divisor_) : z_slope_));
    }
  }

  /// Returns the probability that label smoothing gives each class: `s / C`, with the smoothing s
  /// and C classes.
  T smoothing_per_class() {
    if (!has_smoothing()) return T(0);
    switch (sites_.any("label smoothing of a class", {Op::drop, Op::one_less})) {
      case Op::drop:
        return smoothing_;
      case Op::one_less:  // error: the target gets nothing
        return smoothing_ / (number(classes_) - 1);
      default:
        return a_.over(smoothing_, number(classes_));
    }
  }
  T smoothing_weight(std::size_t c) {
    return weighted_ ? sites_.factor("class weight in the smoothing", weights_[c]) : weights_[c];
  }

  /// Returns the sum of exponentials with an injected error: a pass over blocks does not rescale
  /// the old sum when the maximum grows.
  T sum_without_rescaling(const T* x, std::size_t length) {
    const std::vector<T> largest =
        running_maxima(classes_, length, [&](std::size_t c) { return x[c]; });
    T sum = 0;
    for (std::size_t c = 0; c < classes_; ++c)
      if (static_cast<double>(x[c]) != -std::numeric_limits<double>::infinity())
        sum += exponential(x[c] - largest[c]);
    return sum;
  }

  T sum_exp_in_one_pass(const T* x) {
    T largest = x[0], sum = 0;
    for (std::size_t c = 0; c < classes_; ++c) {
      if (static_cast<double>(x[c]) == -std::numeric_limits<double>::infinity()) continue;
      if (largest < x[c]) {
        sum *= exponential(largest - x[c]);
        largest = x[c];
      }
      sum += exponential(x[c] - largest);
    }
    return sum;
  }

  std::vector<int> targets_;
  PlainArithmetic<T> a_;
  Sites& sites_;
  ref::model::CrossEntropyOptions options_;
  T smoothing_;
  T z_slope_ = 0, z_divisor_ = 1;  ///< 2 z e of the row; the number of rows of a mean
  std::size_t rows_ = 0, classes_ = 0;
  std::vector<T> x_, weights_, losses_, loss_, grad_;
  std::vector<T> z_, slopes_;  ///< the z-losses of the rows; the derivatives of the cap
  std::vector<bool> counts_;
  /// The label-smoothing terms of ignored rows. Only an injected error adds them to the loss.
  std::vector<T> ignored_smoothing_;
  bool weighted_ = false, masked_ = false, smooths_ignored_rows_ = false;
  std::vector<std::size_t> all_classes_;
};

}  // namespace normproof::verification::golden::plain
