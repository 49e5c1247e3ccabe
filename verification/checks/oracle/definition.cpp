#include "verification/checks/oracle/definition.hpp"

#include <variant>

#include "ref/numeric/errors.hpp"
#include "verification/checks/oracle/cells.hpp"

namespace normproof::verification::checks::oracle {
namespace {

namespace model = ref::model;
using model::Mode;
using ref::numeric::Clause;
using ref::tensor::empty_tensor;
using ref::tensor::shape_of;

/// Normalizes each cell (a set of elements that share one mean and one variance). It divides by
/// sigma, as the mathematical definition does, instead of multiplying by 1/sigma. r and d are the
/// factors of batch renormalization.
template <class S>
struct Scaling {
  std::vector<S> location;  ///< the values that are subtracted
  std::vector<S> scale;     ///< the values by which the result is divided
};

template <class S>
class Definition {
 public:
  Definition(const Arguments<S>& arguments, const Mask& valid, Mode mode,
             const NamedTensors<oracle100>& state)
      : in_(arguments), valid_(valid), training_(mode == Mode::training), old_(state) {
    out_.state = state;
  }

  Evaluation<S> take() { return std::move(out_); }

  void operator()(const model::NoneOptions&) {
    out_.x_hat = in_.x;
    out_.y = in_.x;
  }

  void operator()(const model::LayerNormOptions& o) {
    normalize(cut(Partition::row), true, o.eps, {"mean", "", "rstd"});
    affine(o.zero_centred_gamma);
  }
  void operator()(const model::InstanceNormOptions& o) {
    normalize(cut(Partition::sample_channel), true, o.eps, {"mean", "", "rstd"});
    affine();
  }
  void operator()(const model::GroupNormOptions& o) {
    normalize(cut(Partition::sample_group, o.groups), true, o.eps, {"mean", "", "rstd"});
    affine();
  }
  void operator()(const model::RMSNormOptions& o) {
    if (o.storage != model::StorageFormat::float64)
      ref::numeric::contract_failure("oracle", "storage", "rounds", "float64, which does not",
                                     Clause::C12);
    normalize(cut(Partition::row), false, o.eps, {"", "", "rstd"});
    affine(o.zero_centred_gamma);
  }
  void operator()(const model::GroupScalingOptions& o) {
    normalize(cut(Partition::row_group, o.groups), false, o.eps, {"", "", "rstd"});
    out_.y = out_.x_hat;
  }

  void operator()(const model::ScaleNormOptions& o) {
    const StatisticsCells rows = cut(Partition::row);
    std::vector<S> length;
    for (const StatisticsCell& row : rows.cells) {
      S squares(oracle100(0));
      for (const std::size_t i : row.members) squares = squares + in_.x.data()[i] * in_.x.data()[i];
      length.push_back(check_and_take_root(squares + number(o.eps)));
    }
    divide(rows, in_.x, {}, length);
    record("rnorm", rows.shape, reciprocals(length));
    out_.y = empty_tensor<S>(shape_of(in_.x));
    for (std::size_t i = 0; i < out_.y.size(); ++i)
      out_.y.data()[i] = in_.gamma.data()[0] * out_.x_hat.data()[i];
  }

  void operator()(const model::DyTOptions&) {
    const S& alpha = in_.others.at("alpha").data()[0];
    out_.x_hat = empty_tensor<S>(shape_of(in_.x));
    for (std::size_t i = 0; i < in_.x.size(); ++i)
      out_.x_hat.data()[i] = tanh(S(alpha * in_.x.data()[i]));
    affine();
  }

  void operator()(const model::BatchNormOptions& o) {
    if (!training_)
      return normalize_by_running_statistics("running_mean", "running_variance", o.eps, in_.x);
    const StatisticsCells channels = cut(Partition::channel);
    const Moments moments = normalize(channels, true, o.eps, {"mean", "biased_variance", "rstd"});
    affine();
    move("running_mean", o.running_decay, moments.location);
    const std::size_t n = channels.cells.front().counted.size();
    std::vector<oracle100> variance = moments.square;
    if (o.unbiased_running_variance) {
      if (n < 2)
        ref::numeric::contract_failure("oracle", "valid", "has 1 valid row", "2 at least",
                                       Clause::C8);
      for (auto& v : variance) v = v * oracle100(n) / oracle100(n - 1);
    }
    move("running_variance", o.running_decay, variance);
  }

  void operator()(const model::PowerNormVOptions& o) {
    if (!training_) return normalize_by_running_statistics("", "running_psi2", o.eps, in_.x);
    const Moments moments =
        normalize(cut(Partition::channel), false, o.eps, {"", "quadratic_mean", "rstd"});
    affine();
    move("running_psi2", o.running_decay, moments.square);
  }

  void operator()(const model::BatchRenormOptions& o) {
    if (!training_)
      return normalize_by_running_statistics("running_mean", "running_variance", o.eps, in_.x);
    const StatisticsCells channels = cut(Partition::channel);
    const Moments moments = normalize(channels, true, o.eps, {"mean", "biased_variance", "rstd"});
    std::vector<oracle100> r;
    std::vector<oracle100> d;
    for (std::size_t c = 0; c < channels.cells.size(); ++c) {
      const oracle100 running_sigma =
          check_and_take_root(oracle100(old_statistic("running_variance", c) + oracle100(o.eps)));
      const oracle100 batch_sigma = root(oracle100(moments.square[c] + oracle100(o.eps)));
      r.push_back(limited(batch_sigma / running_sigma, 1 / oracle100(o.r_max), oracle100(o.r_max)));
      d.push_back(limited((moments.location[c] - old_statistic("running_mean", c)) / running_sigma,
                          -oracle100(o.d_max), oracle100(o.d_max)));
      for (const std::size_t i : channels.cells[c].members)
        out_.x_hat.data()[i] = out_.x_hat.data()[i] * S(r[c]) + S(d[c]);
    }
    record("r", channels.shape, r);
    record("d", channels.shape, d);
    affine();
    move("running_mean", o.running_decay, moments.location);
    move("running_variance", o.running_decay, moments.square);
  }

  void operator()(const model::PowerNormOptions& o) {
    if (!training_) return normalize_by_running_statistics("", "running_psi2", o.eps, in_.x);
    const oracle100 iteration = old_statistic("iterations", 0) + 1;
    const StatisticsCells channels = cut(Partition::channel);
    const std::vector<oracle100> psi2 = quadratic_means(channels, in_.x);
    const bool warm_up = iteration <= oracle100(o.warmup_iterations);
    scale_by_constants(channels, in_.x, warm_up ? psi2 : all_old_statistics("running_psi2"), o.eps);
    record("quadratic_mean", channels.shape, psi2);
    record("rstd", channels.shape, reciprocals(constants_));
    affine();
    move("running_psi2", o.alpha_forward, psi2);
    set_iterations(iteration);
  }

  void operator()(const model::PowerNormReleasedOptions& o) {
    Tensor<S> scaled = in_.x;
    std::vector<S> group_scale;
    StatisticsCells groups;
    if (o.group_scaling) {
      groups = cut(Partition::row_group, o.groups);
      group_scale = root_mean_squares(groups, in_.x, o.group_eps);
      divide(groups, in_.x, {}, group_scale);
      scaled = out_.x_hat;
    }
    if (!training_) {
      normalize_by_running_statistics("", "running_psi2", o.eps, scaled);
    } else {
      const oracle100 k = old_statistic("iterations", 0) + 1;
      const oracle100 warm_up(o.warmup_iterations);
      const StatisticsCells channels = cut(Partition::channel);
      const std::vector<oracle100> psi2 = quadratic_means(channels, scaled);
      scale_by_constants(channels, scaled, k <= warm_up ? psi2 : all_old_statistics("running_psi2"),
                         o.eps);
      std::vector<oracle100> batch_rstd;
      batch_rstd.reserve(psi2.size());
      for (const auto& v : psi2)
        batch_rstd.push_back(1 / check_and_take_root(oracle100(v + oracle100(o.eps))));
      record("quadratic_mean", channels.shape, psi2);
      record("rstd", channels.shape, reciprocals(constants_));
      record("batch_rstd", channels.shape, batch_rstd);
      // If both the cumulative mean and the moving average are used, they are one moving average
      // that multiplies the old value by alpha (k-1)/k.
      oracle100 kept(o.alpha_forward);
      if (o.cumulative_warmup_average && k < warm_up) kept = kept * (k - 1) / k;
      move("running_psi2", kept, psi2);
      set_iterations(k);
      affine();
    }
    if (o.group_scaling) record("group_rstd", groups.shape, reciprocals(group_scale));
  }

 private:
  struct Names {
    const char* location;
    const char* square;
    const char* rstd;
  };
  struct Moments {
    std::vector<oracle100> location;
    std::vector<oracle100> square;
  };

  static S number(double x) { return S(oracle100(x)); }

  template <class U>
  static U check_and_take_root(const U& x) {
    if (!(value_of(x) > 0))
      ref::numeric::contract_failure("oracle", "x", "makes a statistic + eps 0", "more than 0",
                                     Clause::C2);
    return root(x);
  }
  static oracle100 limited(const oracle100& x, const oracle100& lower, const oracle100& upper) {
    return x < lower ? lower : upper < x ? upper : x;
  }

  StatisticsCells cut(Partition kind, std::int64_t groups = 1) const {
    return partition(kind, shape_of(in_.x), groups < 1 ? 0 : static_cast<std::size_t>(groups),
                     valid_);
  }

  template <class U>
  void record(const char* name, const Shape& shape, const std::vector<U>& values) {
    Tensor<oracle100> t = empty_tensor<oracle100>(shape);
    for (std::size_t i = 0; i < values.size(); ++i) t.data()[i] = value_of(values[i]);
    out_.statistics.set(name, t);
  }
  template <class U>
  static std::vector<oracle100> reciprocals(const std::vector<U>& scale) {
    std::vector<oracle100> result;
    result.reserve(scale.size());
    for (const auto& s : scale) result.push_back(1 / value_of(s));
    return result;
  }

  const oracle100& old_statistic(const char* name, std::size_t i) const {
    return old_.at(name).data()[i];
  }
  std::vector<oracle100> all_old_statistics(const char* name) const {
    const auto& t = old_.at(name);
    return {t.data(), t.data() + t.size()};
  }
  /// Updates a running statistic `old` to `old + (1 - decay) (now - old)`. The argument `now` is
  /// the statistic of this batch.
  void move(const char* name, const oracle100& decay, const std::vector<oracle100>& now) {
    auto& t = out_.state.at(name);
    for (std::size_t i = 0; i < now.size(); ++i)
      t.data()[i] = t.data()[i] + (1 - decay) * (now[i] - t.data()[i]);
  }
  void set_iterations(const oracle100& k) { out_.state.at("iterations").data()[0] = k; }

  S compute_mean(const StatisticsCell& cell, const Tensor<S>& x) const {
    S sum(oracle100(0));
    for (const std::size_t i : cell.counted) sum = sum + x.data()[i];
    return sum / S(oracle100(cell.counted.size()));
  }
  /// Returns the mean of `(x - about)^2` over the valid elements of the cell, with the argument
  /// `about`.
  S mean_square(const StatisticsCell& cell, const Tensor<S>& x, const S& about) const {
    S sum(oracle100(0));
    for (const std::size_t i : cell.counted)
      sum = sum + (x.data()[i] - about) * (x.data()[i] - about);
    return sum / S(oracle100(cell.counted.size()));
  }
  std::vector<S> root_mean_squares(const StatisticsCells& cells, const Tensor<S>& x,
                                   double eps) const {
    std::vector<S> result;
    for (const StatisticsCell& cell : cells.cells)
      result.push_back(check_and_take_root(mean_square(cell, x, S(oracle100(0))) + number(eps)));
    return result;
  }
  std::vector<oracle100> quadratic_means(const StatisticsCells& cells, const Tensor<S>& x) const {
    std::vector<oracle100> result;
    for (const StatisticsCell& cell : cells.cells)
      result.push_back(value_of(mean_square(cell, x, S(oracle100(0)))));
    return result;
  }

  void divide(const StatisticsCells& cells, const Tensor<S>& x, const std::vector<S>& location,
              const std::vector<S>& scale) {
    Tensor<S> x_hat = empty_tensor<S>(shape_of(x));
    for (std::size_t c = 0; c < cells.cells.size(); ++c)
      for (const std::size_t i : cells.cells[c].members)
        x_hat.data()[i] = (location.empty() ? x.data()[i] : x.data()[i] - location[c]) / scale[c];
    out_.x_hat = std::move(x_hat);
  }

  Moments normalize(const StatisticsCells& cells, bool centred, double eps, const Names& names) {
    std::vector<S> location;
    std::vector<S> scale;
    Moments moments;
    for (const StatisticsCell& cell : cells.cells) {
      const S about = centred ? compute_mean(cell, in_.x) : S(oracle100(0));
      const S square = mean_square(cell, in_.x, about);
      location.push_back(about);
      scale.push_back(check_and_take_root(square + number(eps)));
      moments.location.push_back(value_of(about));
      moments.square.push_back(value_of(square));
    }
    divide(cells, in_.x, location, scale);
    if (*names.location != '\0') record(names.location, cells.shape, moments.location);
    if (*names.square != '\0') record(names.square, cells.shape, moments.square);
    record(names.rstd, cells.shape, reciprocals(scale));
    return moments;
  }

  /// Divides x by sqrt(square + eps). The derivative treats `square` as a constant.
  void scale_by_constants(const StatisticsCells& channels, const Tensor<S>& x,
                          const std::vector<oracle100>& square, double eps) {
    constants_.clear();
    for (const auto& v : square)
      constants_.push_back(S(check_and_take_root(oracle100(v + oracle100(eps)))));
    divide(channels, x, {}, constants_);
  }

  /// Normalizes x by the running statistics.
  void normalize_by_running_statistics(const char* location, const char* square, double eps,
                                       const Tensor<S>& x) {
    const StatisticsCells channels = partition(Partition::channel, shape_of(x), 1, Mask());
    Tensor<S> shifted = x;
    if (*location != '\0')
      for (std::size_t c = 0; c < channels.cells.size(); ++c)
        for (const std::size_t i : channels.cells[c].members)
          shifted.data()[i] = x.data()[i] - S(old_statistic(location, c));
    scale_by_constants(channels, shifted, all_old_statistics(square), eps);
    record("rstd", channels.shape, reciprocals(constants_));
    affine();
  }

  /// Computes y = gamma x_hat + beta; if gamma is zero-centered, y = x_hat + gamma x_hat + beta.
  void affine(bool zero_centered = false) {
    const std::size_t d_model = in_.x.shape().back();
    out_.y = empty_tensor<S>(shape_of(in_.x));
    for (std::size_t i = 0; i < out_.y.size(); ++i) {
      S& y = out_.y.data()[i];
      y = in_.gamma.data()[i % d_model] * out_.x_hat.data()[i] + in_.beta.data()[i % d_model];
      if (zero_centered) y = y + out_.x_hat.data()[i];
    }
  }

  const Arguments<S>& in_;
  const Mask& valid_;
  bool training_;
  const NamedTensors<oracle100>& old_;
  std::vector<S> constants_;
  Evaluation<S> out_;
};

}  // namespace

template <class S>
Evaluation<S> evaluate(const model::NormOptions& options, const Arguments<S>& arguments,
                       const Mask& valid, Mode mode, const NamedTensors<oracle100>& state) {
  Definition<S> definition(arguments, valid, mode, state);
  std::visit(definition, options);
  return definition.take();
}

#define NORMPROOF_INSTANTIATE(S)                                                                  \
  template Evaluation<S> evaluate<S>(const model::NormOptions&, const Arguments<S>&, const Mask&, \
                                     Mode, const NamedTensors<oracle100>&);
NORMPROOF_INSTANTIATE(oracle100)
NORMPROOF_INSTANTIATE(Dual)
NORMPROOF_INSTANTIATE(Complex)
NORMPROOF_INSTANTIATE(Variable)
#undef NORMPROOF_INSTANTIATE

}  // namespace normproof::verification::checks::oracle
