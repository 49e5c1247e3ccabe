#include "verification/golden/certify/norm_sums.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "verification/checks/evaluation/sequence.hpp"
#include "verification/golden/certify/lane_errors.hpp"
#include "verification/golden/certify/not_finite.hpp"
#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/corpus/kind.hpp"
#include "verification/golden/recipes/case_inputs.hpp"

namespace normproof::verification::golden::certify {

using corpus::Case;
using corpus::find;
using corpus::has_operation;
using ref::io::StoredTensor;
using ref::numeric::any_order_error;
using ref::numeric::AnyOrderArithmetic;
using ref::numeric::Arithmetic;

namespace {

/// The statistic of a norm of rows.
struct Statistic {
  bool is_centered = false;
  bool is_mean = true;  ///< whether the squares are divided by D
  double eps = 0;
};

std::optional<Statistic> find_statistic(const Case& c) {
  if (const auto* const layer = std::get_if<ref::model::NormOptions>(&c.options)) {
    if (const auto* const own = std::get_if<ref::model::LayerNormOptions>(layer))
      return Statistic{.is_centered = true, .eps = own->eps};
    if (const auto* const own = std::get_if<ref::model::RMSNormOptions>(layer))
      return Statistic{.eps = own->eps};
    if (const auto* const own = std::get_if<ref::model::ScaleNormOptions>(layer))
      return Statistic{.is_mean = false, .eps = own->eps};
  } else if (const auto* const function = std::get_if<ref::model::FunctionOptions>(&c.options)) {
    if (const auto* const own = std::get_if<ref::model::AddLayerNormOptions>(function))
      return Statistic{.is_centered = true, .eps = own->eps};
    if (const auto* const own = std::get_if<ref::model::AddRMSNormOptions>(function))
      return Statistic{.eps = own->eps};
  }
  return std::nullopt;
}

/// Whether the arithmetic can represent every finite number of the dtype.
bool can_represent(const Arithmetic& arithmetic, ref::io::DType dtype) {
  const auto type = ref::io::float_type(dtype);
  if (!type) return false;
  const ref::numeric::FloatFormat& format = ref::numeric::float_format_info(*type);
  return arithmetic.unit_roundoff <= format.unit_roundoff && format.largest <= arithmetic.largest;
}

/// The rows of an input, widened one by one.
class InputRows {
 public:
  InputRows(const StoredTensor& tensor, std::size_t width)
      : tensor_(tensor),
        width_(width),
        stored_{tensor.name, tensor.dtype, {width}, {}},
        row_((width + kLanes - 1) / kLanes * kLanes, 0.0) {}

  /// Reads a row. The elements after its last one are 0.
  const double* read(std::size_t index) {
    const std::size_t bytes = width_ * ref::io::item_size(tensor_.dtype);
    if (tensor_.dtype == ref::io::DType::float32) {
      read_float32(tensor_.bytes.data() + index * bytes);
      return row_.data();
    }
    const auto begin = tensor_.bytes.begin() + static_cast<std::ptrdiff_t>(index * bytes);
    stored_.bytes.assign(begin, begin + static_cast<std::ptrdiff_t>(bytes));
    std::ranges::copy(ref::io::widen(stored_), row_.begin());
    return row_.data();
  }
  /// Returns an element of the row that was read last.
  double operator[](std::size_t d) const { return row_[d]; }

 private:
  void read_float32(const std::byte* bytes) {
    for (std::size_t d = 0; d < width_; ++d) {
      float v;
      std::memcpy(&v, bytes + d * sizeof v, sizeof v);
      row_[d] = static_cast<double>(v);
    }
  }

  const StoredTensor& tensor_;
  std::size_t width_;
  StoredTensor stored_;  ///< the last row that was read
  std::vector<double> row_;
};

/// Sums consecutive vectors of D elements.
class BlockSums {
 public:
  BlockSums(const Case& c, const Statistic& statistic, const SumArithmetic& arithmetic)
      : statistic_(statistic),
        arithmetic_(arithmetic),
        errors_(arithmetic.arithmetic),
        width_(find(c.inputs, "x")->shape.back()),
        padded_((width_ + kLanes - 1) / kLanes * kLanes),
        x_(*find(c.inputs, "x"), width_),
        grad_y_(*find(c.inputs, "grad_y"), width_),
        sum_(padded_),
        sum_error_(padded_),
        size_(padded_) {
    if (const StoredTensor* const residual = find(c.inputs, "residual"))
      residual_.emplace(*residual, width_);
    for (SumsOverRows* const sums : {&gamma_, &beta_})
      for (auto* const totals : {&sums->value, &sums->terms, &sums->magnitude, &sums->propagated})
        totals->assign(padded_, 0);
  }

  /// Adds a vector of D elements. Returns whether this was possible.
  bool add(std::size_t row) {
    read(row);
    const std::optional<any_order_error> mean = compute_mean();
    if (!mean) return false;
    const std::optional<any_order_error> rstd = compute_rstd(*mean);
    if (!rstd) return false;
    add_terms(*mean, *rstd, grad_y_.read(row));
    return errors_.all_fit();
  }

  std::vector<SumsOverRows> finish() {
    for (SumsOverRows* const sums : {&gamma_, &beta_})
      for (auto* const totals : {&sums->value, &sums->terms, &sums->magnitude, &sums->propagated})
        totals->resize(width_);
    gamma_.name = "grad_gamma";
    beta_.name = "grad_beta";
    if (statistic_.is_mean) return {std::move(beta_), std::move(gamma_)};
    // The gain of scale_norm is one number, and it has no beta.
    for (auto* const totals :
         {&gamma_.value, &gamma_.terms, &gamma_.magnitude, &gamma_.propagated}) {
      double all = 0;
      for (const double part : *totals) all += part;
      totals->assign(1, all);
    }
    gamma_.columns = width_;
    return {std::move(gamma_)};
  }

 private:
  double width_as_double() const { return static_cast<double>(width_); }

  /// Returns the number of additions that a term of a sum over a row takes part in. In the order of
  /// the loops, the first addition of a lane is exact, and so is the first one of the sum of the
  /// lanes, because both start from 0. `others` is the number of additions outside of the loops.
  double additions(double terms, double others) const {
    const std::size_t of_lanes = padded_ / kLanes - 1, between_lanes = kLanes - 1;
    const double in_order = static_cast<double>(of_lanes + between_lanes) + others;
    return arithmetic_.any_order ? terms - 1 : std::min(terms - 1, in_order);
  }

  /// Computes x, or x + residual, with its error and the sum of the magnitudes of its terms.
  void read(std::size_t row) {
    const double* const x = x_.read(row);
    const double* const residual = residual_ ? residual_->read(row) : nullptr;
    for (std::size_t d = 0; d < padded_; d += kLanes) {
      Lanes v = load(x + d), error = errors_.of_input(v), size = magnitude_of(v) + 2 * error;
      if (residual != nullptr) {
        const Lanes other = load(residual + d), other_error = errors_.of_input(other);
        size += magnitude_of(other) + 2 * other_error;
        const Lanes propagated = error + other_error;
        v += other;
        // The mean is one more term of a sum whose order is unknown, so it is rounded there.
        error = statistic_.is_centered ? propagated : errors_.of_sum(v, propagated, size, 1);
      }
      store(&sum_[d], v);
      store(&sum_error_[d], error);
      store(&size_[d], size);
    }
  }

  std::optional<any_order_error> compute_mean() {
    if (!statistic_.is_centered) return any_order_error(0.0);
    Totals totals;
    for (std::size_t d = 0; d < padded_; d += kLanes) {
      const Lanes v = load(&sum_[d]), error = load(&sum_error_[d]);
      totals.value += v;
      totals.terms += zero_where(is_zero(load(&size_[d])), fill(1));
      totals.magnitude += load(&size_[d]);
      totals.propagated += error;
    }
    const double terms = add_lanes(totals.terms) * (residual_ ? 2 : 1);
    const any_order_error sum = finish_sum(totals, terms, additions(terms, residual_ ? 1 : 0));
    return sum / any_order_error(width_as_double());
  }

  any_order_error finish_sum(const Totals& totals, double terms, double roundings) const {
    return {add_lanes(totals.value),
            sum_error(arithmetic_.arithmetic, roundings, terms, add_lanes(totals.magnitude),
                      add_lanes(totals.propagated))};
  }

  /// Returns the sum of the terms and of one more, which an implementation may add in any order.
  any_order_error finish_sum_with(const any_order_error& last, const Totals& totals,
                                  double terms) const {
    if (last.value == 0 && last.error == 0) return finish_sum(totals, terms, additions(terms, 0));
    const double magnitude = std::fabs(last.value) + 2 * last.error;
    return {add_lanes(totals.value) + last.value,
            sum_error(arithmetic_.arithmetic, additions(terms + 1, 1), terms + 1,
                      add_lanes(totals.magnitude) + magnitude,
                      add_lanes(totals.propagated) + last.error)};
  }

  /// Returns x - mean, or x + residual - mean, with its error. Elements behind the row are 0.
  Lanes center(std::size_t d, const any_order_error& mean, Lanes& error) {
    const Lanes x = load(&sum_[d]);
    error = load(&sum_error_[d]);
    if (!statistic_.is_centered) return x;
    Lanes difference = x - mean.value;
    const Lanes size = load(&size_[d]);
    const Lanes magnitudes = size + (std::fabs(mean.value) + 2 * mean.error);
    const Lanes rounded =
        errors_.of_sum(difference, error + mean.error, magnitudes, residual_ ? 2 : 1);
    const LaneMask is_absent = is_zero(size);  // a difference from 0 is not rounded
    error = zero_where(is_absent, rounded) + zero_unless(is_absent, fill(mean.error));
    if (d + kLanes > width_)
      for (std::size_t l = width_ - d; l < kLanes; ++l) difference[l] = error[l] = 0;
    return difference;
  }

  std::optional<any_order_error> compute_rstd(const any_order_error& mean) {
    Totals totals;
    for (std::size_t d = 0; d < padded_; d += kLanes) {
      Lanes error;
      const Lanes difference = center(d, mean, error);
      const Lanes square = difference * difference, size = magnitude_of(difference);
      Lanes square_error = errors_.of_product(square, size, error, size, error);
      if (d + kLanes > width_)
        for (std::size_t l = width_ - d; l < kLanes; ++l) square_error[l] = 0;
      totals.value += square;
      totals.magnitude += square + 2 * square_error;
      totals.propagated += square_error;
    }
    const any_order_error rstd = any_order_error(1.0) / sqrt(add_eps(totals, mean));
    const bool is_known = std::isfinite(rstd.value) && std::isfinite(rstd.error) && rstd.value > 0;
    return is_known ? std::optional(rstd) : std::nullopt;
  }

  /// Returns the sum of the statistic and eps from the totals of the squares. If the squares are
  /// not divided by D, eps is one more term of their sum.
  any_order_error add_eps(const Totals& squares, const any_order_error& mean) const {
    const any_order_error eps(statistic_.eps);
    const double terms = width_as_double();
    if (!statistic_.is_mean) return finish_sum_with(eps, squares, terms);
    any_order_error statistic =
        finish_sum(squares, terms, additions(terms, 0)) / any_order_error(terms);
    if (statistic_.is_centered) tighten(statistic, mean);
    return statistic + eps;
  }

  /// Raises the lower bound of the variance of the row, as the evaluation of the norm does. The
  /// errors of x and of the residual only matter by their sum.
  void tighten(any_order_error& variance, const any_order_error& mean) const {
    if (residual_)
      ref::numeric::tighten_variance(variance, mean, width_, [&](std::size_t d) {
        return any_order_error(x_[d], sum_error_[d]) + any_order_error((*residual_)[d], 0.0);
      });
    else
      ref::numeric::tighten_variance(variance, mean, width_, [&](std::size_t d) {
        return any_order_error(sum_[d], sum_error_[d]);
      });
  }

  void add_terms(const any_order_error& mean, const any_order_error& rstd, const double* grad_y) {
    const Lanes r = fill(rstd.value), r_error = fill(rstd.error);
    for (std::size_t d = 0; d < padded_; d += kLanes) {
      Lanes error;
      const Lanes difference = center(d, mean, error);
      const Lanes x_hat = difference * r;
      const Lanes x_hat_error =
          errors_.of_product(x_hat, magnitude_of(difference), error, r, r_error);
      const Lanes dy = load(grad_y + d), dy_error = errors_.of_input(dy);
      const Lanes term = dy * x_hat;
      const Lanes term_error =
          errors_.of_product(term, magnitude_of(dy), dy_error, magnitude_of(x_hat), x_hat_error);
      add(gamma_, d, term, term_error);
      if (statistic_.is_mean) add(beta_, d, dy, dy_error);
    }
  }

  static void add(SumsOverRows& sums, std::size_t d, const Lanes& v, const Lanes& error) {
    Totals totals{load(&sums.value[d]), load(&sums.terms[d]), load(&sums.magnitude[d]),
                  load(&sums.propagated[d])};
    totals.add(v, error);
    store(&sums.value[d], totals.value);
    store(&sums.terms[d], totals.terms);
    store(&sums.magnitude[d], totals.magnitude);
    store(&sums.propagated[d], totals.propagated);
  }

  Statistic statistic_;
  const SumArithmetic& arithmetic_;
  LaneErrors errors_;
  std::size_t width_, padded_;
  InputRows x_, grad_y_;
  std::optional<InputRows> residual_ = {};
  std::vector<double> sum_, sum_error_, size_;
  SumsOverRows gamma_ = {}, beta_ = {};
};

/// Returns the number of vectors of D elements in a row of x, which is one index of the first axis.
std::size_t count_vectors_per_row(const std::vector<std::size_t>& shape) {
  std::size_t vectors = 1;
  for (std::size_t axis = 1; axis + 1 < shape.size(); ++axis) vectors *= shape[axis];
  return vectors;
}

void add_to(std::vector<double>& all, const std::vector<double>& part) {
  for (std::size_t i = 0; i < all.size(); ++i) all[i] += part[i];
}

}  // namespace

void NormSums::append(const std::vector<SumsOverRows>& block, std::size_t rows) {
  ++blocks_;
  largest_block_ = std::max(largest_block_, rows);
  if (sums_.empty()) {
    sums_ = block;
    return;
  }
  for (std::size_t k = 0; k < sums_.size(); ++k) {
    add_to(sums_[k].value, block[k].value);
    add_to(sums_[k].terms, block[k].terms);
    add_to(sums_[k].magnitude, block[k].magnitude);
    add_to(sums_[k].propagated, block[k].propagated);
  }
}

double NormSums::error(const SumsOverRows& sum, std::size_t i) const {
  // The additions of a term to the rows of its block, to the blocks and to the columns. The first
  // addition of each is exact.
  const auto in_order =
      static_cast<double>((largest_block_ - 1) + (blocks_ - 1) + (sum.columns - 1));
  const double any_order = sum.terms[i] - 1;
  return sum_error(arithmetic_.arithmetic,
                   arithmetic_.any_order ? any_order : std::min(any_order, in_order), sum.terms[i],
                   sum.magnitude[i], sum.propagated[i]);
}

bool has_norm_sums(const Case& c, const Arithmetic& arithmetic) {
  const StoredTensor* const x = find(c.inputs, "x");
  const bool is_supported =
      find_statistic(c) && !arithmetic.exact_operations && arithmetic.input_roundoff == 0 &&
      x != nullptr && x->shape.size() >= 2 && !c.sequence && find(c.inputs, "valid") == nullptr;
  return is_supported && std::ranges::all_of(c.inputs, [&](const StoredTensor& tensor) {
           const bool is_term =
               tensor.name == "x" || tensor.name == "grad_y" || tensor.name == "residual";
           return !is_term || (tensor.shape == x->shape && can_represent(arithmetic, tensor.dtype));
         });
}

std::optional<std::vector<SumsOverRows>> sum_norm_over_rows(const Case& c, std::size_t begin,
                                                            std::size_t end,
                                                            const SumArithmetic& arithmetic) {
  const AnyOrderArithmetic scope(arithmetic.arithmetic);
  BlockSums sums(c, *find_statistic(c), arithmetic);
  const std::size_t vectors = count_vectors_per_row(find(c.inputs, "x")->shape);
  for (std::size_t v = begin * vectors; v < end * vectors; ++v)
    if (!sums.add(v)) return std::nullopt;
  return sums.finish();
}

std::optional<NormSums> sum_norm_over_blocks(const Case& c, const RowBlocks& blocks,
                                             const SumArithmetic& arithmetic, int threads,
                                             const Progress& progress) {
  const std::size_t vectors = count_vectors_per_row(find(c.inputs, "x")->shape);
  NormSums all(arithmetic);
  bool is_complete = true;
  for_each_block(
      blocks, threads, progress,
      [&](std::size_t i) {
        return sum_norm_over_rows(c, blocks.first_row(i), blocks.first_row(i + 1), arithmetic);
      },
      [&](std::size_t i, std::optional<std::vector<SumsOverRows>>&& part) {
        if (part)
          all.append(*part, vectors * (blocks.first_row(i + 1) - blocks.first_row(i)));
        else
          is_complete = false;
      });
  return is_complete ? std::optional(std::move(all)) : std::nullopt;
}

bool has_sums_over_rows(const Case& c) {
  constexpr std::size_t kFirst[] = {0};
  const Case row = select_rows(c, kFirst);
  checks::evaluation::EvalInputs inputs = recipes::inputs_of(row);
  replace_not_finite(inputs, row, kReplacements);
  for (const auto& [name, values] :
       checks::evaluation::run_operation<double>(row.options, inputs, row.sequence))
    if (is_sum_over_rows(name)) return true;
  return false;
}

}  // namespace normproof::verification::golden::certify
