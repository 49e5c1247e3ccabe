#include "verification/golden/plain/plain_merge.hpp"

#include <limits>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/plain/low_precision_number.hpp"
#include "verification/golden/plain/plain_arithmetic.hpp"
#include "verification/golden/plain/plain_math.hpp"
#include "verification/golden/plain/plain_rows.hpp"

namespace normproof::verification::golden::plain {

using corpus::find;
using corpus::output_dtype;
using corpus::usual_accumulation;

namespace {

template <class T>
class PlainMerge {
 public:
  using Op = MutationOperator;
  using Results = std::map<std::string, std::vector<T>>;

  PlainMerge(const ref::model::FunctionInputs& in, bool base_2, DType dtype, const Style& style,
             Sites& sites)
      : dtype_(dtype),
        a_(style, sites, ref::io::item_size(dtype) > 2),
        sites_(sites),
        base_2_(base_2) {
    const auto shape = ref::tensor::shape_of(in.tensors.at("o"));
    splits_ = shape[0], tokens_ = shape[3], width_ = shape[4];
    rows_ = shape[1] * shape[2] * tokens_;
    o_ = read(in, "o", "reading o", {splits_ * rows_, 1, width_});
    logs_ = read(in, "log_sum_exp", "reading log_sum_exp", {splits_, 1, rows_});
    dy_ = read(in, "grad_y", "reading grad_y", {rows_, 1, width_});
  }

  Results run() {
    y_.assign(rows_ * width_, T(0));
    merged_.assign(rows_, T(0));
    grad_o_.assign(splits_ * rows_ * width_, T(0));
    grad_logs_.assign(splits_ * rows_, T(0));
    for (std::size_t row = 0; row < rows_; ++row) run_row(row);
    Results results;
    const auto keep = [&](const char* name, std::vector<T>& values, const PlainShape& shape) {
      write_rows(name, shape, values, sites_);
      results[name] = std::move(values);
    };
    keep("y", y_, {rows_, 1, width_});
    keep("log_sum_exp", merged_, {rows_ / tokens_, 1, tokens_});
    keep("grad_o", grad_o_, {splits_ * rows_, 1, width_});
    keep("grad_log_sum_exp", grad_logs_, {splits_, 1, rows_});
    return results;
  }

 private:
  std::vector<T> read(const ref::model::FunctionInputs& in, const char* name, const char* site,
                      const PlainShape& shape) {
    std::vector<T> values;
    for (const double v : in.tensors.at(name)) values.push_back(static_cast<T>(v));
    read_rows(site, shape, values, sites_);
    return values;
  }

  static bool is_minus_infinity(T x) {
    return static_cast<double>(x) == -std::numeric_limits<double>::infinity();
  }
  static T number(double v) { return static_cast<T>(v); }
  std::size_t state(std::size_t split, std::size_t row) const { return split * rows_ + row; }
  std::size_t element(std::size_t split, std::size_t row, std::size_t e) const {
    return state(split, row) * width_ + e;
  }
  T stored(T value) const {
    return a_.style().from_y
               ? number(ref::numeric::round_to(storage_format(dtype_), static_cast<double>(value)))
               : value;
  }

  /// Returns the exponential of a difference of logarithms in the base of the case. An injected
  /// error takes the other base.
  T exponential(T difference) {
    using std::exp2;
    const Op op = sites_.any("base of the weights", {base_2_ ? Op::drop : Op::insert});
    const bool two = base_2_ != (op != Op::none);
    if (two)
      return a_.style().powers ? exp2(difference) : adl_exp(difference * number(std::numbers::ln2));
    return a_.style().powers ? exp2(difference * number(std::numbers::log2e)) : adl_exp(difference);
  }

  static constexpr std::size_t kFirstSplits = 32;

  /// The splits of a query that are not empty, and their weights.
  struct Row {
    std::vector<std::size_t> splits;
    std::vector<T> weights;  ///< one for each split of the query
    T largest = 0, sum = 0;
  };

  /// Returns the splits of a query that take part. An injected error takes an empty split for one
  /// whose logarithm is 0.
  std::vector<std::size_t> splits_of(std::size_t row) {
    std::vector<std::size_t> splits;
    for (std::size_t p = 0; p < splits_; ++p) {
      if (!is_minus_infinity(logs_[state(p, row)]))
        splits.push_back(p);
      else if (sites_.any("empty split", {Op::ignore_mask}) != Op::none)
        logs_[state(p, row)] = 0, splits.push_back(p);
    }
    const bool more = splits_ > kFirstSplits;
    const Op lost = more ? sites_.any("splits that are read", {Op::drop, Op::first_32})
                         : sites_.any("splits that are read", {Op::drop});
    const std::size_t end = lost == Op::drop       ? splits_ - 1
                            : lost == Op::first_32 ? kFirstSplits
                                                   : splits_;
    while (splits.size() > 1 && splits.back() >= end) splits.pop_back();
    return splits;
  }

  Row weigh(std::size_t row) {
    Row result{splits_of(row), std::vector<T>(splits_, T(0))};
    if (result.splits.empty()) return result;
    const auto log = [&](std::size_t p) { return logs_[state(p, row)]; };
    result.largest = log(result.splits.front());
    for (const std::size_t p : result.splits)
      if (result.largest < log(p)) result.largest = log(p);
    if (sites_.any("largest logarithm", {Op::drop}) == Op::drop) result.largest = 0;
    result.sum = a_.sum("sum of exponentials", result.splits,
                        [&](std::size_t p) { return exponential(log(p) - result.largest); });
    if (a_.style().welford) result.sum = sum_in_one_pass(result.splits, row);
    const Op op = result.splits.size() < 2
                      ? Op::none
                      : sites_.any("weights of the splits", {Op::other, Op::reversed});
    for (std::size_t i = 0; i < result.splits.size(); ++i) {
      const std::size_t p = result.splits[i];
      const std::size_t from =
          op == Op::reversed ? result.splits[(i + 1) % result.splits.size()] : p;
      result.weights[p] = op == Op::other ? 1 / number(static_cast<double>(result.splits.size()))
                                          : weight(log(from) - result.largest, result.sum);
    }
    return result;
  }

  T weight(T difference, T sum) {
    if (a_.style().divide)
      return exponential(difference -
                         (base_2_ ? adl_log(sum) * number(std::numbers::log2e) : adl_log(sum)));
    const T e = exponential(difference);
    return sites_.any("division by the sum", {Op::drop}) == Op::drop ? e : a_.over(e, sum);
  }

  T sum_in_one_pass(const std::vector<std::size_t>& splits, std::size_t row) {
    T largest = logs_[state(splits.front(), row)], sum = 0;
    for (const std::size_t p : splits) {
      const T log = logs_[state(p, row)];
      if (largest < log) sum *= exponential(largest - log), largest = log;
      sum += exponential(log - largest);
    }
    return sum;
  }

  void run_row(std::size_t row) {
    const Row own = weigh(row);
    if (own.splits.empty()) return store_row_without_splits(row);
    std::vector<std::size_t> read = own.splits;
    if (own.splits.size() < splits_ && sites_.any("o of an empty split", {Op::insert}) != Op::none)
      for (std::size_t p = 0; p < splits_; ++p)
        if (is_minus_infinity(logs_[state(p, row)])) read.push_back(p);
    for (std::size_t e = 0; e < width_; ++e)
      y_[row * width_ + e] = a_.sum("sum over the splits", read, [&](std::size_t p) {
        return sites_.factor("weight in y", own.weights[p]) * o_[element(p, row, e)];
      });
    merged_[row] = merged_logarithm(own, row);
    backward(own, row);
  }

  /// Stores the results of a query whose splits are all empty. Injected errors compute the
  /// exponential of -infinity minus -infinity, or return another number for log_sum_exp.
  void store_row_without_splits(std::size_t row) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    if (sites_.any("query without a split", {Op::insert}) == Op::insert)
      for (std::size_t e = 0; e < width_; ++e) y_[row * width_ + e] = number(nan);
    switch (sites_.any("log_sum_exp of a query without a split",
                       {Op::insert, Op::drop, Op::negate, Op::clip})) {
      case Op::insert:
        merged_[row] = number(nan);
        break;
      case Op::drop:
        merged_[row] = 0;
        break;
      case Op::negate:
        merged_[row] = number(std::numeric_limits<double>::infinity());
        break;
      case Op::clip:
        merged_[row] = number(-1e4);
        break;
      default:
        merged_[row] = number(-std::numeric_limits<double>::infinity());
    }
  }

  T merged_logarithm(const Row& own, std::size_t row) {
    const Op op =
        own.splits.size() < 2 ? Op::none : sites_.any("log_sum_exp", {Op::drop, Op::insert});
    if (op == Op::drop) return own.largest;
    if (op == Op::insert) {
      T sum = 0;
      for (const std::size_t p : own.splits) sum += logs_[state(p, row)];
      return sum;
    }
    T log = adl_log(own.sum);
    const Op base = own.splits.size() < 2 ? Op::none
                                          : sites_.any("base of the merged log_sum_exp",
                                                       {base_2_ ? Op::drop : Op::insert});
    if (base_2_ != (base != Op::none))
      log = a_.style().divide ? log / number(std::numbers::ln2) : log * number(std::numbers::log2e);
    return sites_.term("largest logarithm, added back", own.largest) + log;
  }

  void backward(const Row& own, std::size_t row) {
    std::vector<T> grad_weights(splits_, T(0));
    std::vector<std::size_t> features(width_);
    for (std::size_t e = 0; e < width_; ++e) features[e] = e;
    for (const std::size_t p : own.splits) {
      for (std::size_t e = 0; e < width_; ++e)
        grad_o_[element(p, row, e)] = sites_.factor("weight in grad_o", own.weights[p]) *
                                      sites_.term("grad_y in grad_o", dy_[row * width_ + e]);
      grad_weights[p] = a_.sum("sum of grad_y o", features, [&](std::size_t e) {
        return dy_[row * width_ + e] * o_[element(p, row, e)];
      });
    }
    const T mean = a_.style().from_y
                       ? a_.sum("sum of grad_y y", features,
                                [&](std::size_t e) {
                                  return dy_[row * width_ + e] * stored(y_[row * width_ + e]);
                                })
                       : a_.sum("mean of the gradients", own.splits,
                                [&](std::size_t p) { return own.weights[p] * grad_weights[p]; });
    const Op base = sites_.any("base in grad_log_sum_exp", {base_2_ ? Op::drop : Op::insert});
    const T unit = base_2_ != (base != Op::none) ? number(std::numbers::ln2) : T(1);
    for (const std::size_t p : own.splits)
      grad_logs_[state(p, row)] = sites_.factor("weight in grad_log_sum_exp", own.weights[p]) *
                                  (sites_.term("sum of grad_y o, added", grad_weights[p]) -
                                   sites_.term("mean of the gradients, subtracted", mean)) *
                                  unit;
  }

  DType dtype_;
  PlainArithmetic<T> a_;
  Sites& sites_;
  bool base_2_;
  std::size_t splits_ = 0, rows_ = 0, tokens_ = 0, width_ = 0;
  std::vector<T> o_, logs_, dy_, y_, merged_, grad_o_, grad_logs_;
};

std::vector<std::size_t> shape_of_merge(const Case& c, const std::string& name) {
  if (name.starts_with("grad_")) return find(c.inputs, name.substr(5))->shape;
  std::vector<std::size_t> shape = find(c.inputs, "grad_y")->shape;
  if (name != "y") shape.pop_back();
  return shape;
}

}  // namespace

std::vector<StoredTensor> run_plain_merge(const Case& c, const EvalInputs& inputs,
                                          const Style& style, Sites& sites) {
  const auto& options = std::get<ref::model::MergeAttentionStatesOptions>(
      std::get<ref::model::FunctionOptions>(c.options));
  const bool base_2 = options.log_sum_exp_base == ref::model::LogSumExpBase::two;
  const auto run = [&]<class T>(T) {
    std::vector<StoredTensor> tensors;
    for (const auto& [name, values] :
         PlainMerge<T>(inputs.function, base_2, c.dtype, style, sites).run())
      tensors.push_back(stored_tensor(name, output_dtype(c, name), shape_of_merge(c, name), values,
                                      style, sites));
    return tensors;
  };
  return in_arithmetic(style.accumulation.value_or(usual_accumulation(c.dtype)), run);
}

}  // namespace normproof::verification::golden::plain
