#pragma once

#include <variant>

#include "verification/golden/plain/plain_math.hpp"
#include "verification/golden/plain/plain_step.hpp"

namespace normproof::verification::golden::plain {

namespace model = ref::model;

/// The norm layers, each written from its specification.
template <class T>
class PlainNormLayers : public PlainNormStep<T> {
 public:
  using PlainNormStep<T>::PlainNormStep;

  void operator()(const model::NoneOptions&) {
    x_hat_ = x_;
    store("y", x_);
    if (!dy_.empty()) store("grad_x", dy_);
  }
  void operator()(const model::LayerNormOptions& o) {
    add_one_to_gamma(o.zero_centred_gamma);
    store_slices(normalize_rows(shape_.d_model, true, o.eps), true, o.eps);
  }
  void operator()(const model::RMSNormOptions& o) {
    add_one_to_gamma(o.zero_centred_gamma);
    store_slices(normalize_rows(shape_.d_model, false, o.eps), false, o.eps);
  }
  void operator()(const model::GroupScalingOptions& o) {
    store_slices(normalize_rows(group_width(o.groups), false, o.eps), false, o.eps);
  }
  void operator()(const model::ScaleNormOptions& o) {
    sum_not_mean_ = true;
    scalar_gamma_ = affine_;
    const auto s = normalize_rows(shape_.d_model, false, o.eps);
    store_rstd("rnorm", s.rstd, s.statistic, o.eps);
  }
  void operator()(const model::DyTOptions& o) {
    const auto given = others_.find("alpha");
    const T alpha0 = static_cast<T>(o.alpha0);
    const T alpha = given == others_.end()
                        ? alpha0
                        : sites_.pick("alpha0 in place of alpha", given->second[0], alpha0);
    x_hat_.resize(x_.size());
    for (std::size_t i = 0; i < x_.size(); ++i)
      x_hat_[i] = adl_tanh(sites_.factor("alpha", alpha) * x_[i]);
    affine("y");
    parameter_gradients(x_hat_);
    if (!dy_.empty()) differentiate_tanh(alpha);
  }
  void operator()(const model::InstanceNormOptions& o) {
    store_slices(normalize_cells(cut_samples(shape_, 1), true, o.eps), true, o.eps);
  }
  void operator()(const model::GroupNormOptions& o) {
    store_slices(normalize_cells(cut_groups(shape_, group_width(o.groups), sites_), true, o.eps),
                 true, o.eps);
  }
  void operator()(const model::BatchNormOptions& o) {
    if (!training_)
      return normalize_by_running_statistics("running_mean", "running_variance", o.eps);
    const auto s = normalize_cells(cut_columns(shape_), true, o.eps);
    store_slices(s, true, o.eps);
    store_square("biased_variance", s.statistic, s.n, o.eps);
    std::vector<T> variance = s.statistic;
    for (std::size_t d = 0; d < variance.size(); ++d) {
      const T n = s.n[d];
      const T bessel = o.unbiased_running_variance ? n / (n - 1) : T(1);
      variance[d] *= sites_.any("factor n/(n-1) of the running variance",
                                {MutationOperator::other}) == MutationOperator::other
                         ? (o.unbiased_running_variance ? T(1) : n / (n - 1))
                         : bessel;
    }
    move("running_mean", s.mean, o.running_decay);
    move("running_variance", variance, o.running_decay);
  }
  void operator()(const model::PowerNormVOptions& o) {
    if (!training_) return normalize_by_running_statistics("", "running_psi2", o.eps);
    const auto s = normalize_cells(cut_columns(shape_), false, o.eps);
    store_slices(s, false, o.eps);
    store_square("quadratic_mean", s.statistic, s.n, o.eps);
    move("running_psi2", s.statistic, o.running_decay);
  }
  void operator()(const model::BatchRenormOptions& o) {
    nan_in_statistics_ = false;  // norm_corpus.cpp explains why
    if (!training_)
      return normalize_by_running_statistics("running_mean", "running_variance", o.eps);
    auto s = statistics(choose(cut_columns(shape_), cut_rows(shape_, shape_.d_model)), true, o.eps,
                        true);
    run_batch_renorm(s, o);
    store_slices(s, true, o.eps);
    store_square("biased_variance", s.statistic, s.n, o.eps);
    move("running_mean", s.mean, o.running_decay);
    move("running_variance", s.statistic, o.running_decay);
  }
  void operator()(const model::PowerNormOptions& o) {
    if (!training_) return normalize_by_running_statistics("", "running_psi2", o.eps);
    const auto s = statistics(cut_columns(shape_), false, o.eps, true);
    const T iteration = state_["iterations"][0] + 1;
    const bool warm = is_after_warmup(iteration, o.warmup_iterations);
    std::vector<T> old_psi2 = state_["running_psi2"];
    const T forward = static_cast<T>(o.alpha_forward), backward = static_cast<T>(o.alpha_backward);
    move("running_psi2", s.statistic, sites_.pick("alpha_forward", forward, backward));
    store_square("quadratic_mean", s.statistic, s.n, o.eps);
    compute_running_rstd(s.rstd, old_psi2, o.eps, warm);
    store_rstd("rstd", rstd_, warm ? s.statistic : old_psi2, o.eps);
    scale_columns(x_);
    affine("y");
    approximate_backward(sites_.pick("alpha_backward", backward, forward), true, false, rstd_);
    state_["iterations"] = {iteration};
  }
  void operator()(const model::PowerNormReleasedOptions& o) {
    grad_x_is_delayed_ = true;  // group scaling still changes grad_x
    std::vector<T> group_rstd;
    const std::size_t width = group_width(o.groups);
    if (o.group_scaling) group_rstd = apply_group_scaling(width, o.group_eps);
    if (!training_) {
      normalize_by_running_statistics("", "running_psi2", o.eps);
    } else {
      const auto s = statistics(cut_columns(shape_), false, o.eps, true);
      const T k = state_["iterations"][0] + 1;
      const bool warm = is_after_warmup(k, o.warmup_iterations);
      std::vector<T> old_psi2 = state_["running_psi2"];
      const bool cumulative = o.cumulative_warmup_average &&
                              k < static_cast<T>(static_cast<double>(o.warmup_iterations));
      if (cumulative && sites_.any("cumulative average of the warm-up", {MutationOperator::drop}) ==
                            MutationOperator::none)
        for (std::size_t d = 0; d < shape_.d_model; ++d)
          state_["running_psi2"][d] =
              state_["running_psi2"][d] * ((k - 1) / k) + a_.over(s.statistic[d], k);
      const T forward = static_cast<T>(o.alpha_forward),
              backward = static_cast<T>(o.alpha_backward);
      move("running_psi2", s.statistic, sites_.pick("alpha_forward", forward, backward));
      store_square("quadratic_mean", s.statistic, s.n, o.eps);
      store_rstd("batch_rstd", s.rstd, s.statistic, o.eps);
      compute_running_rstd(s.rstd, old_psi2, o.eps, warm);
      store_rstd("rstd", rstd_, warm ? s.statistic : old_psi2, o.eps);
      scale_columns(x_);
      affine("y");
      const bool by_batch = sites_.any("psi of the batch in grad_x", {MutationOperator::other}) ==
                                    MutationOperator::other
                                ? !o.divide_by_batch_psi
                                : o.divide_by_batch_psi;
      const bool pads = sites_.any("padding in Gamma and Lambda", {MutationOperator::other}) ==
                                MutationOperator::other
                            ? !o.pads_in_backward
                            : o.pads_in_backward;
      approximate_backward(sites_.pick("alpha_backward", backward, forward), !pads, o.scaled_nu,
                           by_batch ? s.rstd : rstd_);
      state_["iterations"] = {k};
    }
    if (o.group_scaling) apply_group_scaling_backward(group_rstd, width);
    if (!dy_.empty()) finish("grad_x");
  }

 private:
  using Base = PlainNormStep<T>;
  using Base::a_;
  using Base::add_one_to_gamma;
  using Base::affine;
  using Base::affine_;
  using Base::beta_or_zero;
  using Base::choose;
  using Base::dy_;
  using Base::exact_backward;
  using Base::feature_of;
  using Base::finish;
  using Base::gamma_;
  using Base::gamma_at;
  using Base::grad_x_is_delayed_;
  using Base::move;
  using Base::nan_in_statistics_;
  using Base::normalize_slices;
  using Base::others_;
  using Base::out_;
  using Base::parameter_gradients;
  using Base::rounded_eps;
  using Base::row_of;
  using Base::rstd_;
  using Base::scalar_gamma_;
  using Base::shape_;
  using Base::sites_;
  using Base::state_;
  using Base::statistics;
  using Base::store;
  using Base::store_rstd;
  using Base::store_square;
  using Base::store_statistic;
  using Base::sum_not_mean_;
  using Base::training_;
  using Base::valid_;
  using Base::x_;
  using Base::x_hat_;

  std::size_t group_width(std::int64_t groups) const {
    return shape_.d_model / static_cast<std::size_t>(groups);
  }

  NormalizedSlices<T> normalize_rows(std::size_t width, bool centred, double eps) {
    return normalize_slices(choose(cut_rows(shape_, width), cut_columns(shape_)), centred, eps,
                            false);
  }

  void store_slices(const NormalizedSlices<T>& s, bool centred, double eps) {
    if (centred) store_statistic("mean", s.mean);
    store_rstd("rstd", s.rstd, s.statistic, eps);
  }

  /// Normalizes slices that extend over several rows. Padded rows are not included in the
  /// statistics.
  NormalizedSlices<T> normalize_cells(Slices cells, bool centred, double eps) {
    return normalize_slices(choose(std::move(cells), cut_rows(shape_, shape_.d_model)), centred,
                            eps, true);
  }

  /// Computes grad_x and grad_alpha of the layer `t = tanh(alpha x)`. With
  /// `grad_u = gamma grad_y (1 - t^2)`, they are `grad_x = grad_u alpha` and
  /// `grad_alpha = sum(grad_u x)`.
  void differentiate_tanh(T alpha) {
    const auto slope = [&](const char* site, std::size_t i) {
      return 1 - sites_.term(site, x_hat_[i] * x_hat_[i]);
    };
    std::vector<T> grad_x(x_.size());
    std::vector<std::size_t> all;
    const bool tokens_alone =
        sites_.any("rows of grad_alpha", {MutationOperator::other}) == MutationOperator::other;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      grad_x[i] = gamma_at("gamma in grad_x", i) * sites_.term("grad_y in grad_x", dy_[i]) *
                  slope("t^2 in grad_x", i) * sites_.factor("alpha in grad_x", alpha);
      if (!tokens_alone || valid_[row_of(i)]) all.push_back(i);
    }
    store("grad_x", grad_x);
    if (!affine_) return;
    T grad_alpha = a_.sum("sum of grad_alpha", all, [&](std::size_t i) {
      return gamma_at("gamma in grad_alpha", i) * sites_.factor("grad_y in grad_alpha", dy_[i]) *
             slope("t^2 in grad_alpha", i) * sites_.factor("x in grad_alpha", x_[i]);
    });
    if (sites_.any("grad_alpha over the elements", {MutationOperator::insert}) !=
        MutationOperator::none)
      grad_alpha /= Base::element_count(all);
    store("grad_alpha", {grad_alpha});
  }

  void run_batch_renorm(NormalizedSlices<T>& s, const model::BatchRenormOptions& o) {
    const std::vector<T> z = x_hat_;
    std::vector<T> scale(s.rstd.size()), returned_r(scale), returned_d(scale);
    for (std::size_t k = 0; k < s.slices.size(); ++k) {
      const std::size_t d_index = feature_of(s.slices[k].front());
      const T root = 1 / a_.rstd(state_["running_variance"][d_index], static_cast<T>(o.eps));
      const T r_max = static_cast<T>(o.r_max), d_max = static_cast<T>(o.d_max);
      const bool limited =
          sites_.any("limits of r and d", {MutationOperator::drop}) == MutationOperator::none;
      T r = sites_.factor("r", (1 / s.rstd[k]) / root);
      T d = sites_.term("d", (s.mean[k] - state_["running_mean"][d_index]) / root);
      if (limited) {
        using std::clamp;
        r = clamp(r, 1 / r_max, r_max);
        d = clamp(d, -d_max, d_max);
      }
      returned_r[k] = r;
      returned_d[k] = d;
      scale[k] = sites_.factor("r in grad_x", r) * s.rstd[k];
      for (const std::size_t i : s.slices[k]) x_hat_[i] = z[i] * r + d;
    }
    affine("y");
    parameter_gradients(x_hat_);
    exact_backward(s, z, true, scale);
    store_statistic("r", returned_r);
    store_statistic("d", returned_d);
  }

  bool is_after_warmup(T iteration, std::int64_t warmup) {
    const T last =
        sites_.count("last iteration of the warm-up", static_cast<T>(static_cast<double>(warmup)));
    return iteration <= last;
  }

  /// Computes rstd of each feature. It is the rstd of the batch during warm-up. After warm-up, it
  /// is computed from the value that running_psi2, the running mean of squares, had before this
  /// step.
  void compute_running_rstd(const std::vector<T>& batch_rstd, const std::vector<T>& old_psi2,
                            double eps, bool warm) {
    rstd_.resize(shape_.d_model);
    for (std::size_t d = 0; d < rstd_.size(); ++d) {
      const T psi2 = sites_.pick("psi of the step before", old_psi2[d], state_["running_psi2"][d]);
      rstd_[d] =
          sites_.pick("psi of the batch", warm ? batch_rstd[d] : a_.rstd(psi2, static_cast<T>(eps)),
                      batch_rstd[d]);
    }
  }

  void scale_columns(const std::vector<T>& x) {
    x_hat_.resize(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      x_hat_[i] = x[i] * sites_.factor("rstd in x_hat", rstd_[feature_of(i)]);
  }

  /// Computes the gradients of PowerNorm, whose backward pass is approximate. nu is a running
  /// statistic of the backward pass. grad_x uses the value that nu had after the previous step.
  /// Then nu is updated.
  void approximate_backward(T alpha, bool tokens_alone, bool scaled,
                            const std::vector<T>& divisor) {
    parameter_gradients(x_hat_);
    if (dy_.empty()) return;
    const T keep = sites_.weight("alpha of nu", alpha), w = 1 - keep;
    std::vector<T>& nu = state_["nu"];
    std::vector<T> grad_x(x_.size()), gammas, lambdas;
    for (std::size_t d = 0; d < shape_.d_model; ++d) {
      std::vector<std::size_t> counted, all;
      for (std::size_t i = d; i < x_.size(); i += shape_.d_model) {
        all.push_back(i);
        if (!tokens_alone || sites_.mask("mask of Gamma and Lambda", valid_[row_of(i)]))
          counted.push_back(i);
      }
      const T n = sites_.divisor("n of Gamma and Lambda", Base::element_count(counted));
      const auto g = [&](std::size_t i) {
        return gamma_at("gamma in grad_x", i) * sites_.term("grad_y in grad_x", dy_[i]);
      };
      const T big_gamma = a_.over(
          a_.sum("sum of Gamma", counted, [&](std::size_t i) { return x_hat_[i] * x_hat_[i]; }), n);
      const T lambda = a_.over(
          a_.sum("sum of Lambda", counted, [&](std::size_t i) { return g(i) * x_hat_[i]; }), n);
      gammas.push_back(big_gamma);
      lambdas.push_back(lambda);
      const T old_nu = scaled ? w * nu[d] : nu[d];
      const T new_nu =
          old_nu * (1 - w * sites_.term("Gamma", big_gamma)) + w * sites_.term("Lambda", lambda);
      const T used =
          sites_.term("nu in grad_x", sites_.pick("nu of the step before", old_nu, new_nu));
      for (const std::size_t i : all) {
        const bool counts = !tokens_alone || sites_.mask("mask in grad_x", valid_[row_of(i)]);
        const T inner = counts ? g(i) - used * sites_.factor("x_hat in grad_x", x_hat_[i]) : g(i);
        grad_x[i] = inner * sites_.factor("rstd in grad_x", divisor[d]);
      }
      nu[d] =
          scaled
              ? nu[d] + (sites_.term("Lambda", lambda) - old_nu * sites_.term("Gamma", big_gamma))
              : new_nu;
    }
    store("grad_x", grad_x);
    store_statistic("mean_x_hat_squared", gammas);
    store_statistic("mean_g_x_hat", lambdas);
  }

  /// Normalizes by the running statistics, as in inference. The running statistics do not change.
  void normalize_by_running_statistics(const std::string& mean_name, const std::string& square_name,
                                       double eps) {
    x_hat_.resize(x_.size());
    rstd_.resize(shape_.d_model);
    for (std::size_t d = 0; d < shape_.d_model; ++d) {
      const T square = state_[square_name][d];
      rstd_[d] = a_.rstd(square, rounded_eps(static_cast<T>(eps), square));
    }
    store_rstd("rstd", rstd_, state_[square_name], eps);
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const std::size_t d = feature_of(i);
      const T mean = mean_name.empty() ? T(0) : sites_.term("running mean", state_[mean_name][d]);
      x_hat_[i] = (x_[i] - mean) * sites_.factor("rstd in x_hat", rstd_[d]);
    }
    if (a_.style().folded && affine_ && !mean_name.empty()) {
      std::vector<T> y(x_.size());
      for (std::size_t i = 0; i < y.size(); ++i) {
        const std::size_t d = feature_of(i);
        const T scale = gamma_[d] * rstd_[d];
        y[i] = x_[i] * scale + (beta_or_zero(d) - state_[mean_name][d] * scale);
      }
      store("y", y);
    } else {
      affine("y");
    }
    parameter_gradients(x_hat_);
    if (dy_.empty()) return;
    std::vector<T> grad_x(x_.size());
    for (std::size_t i = 0; i < grad_x.size(); ++i)
      grad_x[i] = gamma_at("gamma in grad_x", i) * sites_.term("grad_y in grad_x", dy_[i]) *
                  sites_.factor("rstd in grad_x", rstd_[feature_of(i)]);
    store("grad_x", grad_x);
  }

  /// Divides each group of `width` features of a row by its root mean square. Returns the
  /// reciprocal root mean squares.
  std::vector<T> apply_group_scaling(std::size_t width, double eps) {
    std::vector<T> rstd, squares;
    std::vector<T> scaled(x_.size());
    for (const auto& group : cut_rows(shape_, width)) {
      const T n = sites_.divisor("n of group scaling", Base::element_count(group));
      const T square = a_.over(
          a_.sum("sum of group scaling", group, [&](std::size_t i) { return x_[i] * x_[i]; }), n);
      squares.push_back(square);
      rstd.push_back(sites_.factor("rstd of group scaling", a_.rstd(square, static_cast<T>(eps))));
      for (const std::size_t i : group) scaled[i] = x_[i] * rstd.back();
    }
    x_ = std::move(scaled);
    store_rstd("group_rstd", rstd, squares, eps);
    return rstd;
  }

  /// Applies the backward pass of group scaling to grad_x.
  void apply_group_scaling_backward(const std::vector<T>& rstd, std::size_t width) {
    if (dy_.empty()) return;
    std::vector<T>& grad = out_["grad_x"];
    const Slices groups = cut_rows(shape_, width);
    for (std::size_t k = 0; k < groups.size(); ++k) {
      const auto& group = groups[k];
      const T c = a_.over(a_.sum("sum of the backward of group scaling", group,
                                 [&](std::size_t i) { return grad[i] * x_[i]; }),
                          Base::element_count(group));
      for (const std::size_t i : group)
        grad[i] =
            (grad[i] - x_[i] * sites_.term("mean in the backward of group scaling", c)) * rstd[k];
    }
  }
};

}  // namespace normproof::verification::golden::plain
