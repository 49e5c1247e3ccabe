#pragma once

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <span>

#include "ref/model/norm_inputs.hpp"
#include "verification/golden/plain/plain_arithmetic.hpp"
#include "verification/golden/plain/plain_rows.hpp"
#include "verification/golden/plain/plain_variance.hpp"

namespace normproof::verification::golden::plain {

using ref::model::Mode;

/// The site of an error that merges the partial variances of blocks.
inline constexpr const char* kMergedVariances = "partial variances merged without delta^2";

/// Slices of x and the statistics of each slice.
template <class T>
struct NormalizedSlices {
  Slices slices;
  /// counts[slice][element] says whether the statistics of the slice include the element.
  std::vector<std::vector<bool>> counts;
  bool masked = false;
  std::vector<T> n, mean, statistic, rstd;
};

/// One step of a norm layer, written with simple loops. It is the base class of PlainNormLayers,
/// which has one function per layer.
template <class T>
class PlainNormStep {
 public:
  PlainNormStep(const PlainShape& shape, const ref::model::NormInputs<double>& in,
                std::map<std::string, std::vector<T>>& state, PlainArithmetic<T> arithmetic)
      : shape_(shape),
        training_(in.mode == Mode::training),
        state_(state),
        a_(std::move(arithmetic)),
        sites_(a_.sites()),
        x_(to_vector(in.x)),
        dy_(to_vector(in.grad_y)),
        gamma_(to_vector(in.gamma)),
        beta_(to_vector(in.beta)),
        valid_(shape.rows(), true),
        affine_(!gamma_.empty()) {
    for (const auto& [name, values] : in.others)
      if (ref::tensor::is_given(values)) others_[name] = to_vector(values);
    if (ref::tensor::is_given(in.valid)) valid_.assign(in.valid.begin(), in.valid.end());
    read_rows("reading x", shape_, x_, sites_);
    read_rows("reading grad_y", shape_, dy_, sites_);
    read_parameter("elements of gamma", gamma_, sites_);
    read_parameter("elements of beta", beta_, sites_);
    if (shape_.rows() > 1 && gamma_.size() == shape_.d_model && shape_.d_model > 1) {
      using enum MutationOperator;
      gamma_by_row_ = sites_.any("elements of gamma", {by_row}) == by_row;
      beta_by_row_ = !beta_.empty() && sites_.any("elements of beta", {by_row}) == by_row;
    }
    columns_ = columns_of_first_block("columns of x", shape_.d_model, sites_);
    const std::size_t columns = columns_of_first_block("columns of x and n", columns_, sites_);
    n_counts_columns_ = columns < columns_;
    columns_ = columns;
    if (affine_ &&
        sites_.any("1 added to gamma", {MutationOperator::insert}) != MutationOperator::none)
      for (T& gamma : gamma_) gamma += 1;
  }

  /// Replaces x and grad_y by numbers of the scalar type T. Statistics are computed from
  /// `statistic_input` unless it is empty.
  void replace_inputs(std::vector<T> x, std::vector<T> statistic_input, std::vector<T> grad_y) {
    x_ = std::move(x);
    statistic_input_ = std::move(statistic_input);
    dy_ = std::move(grad_y);
  }

  /// Returns y and the gradients by name. The state was updated in place.
  std::map<std::string, std::vector<T>> take() { return std::move(out_); }

 protected:
  static std::vector<T> to_vector(const ref::tensor::Tensor<double>& t) {
    std::vector<T> values;
    if (ref::tensor::is_given(t))
      for (const double v : t) values.push_back(static_cast<T>(v));
    return values;
  }

  static T element_count(const std::vector<std::size_t>& indices) {
    return static_cast<T>(static_cast<double>(indices.size()));
  }

  std::size_t row_of(std::size_t i) const { return i / shape_.d_model; }
  std::size_t feature_of(std::size_t i) const { return i % shape_.d_model; }

  /// Returns the correct slices `right`. An injected error can replace them by `wrong`, the slices
  /// along the other axis.
  Slices choose(Slices right, Slices wrong) {
    return sites_.any("axis of the statistics", {MutationOperator::other}) ==
                   MutationOperator::other
               ? std::move(wrong)
               : std::move(right);
  }

  NormalizedSlices<T> statistics(const Slices& slices, bool centred, double eps, bool masked) {
    NormalizedSlices<T> s;
    s.slices = slices;
    s.masked = masked;
    x_hat_.assign(x_.size(), T(0));
    for (const auto& slice : s.slices) {
      std::vector<std::size_t> counted;
      s.counts.emplace_back();
      for (const std::size_t i : slice) {
        const bool counts = !masked || sites_.mask("mask of the statistics", valid_[row_of(i)]);
        s.counts.back().push_back(counts);
        if (counts) counted.push_back(i);
      }
      n_of_statistics_ = counted.size();
      keep_first_columns(counted);
      if (n_counts_columns_) n_of_statistics_ = counted.size();
      counted.resize(elements_of_first_block("terms of the statistics", counted.size(), sites_));
      const std::size_t block =
          elements_of_first_block("terms and n of the statistics", counted.size(), sites_);
      if (block < counted.size()) n_of_statistics_ = block;
      counted.resize(block);
      compute_statistics(s, slice, counted, centred, static_cast<T>(eps));
    }
    return s;
  }

  /// Removes the elements of columns that are not read.
  void keep_first_columns(std::vector<std::size_t>& elements) const {
    if (columns_ < shape_.d_model)
      std::erase_if(elements, [&](std::size_t i) { return feature_of(i) >= columns_; });
  }

  /// Returns eps. If the statistic is not so large that it hides the difference, an injected error
  /// can round eps to float32.
  T rounded_eps(T eps, T statistic) {
    const double hides = a_.shows_single_terms() ? 0x1p20 : 4;
    return statistic < static_cast<T>(hides) * eps ? sites_.constant("eps", eps) : eps;
  }

  /// Returns eps, unless an error is injected: an implementation divides x by its largest magnitude
  /// so that squares do not overflow, and forgets to divide eps by the square of that number.
  T eps_of_scaled_elements(T eps, const std::vector<std::size_t>& counted) {
    if (sites_.any("eps of scaled elements", {MutationOperator::insert}) !=
        MutationOperator::insert)
      return eps;
    T largest = 0;
    for (const std::size_t i : counted) {
      const T x = statistic_input()[i];
      largest = std::max(largest, std::max(x, -x));
    }
    return eps * (largest * largest);
  }

  void compute_statistics(NormalizedSlices<T>& s, const std::vector<std::size_t>& slice,
                          const std::vector<std::size_t>& counted, bool centred, T eps) {
    const T n = sum_not_mean_ ? T(1) : static_cast<T>(static_cast<double>(n_of_statistics_));
    const std::vector<T>& x = statistic_input();
    T mean = 0, statistic = 0;
    if (centred) {
      mean = a_.over(a_.sum("sum of the mean", counted, [&](std::size_t i) { return x[i]; }),
                     sites_.divisor("n of the mean", n));
      mean = sites_.term("mean", mean);
    } else if (sites_.any("mean", {MutationOperator::insert}) == MutationOperator::insert) {
      for (const std::size_t i : counted) mean += x[i] / n;
    }
    const MutationOperator how =
        centred ? sites_.any("variance", {MutationOperator::one_pass}) : MutationOperator::none;
    if (how == MutationOperator::one_pass || (centred && a_.style().one_pass)) {
      const T squares = a_.sum("squares", counted, [&](std::size_t i) { return x[i] * x[i]; });
      statistic = a_.over(squares, n) - mean * mean;
    } else if (centred && (a_.style().welford || a_.style().shifted) && !counted.empty()) {
      const std::size_t width = a_.style().merged ? 16 : counted.size();
      const auto own = a_.style().welford ? welford_statistics(values_at(counted), width)
                                          : shifted_statistics(values_at(counted), a_);
      mean = own.mean;
      statistic = own.variance;
    } else {
      const T squares = a_.sum("sum of squares", counted, [&](std::size_t i) {
        const T d = x[i] - (centred ? sites_.term("mean in the variance", mean) : mean);
        return d * d;
      });
      statistic = a_.over(squares, sites_.divisor("n of the statistic", n));
    }
    if (centred) statistic = variance_of_merged_blocks(counted, n).value_or(statistic);
    statistic = mistaken_statistic(statistic, mean, counted.size(), centred);
    if (uses_rstd_) eps = eps_of_scaled_elements(rounded_eps(eps, statistic), counted);
    const T rstd = a_.rstd(statistic, eps);
    for (const std::size_t i : slice) {
      const T d = x_[i] - (centred ? sites_.term("mean in x_hat", mean) : mean);
      x_hat_[i] = a_.style().divide ? d / (1 / rstd) : d * sites_.factor("rstd in x_hat", rstd);
    }
    s.n.push_back(n);
    s.mean.push_back(mean);
    s.statistic.push_back(statistic);
    s.rstd.push_back(rstd);
  }

  /// Returns the mean of squares if an error is injected that merges the partial variances of
  /// blocks without the squared distances of their means. Returns nothing otherwise.
  std::optional<T> variance_of_merged_blocks(const std::vector<std::size_t>& counted, T n) {
    constexpr std::size_t kMinLength = 4;
    const auto length =
        length_of_blocks(kMergedVariances, counted.size(),
                         {.min = kMinLength, .end = 15 * counted.size() / 16 + 1}, sites_);
    if (!length) return std::nullopt;
    const std::vector<T> x = values_at(counted);
    T squares = 0;
    for (std::size_t begin = 0; begin < x.size(); begin += *length) {
      PlainBlockMoments<T> block;
      for (std::size_t i = begin; i < std::min(begin + *length, x.size()); ++i)
        block.add_element(x[i]);
      squares += block.squares;
    }
    return squares / n;
  }

  const std::vector<T>& statistic_input() const {
    return statistic_input_.empty() ? x_ : statistic_input_;
  }

  std::vector<T> values_at(const std::vector<std::size_t>& indices) const {
    std::vector<T> values;
    values.reserve(indices.size());
    for (const std::size_t i : indices) values.push_back(statistic_input()[i]);
    return values;
  }

  /// Injects an error into a statistic: the zeros that pad a row to whole lanes or to a power of
  /// two are included, or a small statistic becomes 0.
  T mistaken_statistic(T statistic, T mean, std::size_t count, bool centred) {
    const T least = static_cast<T>(1e-10);
    mutations::OfferedOperators offered = {};
    if (!centred)
      offered = {MutationOperator::twice, MutationOperator::four_times,
                 MutationOperator::eight_times};
    const std::size_t padding = (32 - count % 32) % 32;
    const std::size_t padding_to_power = count > 1 ? std::bit_ceil(count) - count : 0;
    if (centred && padding > 0) offered.push_back(MutationOperator::padded_lanes);
    if (centred && padding_to_power > 0 && padding_to_power != padding)
      offered.push_back(MutationOperator::padded_power);
    if (statistic < least && T(0) < statistic) offered.push_back(MutationOperator::zeroed);
    const auto with_zeros = [&](std::size_t zeros) {
      return statistic + mean * mean * static_cast<T>(static_cast<double>(zeros)) /
                             static_cast<T>(static_cast<double>(count));
    };
    switch (sites_.any("statistic", offered.span())) {
      case MutationOperator::padded_lanes:
        return with_zeros(padding);
      case MutationOperator::padded_power:
        return with_zeros(padding_to_power);
      case MutationOperator::zeroed:
        return statistic < least ? T(0) : statistic;
      case MutationOperator::twice:  // errors: shards add their means
        return 2 * statistic;
      case MutationOperator::four_times:
        return 4 * statistic;
      case MutationOperator::eight_times:
        return 8 * statistic;
      default:
        return statistic;
    }
  }

  /// Replaces gamma by `1 + gamma` if gamma is zero-centered.
  void add_one_to_gamma(bool zero_centered) {
    if (!zero_centered || !affine_) return;
    const T one = sites_.term("1 of 1 + gamma", T(1));
    const bool forward_alone =
        sites_.any("1 of 1 + gamma in grad_x", {MutationOperator::drop}) == MutationOperator::drop;
    if (forward_alone) gamma_in_grad_x_ = gamma_;
    for (T& gamma : gamma_) gamma = one + gamma;
  }

  T gamma_at(const char* site, std::size_t i) {
    if (!affine_) return T(1);
    if (scalar_gamma_) return sites_.factor(site, gamma_[0]);
    const bool in_grad_x = !gamma_in_grad_x_.empty() && std::string_view(site) == "gamma in grad_x";
    const std::vector<T>& gamma = in_grad_x ? gamma_in_grad_x_ : gamma_;
    const std::size_t d = gamma_by_row_ ? row_of(i) % shape_.d_model : feature_of(i);
    const T next = gamma[(d + 1) % shape_.d_model];
    return sites_.factor(site, sites_.pick(site, gamma[d], next));
  }

  /// Returns an element of beta, or 0 if the layer has gamma alone.
  T beta_or_zero(std::size_t d) const { return beta_.empty() ? T(0) : beta_[d]; }

  void affine(const char* name) {
    std::vector<T> y(x_hat_.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
      T beta = 0;
      if (!beta_.empty()) {
        const std::size_t d = beta_by_row_ ? row_of(i) % shape_.d_model : feature_of(i);
        const T next = beta_[(d + 1) % shape_.d_model];
        beta = sites_.term("beta", sites_.pick("beta", beta_[d], next));
        beta = sites_.pick("gamma in place of beta", beta, gamma_[feature_of(i)]);
      }
      y[i] = a_.multiply_add(gamma_at("gamma", i), x_hat_[i], beta);
    }
    store(name, y);
  }

  /// Removes some of the rows of a column, if an error is injected: the last partial sum of
  /// grad_gamma and grad_beta is lost. It is that of the last block of rows, which may be whole, or
  /// that of the last of P programs. The rows of a program are consecutive, or every P-th.
  void drop_last_partial(std::vector<std::size_t>& column) {
    const std::size_t rows = column.size();
    const auto has_more_rows = [&](std::size_t count) { return count < rows; };
    const auto rows_of_a_program = [&](std::size_t count) { return (rows + count - 1) / count; };
    const auto has_work_for_all = [&](std::size_t count) {
      return 2 * count <= rows && rows_of_a_program(count) * (count - 1) < rows;
    };
    const auto block =
        inject_numbered("rows of grad_gamma and grad_beta", kLastBlocks, sites_, has_more_rows);
    if (block) column.resize((rows - 1) / *block * *block);
    const auto programs =
        inject_numbered("consecutive rows of a program in grad_gamma and grad_beta", kParts, sites_,
                        has_work_for_all);
    if (programs) column.resize(rows_of_a_program(*programs) * (*programs - 1));
    const auto in_turn =
        inject_numbered("alternating rows of a program in grad_gamma and grad_beta", kParts, sites_,
                        has_work_for_all);
    if (in_turn) {
      std::vector<std::size_t> kept;
      for (std::size_t row = 0; row < rows; ++row)
        if (row % *in_turn != *in_turn - 1) kept.push_back(column[row]);
      column = std::move(kept);
    }
  }

  /// Computes grad_gamma and grad_beta as sums over all rows.
  void parameter_gradients(const std::vector<T>& x_hat) {
    if (dy_.empty() || !affine_) return;
    const std::size_t features = scalar_gamma_ ? 1 : shape_.d_model;
    std::vector<T> grad_gamma(features), grad_beta(features);
    for (std::size_t d = 0; d < features; ++d) {
      std::vector<std::size_t> column;
      const std::size_t stride = scalar_gamma_ ? 1 : shape_.d_model;
      for (std::size_t i = d; i < x_hat.size(); i += stride) column.push_back(i);
      const bool tokens_alone = sites_.any("rows of the parameter gradients",
                                           {MutationOperator::other}) == MutationOperator::other;
      if (tokens_alone) std::erase_if(column, [&](std::size_t i) { return !valid_[row_of(i)]; });
      if (!scalar_gamma_) drop_last_partial(column);
      grad_gamma[d] = a_.sum("sum of grad_gamma", column, [&](std::size_t i) {
        return sites_.factor("grad_y in grad_gamma", dy_[i]) *
               sites_.factor("x_hat in grad_gamma",
                             sites_.pick("x in place of x_hat in grad_gamma", x_hat[i], x_[i]));
      });
      if (sites_.any("grad_gamma over the rows", {MutationOperator::insert}) !=
          MutationOperator::none)
        grad_gamma[d] /= element_count(column);
      if (scalar_gamma_) continue;
      grad_beta[d] = a_.sum("sum of grad_beta", column, [&](std::size_t i) {
        return sites_.factor("grad_y in grad_beta", dy_[i]);
      });
      if (sites_.any("grad_beta over the rows", {MutationOperator::insert}) !=
          MutationOperator::none)
        grad_beta[d] /= element_count(column);
    }
    const T shards = shards_added(scalar_gamma_ ? "grad_gamma of several shards"
                                                : "grad_gamma and grad_beta of several shards");
    for (T& v : grad_gamma) v *= shards;
    for (T& v : grad_beta) v *= shards;
    store("grad_gamma", grad_gamma);
    if (!scalar_gamma_) store("grad_beta", grad_beta);
  }

  /// Returns 1, unless an error is injected: the means of several shards are added up and not
  /// averaged.
  T shards_added(const char* site) {
    switch (sites_.any(site, {MutationOperator::twice, MutationOperator::four_times,
                              MutationOperator::eight_times})) {
      case MutationOperator::twice:
        return T(2);
      case MutationOperator::four_times:
        return T(4);
      case MutationOperator::eight_times:
        return T(8);
      default:
        return T(1);
    }
  }

  /// Computes grad_x of a layer whose statistics depend on x. `z` contains the normalized elements.
  /// In BatchRenorm, these are not yet corrected by r and d. `scale` has one factor per slice:
  /// rstd, or in BatchRenorm `r rstd`.
  void exact_backward(const NormalizedSlices<T>& s, const std::vector<T>& z, bool centred,
                      const std::vector<T>& scale) {
    if (dy_.empty()) return;
    std::vector<T> grad_x(x_.size());
    const bool is_detached = sites_.any("statistics in the backward",
                                        {MutationOperator::detached}) == MutationOperator::detached;
    const T shards = shards_added("means in grad_x of several shards");
    for (std::size_t k = 0; k < s.slices.size(); ++k) {
      const auto& slice = s.slices[k];
      std::vector<std::size_t> summed = slice;
      keep_first_columns(summed);
      const auto g = [&](std::size_t i) {
        return gamma_at("gamma in grad_x", i) * sites_.term("grad_y in grad_x", dy_[i]);
      };
      T a = 0;
      if (centred)
        a = a_.over(a_.sum("sum of g", summed, g), sites_.divisor("n of the mean of g", s.n[k]));
      else if (sites_.any("mean of g", {MutationOperator::insert}) == MutationOperator::insert)
        for (const std::size_t i : summed) a += g(i) / s.n[k];
      T c = a_.over(a_.sum("sum of g x_hat", summed, [&](std::size_t i) { return g(i) * z[i]; }),
                    sites_.divisor("n of the mean of g x_hat", s.n[k]));
      a *= shards;
      c *= shards;
      for (std::size_t place = 0; place < slice.size(); ++place) {
        const std::size_t i = slice[place];
        const bool counts = !s.masked || sites_.mask("mask in grad_x", s.counts[k][place]);
        T inner = g(i);
        if (counts && !is_detached)
          inner = (inner - (centred ? sites_.term("mean of g", a) : a)) -
                  sites_.factor("x_hat in grad_x", z[i]) * sites_.term("mean of g x_hat", c);
        grad_x[i] = inner * sites_.factor("rstd in grad_x", scale[k]);
      }
    }
    store("grad_x", grad_x);
  }

  NormalizedSlices<T> normalize_slices(const Slices& slices, bool centred, double eps,
                                       bool masked) {
    uses_rstd_ = true;
    NormalizedSlices<T> s = statistics(slices, centred, eps, masked);
    uses_rstd_ = false;
    if (a_.style().folded && affine_ && !scalar_gamma_ && centred)
      compute_folded_y(s);
    else
      affine("y");
    parameter_gradients(x_hat_);
    exact_backward(s, x_hat_, centred, s.rstd);
    return s;
  }

  /// Computes y in the folded form `x (gamma rstd) + (beta - mean gamma rstd)`.
  void compute_folded_y(const NormalizedSlices<T>& s) {
    std::vector<T> y(x_.size());
    for (std::size_t k = 0; k < s.slices.size(); ++k)
      for (const std::size_t i : s.slices[k]) {
        const std::size_t d = feature_of(i);
        const T scale = gamma_[d] * s.rstd[k];
        y[i] = x_[i] * scale + (beta_or_zero(d) - s.mean[k] * scale);
      }
    store("y", y);
  }

  template <class Decay>
  void move(const std::string& name, const std::vector<T>& fresh, Decay decay) {
    const T keep = sites_.weight(name.c_str(), static_cast<T>(decay));
    std::vector<T>& old = state_[name];
    const MutationOperator op =
        sites_.any(("moving " + name).c_str(), {MutationOperator::drop, MutationOperator::twice});
    if (op == MutationOperator::drop) return;
    if (op == MutationOperator::twice)
      for (std::size_t d = 0; d < old.size() && d < fresh.size(); ++d)
        old[d] = keep * old[d] + (1 - keep) * fresh[d];
    for (std::size_t d = 0; d < old.size() && d < fresh.size(); ++d)
      old[d] = keep * old[d] + (1 - keep) * fresh[d];
  }

  /// Stores a statistic that an implementation may return. Errors injected here change no other
  /// output.
  void store_statistic(const std::string& name, std::vector<T> values) {
    switch (sites_.any(("returned " + name).c_str(),
                       {MutationOperator::negate, MutationOperator::twice, MutationOperator::other,
                        MutationOperator::half_precision})) {
      case MutationOperator::negate:
        for (T& v : values) v = -v;
        break;
      case MutationOperator::twice:
        for (T& v : values) v += v;
        break;
      case MutationOperator::other:  // error: the statistic of the next slice
        std::rotate(values.begin(), values.begin() + 1, values.end());
        break;
      case MutationOperator::half_precision:
        for (T& v : values) v = Sites::rounded_to<11>(v);
        break;
      default:
        break;
    }
    store(name, std::move(values));
  }

  void store_rstd(const std::string& name, std::vector<T> rstd, const std::vector<T>& statistic,
                  double eps) {
    using std::sqrt;
    const bool whole = sites_.any(("inverse of the returned " + name).c_str(),
                                  {MutationOperator::drop}) == MutationOperator::drop;
    const bool squared = sites_.any(("root of the returned " + name).c_str(),
                                    {MutationOperator::drop}) == MutationOperator::drop;
    const MutationOperator of_eps =
        sites_.any(("eps of the returned " + name).c_str(),
                   {MutationOperator::drop, MutationOperator::ten_times});
    for (std::size_t k = 0; k < rstd.size(); ++k) {
      if (of_eps == MutationOperator::drop) rstd[k] = 1 / sqrt(statistic[k]);
      if (of_eps == MutationOperator::ten_times)
        rstd[k] = 1 / sqrt(statistic[k] + static_cast<T>(10 * eps));
      if (whole) rstd[k] = 1 / rstd[k];
      if (squared) rstd[k] = rstd[k] * rstd[k];
    }
    store_statistic(name, std::move(rstd));
  }

  void store_square(const std::string& name, std::vector<T> values, const std::vector<T>& n,
                    double eps) {
    using std::sqrt;
    const bool with_eps = sites_.any(("eps of the returned " + name).c_str(),
                                     {MutationOperator::insert}) == MutationOperator::insert;
    const bool root = sites_.any(("root of the returned " + name).c_str(),
                                 {MutationOperator::insert}) == MutationOperator::insert;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const T divisor = sites_.count(("n of the returned " + name).c_str(), n[k]);
      if (divisor != n[k]) values[k] *= n[k] / divisor;
      if (with_eps) values[k] += static_cast<T>(eps);
      if (root) values[k] = sqrt(values[k]);
    }
    store_statistic(name, std::move(values));
  }

  void store(const std::string& name, std::vector<T> values) {
    out_[name] = std::move(values);
    if (name != "grad_x" || !grad_x_is_delayed_) finish(name);
  }

  void finish(const std::string& name) {
    const bool required = name == "y" || name.starts_with("grad_");
    if (required && columns_ < shape_.d_model && out_[name].size() % shape_.d_model == 0)
      clear_columns_from(columns_, shape_, out_[name]);
    write_rows(name, shape_, out_[name], sites_, required || nan_in_statistics_);
  }

  PlainShape shape_;
  bool training_;
  std::map<std::string, std::vector<T>>& state_;
  PlainArithmetic<T> a_;
  Sites& sites_;
  std::vector<T> x_, dy_, gamma_, beta_;
  /// The gamma used for grad_x. Empty unless an injected error makes it differ from gamma_.
  std::vector<T> gamma_in_grad_x_;
  /// The parameters other than gamma and beta.
  std::map<std::string, std::vector<T>, std::less<>> others_;
  std::vector<bool> valid_;
  bool affine_ = false, scalar_gamma_ = false, sum_not_mean_ = false, grad_x_is_delayed_ = false;
  /// Errors that are injected: the element of gamma or beta is chosen by the number of the row.
  bool gamma_by_row_ = false, beta_by_row_ = false;
  /// The number of columns that are read and written. It is smaller than d_model if an error is
  /// injected: the blocks of the implementation are smaller than the row. Then `n_counts_columns_`
  /// says whether sums are divided by the number of these columns.
  std::size_t columns_ = 0;
  bool n_counts_columns_ = false;
  bool nan_in_statistics_ = true;    ///< whether a statistic is NaN in some case
  std::size_t n_of_statistics_ = 0;  ///< the number by which the current sums are divided
  bool uses_rstd_ = false;           ///< whether x is normalized by rstd of the current slices
  std::vector<T> x_hat_, rstd_;
  std::vector<T> statistic_input_;  ///< elements from which statistics are computed; x_ if empty
  std::map<std::string, std::vector<T>> out_;
};

}  // namespace normproof::verification::golden::plain
