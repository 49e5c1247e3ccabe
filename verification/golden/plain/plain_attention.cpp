#include "verification/golden/plain/plain_attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "verification/golden/corpus/arithmetic.hpp"
#include "verification/golden/plain/low_precision_number.hpp"
#include "verification/golden/plain/plain_arithmetic.hpp"
#include "verification/golden/plain/plain_math.hpp"
#include "verification/golden/plain/plain_one_pass.hpp"
#include "verification/golden/plain/plain_rows.hpp"

namespace normproof::verification::golden::plain {

using corpus::find;
using corpus::output_dtype;
using corpus::usual_accumulation;
using Op = MutationOperator;

namespace {

/// Scaled dot-product attention, forward and backward, written with simple loops. The backward pass
/// recomputes the attention weights.
template <class T>
class PlainDotProduct {
 public:
  using Results = std::map<std::string, std::vector<T>>;

  PlainDotProduct(const ref::model::FunctionInputs& in, const ref::model::AttentionOptions& options,
                  DType dtype, const Style& style, Sites& sites)
      : options_(options),
        dtype_(dtype),
        a_(style, sites, ref::io::item_size(dtype) > 2),
        sites_(sites) {
    const auto shape = ref::tensor::shape_of(in.tensors.at("q"));
    const auto of_values = ref::tensor::shape_of(in.tensors.at("v"));
    samples_ = shape[0], heads_ = shape[1], tokens_ = shape[2], width_ = shape[3];
    kv_heads_ = of_values[1], keys_ = of_values[2], value_width_ = of_values[3];
    q_ = read(in, "q", "reading q", width_);
    k_ = read(in, "k", "reading k", width_);
    v_ = read(in, "v", "reading v", value_width_);
    dy_ = read(in, "grad_y", "reading grad_y", value_width_);
    if (in.tensors.contains("sinks")) sinks_ = read(in, "sinks", "reading sinks", heads_);
    if (in.tensors.contains("bias")) {
      bias_ = read(in, "bias", "reading bias", keys_);
      const auto of_bias = ref::tensor::shape_of(in.tensors.at("bias"));
      bias_samples_ = of_bias[0], bias_heads_ = of_bias[1];
    }
    valid_.assign(samples_ * keys_, true);
    if (ref::tensor::is_given(in.valid)) {
      masked_ = true;
      valid_.assign(in.valid.begin(), in.valid.end());
    }
  }

  Results run() {
    const std::size_t queries = samples_ * heads_ * tokens_;
    weights_.assign(queries * keys_, T(0));
    logs_.assign(queries, T(0));
    largest_.assign(queries, T(0));
    y_.assign(queries * value_width_, T(0));
    sink_weights_.assign(queries, T(0));
    means_.assign(queries, T(0));
    if (!bias_.empty()) grad_biased_scores_.assign(queries * keys_, T(0));
    bool every_query_sees = true;
    for_each_query([&](const Query& at) { every_query_sees &= forward(at); });
    backward();
    Results results;
    const auto keep = [&](const char* name, std::vector<T>& values, std::size_t width) {
      write_rows(name, {values.size() / width, 1, width}, values, sites_);
      results[name] = std::move(values);
    };
    if (every_query_sees) {
      change_base();
      keep("log_sum_exp", logs_, tokens_);
    }
    keep("y", y_, value_width_);
    keep("grad_q", grad_q_, width_);
    keep("grad_k", grad_k_, width_);
    keep("grad_v", grad_v_, value_width_);
    if (!sinks_.empty()) keep("grad_sinks", grad_sinks_, heads_);
    if (!bias_.empty()) keep("grad_bias", grad_bias_, keys_);
    return results;
  }

 private:
  struct Query {
    std::size_t sample, head, token;
    std::size_t number;  ///< flat index of the query in [samples,heads,tokens]
    /// The flat index of the first key that the query reads, in [samples,key heads,keys].
    std::size_t first_key;
  };

  std::vector<T> read(const ref::model::FunctionInputs& in, const char* name, const char* site,
                      std::size_t width) {
    std::vector<T> values;
    if (const auto* const tensor = in.tensors.find(name))
      for (const double x : *tensor) values.push_back(static_cast<T>(x));
    read_rows(site, {values.size() / width, 1, width}, values, sites_);
    return values;
  }

  bool is_mutated_to_other(const char* site) { return sites_.any(site, {Op::other}) == Op::other; }

  Query query(std::size_t number) {
    Query at{number / (heads_ * tokens_), number / tokens_ % heads_, number % tokens_, number, 0};
    const std::size_t group = heads_ / kv_heads_;
    const bool in_turn = kv_heads_ > 1 && group > 1 && is_mutated_to_other("head of the keys");
    const std::size_t own = in_turn ? at.head % kv_heads_ : at.head / group;
    at.first_key = (at.sample * kv_heads_ + own) * keys_;
    return at;
  }
  template <class F>
  void for_each_query(F f) {
    for (std::size_t number = 0; number < samples_ * heads_ * tokens_; ++number) f(query(number));
  }

  /// A key and the position of a query as two numbers, which are equal if the key is there.
  struct Position {
    std::size_t key, query;
  };
  Position position(std::size_t i, std::size_t j, bool from_the_end) const {
    return from_the_end ? Position{j + tokens_, i + keys_} : Position{j, i};
  }
  bool is_natural() const { return options_.log_sum_exp_base == ref::model::LogSumExpBase::e; }
  bool is_from_the_end() const {
    return options_.mask_corner == ref::model::MaskCorner::bottom_right;
  }

  /// Whether the causal mask of the forward or the backward pass lets query i attend to key j.
  bool causal_mask_allows(bool backward, std::size_t i, std::size_t j) {
    if (!options_.causal) return inserted_mask_allows(backward, i, j);
    const char* const site = backward ? "causal mask in the backward" : "causal mask";
    const Position at = position(i, j, is_from_the_end());
    const Op other = is_from_the_end() ? Op::other : Op::inverted;
    switch (sites_.any(site, {Op::drop, Op::one_more, Op::one_less, Op::transposed, other})) {
      case Op::drop:
        return true;
      case Op::one_more:
        return at.key <= at.query + 1;
      case Op::one_less:
        return at.key < at.query;
      case Op::transposed:  // error: only later keys are visible
        return at.key >= at.query;
      case Op::other:     // error: the mask is aligned at the first key instead of the last
      case Op::inverted:  // error: the mask is aligned at the last key instead of the first
        return position(i, j, !is_from_the_end()).key <= position(i, j, !is_from_the_end()).query;
      default:
        return at.key <= at.query;
    }
  }

  /// Whether the window lets query i attend to key j.
  bool window_allows(bool backward, std::size_t i, std::size_t j) {
    if (!options_.window_left && !options_.window_right) return true;
    bool from_the_end = is_from_the_end();
    if (is_mutated_to_other(backward ? "corner of the window in the backward"
                                     : "corner of the window"))
      from_the_end = !from_the_end;
    const Position at = position(i, j, from_the_end);
    if (at.key > at.query)
      return is_within(backward ? "window of later keys in the backward" : "window of later keys",
                       at.key - at.query, options_.window_right);
    return is_within(backward ? "window of earlier keys in the backward" : "window of earlier keys",
                     at.query - at.key, options_.window_left);
  }

  bool is_within(const char* site, std::size_t distance, const std::optional<std::size_t>& limit) {
    if (!limit) return true;
    switch (sites_.any(site, {Op::drop, Op::one_more, Op::one_less})) {
      case Op::drop:
        return true;
      case Op::one_more:
        return distance <= *limit + 1;
      case Op::one_less:  // the key at the position of the query stays visible
        return distance == 0 || distance < *limit;
      default:
        return distance <= *limit;
    }
  }

  /// Whether query i may attend to key j although an error inserts a causal mask. It is aligned at
  /// the last key, or at the first if their numbers differ.
  bool inserted_mask_allows(bool backward, std::size_t i, std::size_t j) {
    const auto is_inserted = [&](const char* site) {
      return sites_.any(site, {Op::insert}) == Op::insert;
    };
    if (j + tokens_ > i + keys_ &&
        is_inserted(backward ? "causal mask in the backward" : "causal mask"))
      return false;
    if (tokens_ == keys_ || j <= i) return true;
    return !is_inserted(backward ? "causal mask from the first key in the backward"
                                 : "causal mask from the first key");
  }

  bool is_key_included(bool backward, std::size_t sample, std::size_t j) {
    if (!masked_) return true;
    if (samples_ > 1 && is_mutated_to_other("sample of the mask")) sample = (sample + 1) % samples_;
    const auto of = [&](std::size_t key) -> bool { return valid_[sample * keys_ + key]; };
    switch (sites_.any("length of a sample", {Op::one_more, Op::one_less})) {
      case Op::one_more:
        return of(j) || (j > 0 && of(j - 1));
      case Op::one_less:
        return of(j) && j + 1 < keys_ && of(j + 1);
      default:
        return sites_.mask(backward ? "mask of the keys in the backward" : "mask of the keys",
                           of(j));
    }
  }

  std::vector<std::size_t> visible_rows(const Query& at, bool backward) {
    std::vector<std::size_t> seen;
    for (std::size_t j = 0; j < keys_; ++j)
      if (is_key_included(backward, at.sample, j) && causal_mask_allows(backward, at.token, j) &&
          window_allows(backward, at.token, j) && !is_hidden_by_bias(at, j))
        seen.push_back(j);
    return hides_keys_before_cap() ? add_hidden_keys(at, seen) : seen;
  }

  /// Returns all keys, and remembers which of them `seen` lacks.
  std::vector<std::size_t> add_hidden_keys(const Query& at, const std::vector<std::size_t>& seen) {
    hidden_.resize(samples_ * heads_ * tokens_ * keys_, false);
    const auto first = hidden_.begin() + static_cast<std::ptrdiff_t>(at.number * keys_);
    std::fill_n(first, keys_, true);
    for (const std::size_t j : seen) hidden_[at.number * keys_ + j] = false;
    return features(keys_);
  }

  /// Returns the element of the bias that a score reads.
  T bias(const Query& at, std::size_t j) {
    std::size_t sample = bias_samples_ == 1 ? 0 : at.sample;
    std::size_t head = bias_heads_ == 1 ? 0 : at.head;
    if (bias_samples_ > 1 && is_mutated_to_other("sample of the bias")) sample = 0;
    if (bias_heads_ > 1 && is_mutated_to_other("first head of the bias")) head = 0;
    if (bias_heads_ > kv_heads_ && is_mutated_to_other("head of the bias"))
      head /= bias_heads_ / kv_heads_;  // error: the bias of the key head
    const bool is_transposed =
        tokens_ == keys_ && tokens_ > 1 &&
        sites_.any("queries and keys of the bias", {Op::transposed}) == Op::transposed;
    const bool is_first = tokens_ > 1 && is_mutated_to_other("query of the bias");
    const std::size_t token = is_first ? 0 : at.token;
    const std::size_t i = is_transposed ? j : token, key = is_transposed ? token : j;
    return bias_[((sample * bias_heads_ + head) * tokens_ + i) * keys_ + key];
  }
  bool is_hidden_by_bias(const Query& at, std::size_t j) {
    return !bias_.empty() && std::isinf(static_cast<double>(bias(at, j)));
  }

  /// Returns the score of a key with its bias. `capped` is its score after the cap.
  T biased(const Query& at, std::size_t j, T capped) {
    if (bias_.empty()) return capped;
    const T added = bias(at, j);
    switch (sites_.any("bias of the scores",
                       {Op::drop, Op::negate, Op::twice, Op::square, Op::inverted})) {
      case Op::drop:
        return capped;
      case Op::negate:
        return capped - added;
      case Op::twice:
        return capped + added + added;
      case Op::square:  // error: the bias is multiplied by the scale, too
        return capped + added * scale("scale");
      case Op::inverted:  // error: a bias for exp2 that is not multiplied by log2(e)
        return capped + added * static_cast<T>(std::numbers::ln2);
      default:
        return capped + added;
    }
  }

  T scale(const char* site) {
    T factor = 1;
    if (options_.scale) {
      factor = sites_.constant("given scale", static_cast<T>(*options_.scale));
    } else {
      const std::size_t d = width_ * (heads_ > 1 && is_mutated_to_other("d and H d") ? heads_ : 1);
      factor = 1 / adl_sqrt(static_cast<T>(static_cast<double>(d)));
    }
    return sites_.factor(site, factor);
  }

  T exponential(T x) {
    using std::exp2;
    return a_.style().powers ? exp2(x * static_cast<T>(std::numbers::log2e)) : adl_exp(x);
  }

  T tanh(T x) {
    if (!a_.style().powers) return adl_tanh(x);
    return 2 / (1 + exponential(-2 * x)) -
           1;  // as in kernels that have the logistic function alone
  }

  /// Returns the score of a key: the scaled product of query and key, with a cap and a bias if
  /// there are any.
  T score(const Query& at, std::size_t j) {
    if (has_bias_before_cap()) return capped_score(at, j, bias(at, j));
    return biased(at, j, capped_score(at, j, T(0)));
  }

  /// Whether an injected error adds the bias before the cap.
  bool has_bias_before_cap() {
    return options_.soft_cap && !bias_.empty() &&
           sites_.any("soft cap and bias", {Op::reversed}) == Op::reversed;
  }

  T capped_score(const Query& at, std::size_t j, T added) {
    const T product = scaled_product(at, j, "scale") + added;
    if (!options_.soft_cap) return product;
    const T cap = sites_.constant("given cap", static_cast<T>(*options_.soft_cap));
    if (is_capped_minus_infinity(at, j)) return -cap;
    switch (sites_.any("soft cap", {Op::drop, Op::inverted, Op::twice, Op::other, Op::zeroed})) {
      case Op::drop:
        return product;
      case Op::inverted:  // error: the cap multiplies where it should divide
        return cap * tanh(product * cap);
      case Op::twice:  // error: the scores are scaled once more inside of tanh
        return cap * tanh(product * scale("scale") / cap);
      case Op::other:  // error: the product has the cap before the scale
        return scale("scale") * (cap * tanh(product / scale("scale") / cap));
      case Op::zeroed:  // error: tanh is not multiplied by the cap
        return tanh(product / cap);
      default:
        return cap * tanh(product / cap);
    }
  }

  /// Returns the derivative of the score of a key by its scaled product.
  T slope_of_cap(const Query& at, std::size_t j) {
    if (!options_.soft_cap) return T(1);
    if (is_capped_minus_infinity(at, j)) return T(0);
    const T cap = sites_.constant("given cap", static_cast<T>(*options_.soft_cap));
    const T added = has_bias_before_cap() ? bias(at, j) : T(0);
    const T t = tanh((scaled_product(at, j, "scale") + added) / cap);
    const T slope = 1 - t * t;
    switch (sites_.any("soft cap in the backward", {Op::drop, Op::square, Op::other})) {
      case Op::drop:
        return T(1);
      case Op::square:
        return slope * slope;
      case Op::other:  // error: the score with its cap instead of its tanh
        return 1 - cap * t * (cap * t);
      default:
        return slope;
    }
  }

  /// Whether an injected error hides keys by minus infinity before the cap, which makes it -cap.
  bool hides_keys_before_cap() {
    const bool may_hide =
        masked_ || options_.causal || options_.window_left || options_.window_right;
    return options_.soft_cap && may_hide &&
           sites_.any("soft cap and mask", {Op::reversed}) == Op::reversed;
  }
  bool is_capped_minus_infinity(const Query& at, std::size_t j) const {
    return !hidden_.empty() && hidden_[at.number * keys_ + j];
  }

  T scaled_product(const Query& at, std::size_t j, const char* scale_site) {
    const T* const q = &q_[at.number * width_];
    const T* const k = &k_[(at.first_key + j) * width_];
    const T product =
        a_.sum("sum of a score", features(width_), [&](std::size_t c) { return q[c] * k[c]; });
    if (a_.style().divide && !options_.scale)
      return product / adl_sqrt(static_cast<T>(static_cast<double>(width_)));
    return product * scale(scale_site);
  }

  /// Returns the score of the sink of a query. There is none without sinks, or if an error ignores
  /// them.
  std::optional<T> sink(const Query& at) {
    if (sinks_.empty() || sites_.any("sink", {Op::drop}) == Op::drop) return std::nullopt;
    std::size_t head = at.head;
    if (heads_ > kv_heads_ && is_mutated_to_other("head of the sink"))
      head /= heads_ / kv_heads_;  // error: the sink of the key head
    head = other_head_of_sink(at, head);
    T score = sinks_[head];
    if (sites_.any("scale of the sink", {Op::insert}) == Op::insert) score = score * scale("scale");
    if (options_.soft_cap && sites_.any("soft cap of the sink", {Op::insert}) == Op::insert) {
      const T cap = static_cast<T>(*options_.soft_cap);
      score = cap * tanh(score / cap);
    }
    switch (sites_.any("base of the sink", {Op::drop, Op::square})) {
      case Op::drop:  // error: exp2 of a sink that is not multiplied by log2(e)
        return score * static_cast<T>(std::numbers::ln2);
      case Op::square:  // error: the sink is multiplied by log2(e) although exp follows
        return score * static_cast<T>(std::numbers::log2e);
      default:
        return score;
    }
  }

  /// Returns the index of the sink that a query reads if an error is injected, or `head` otherwise.
  std::size_t other_head_of_sink(const Query& at, std::size_t head) {
    if (heads_ == 1) return head;
    const Op op = tokens_ > 1 ? sites_.any("heads of the sinks", {Op::rotated, Op::transposed})
                              : sites_.any("heads of the sinks", {Op::rotated});
    if (op == Op::rotated) return (head + 1) % heads_;
    return op == Op::transposed ? at.number % heads_ : head;
  }

  /// Returns the exponential of the score of a sink, relative to the largest score.
  T sink_exponential(T sink, T largest) {
    switch (sites_.any("largest score, subtracted from the sink", {Op::drop, Op::twice})) {
      case Op::drop:
        return exponential(sink);
      case Op::twice:
        return exponential(sink - largest - largest);
      default:
        return exponential(sink - largest);
    }
  }

  static std::vector<std::size_t> features(std::size_t count) {
    std::vector<std::size_t> indices(count);
    for (std::size_t c = 0; c < count; ++c) indices[c] = c;
    return indices;
  }

  /// Rounds a value to the dtype of the case if the style stores the value before using it.
  T stored(T value) const {
    return a_.style().from_y ? static_cast<T>(ref::numeric::round_to(storage_format(dtype_),
                                                                     static_cast<double>(value)))
                             : value;
  }

  /// Computes the attention weights of one query and its elements of y and log_sum_exp.
  /// Returns whether the query has a log_sum_exp: it can attend to any key, or has a sink.
  bool forward(const Query& at) {
    const std::vector<std::size_t> seen = visible_rows(at, false);
    const std::optional<T> sink_score = sink(at);
    T* const weights = &weights_[at.number * keys_];
    if (seen.empty()) return store_query_without_keys(at, sink_score);
    std::vector<T> scores(keys_, T(0));
    for (const std::size_t j : seen) scores[j] = score(at, j);
    T largest = scores[seen[0]];
    for (const std::size_t j : seen) largest = largest < scores[j] ? scores[j] : largest;
    if (sink_score && largest < *sink_score &&
        sites_.any("sink in the largest score", {Op::drop}) != Op::drop)
      largest = *sink_score;
    if (sites_.any("largest score", {Op::drop}) == Op::drop) largest = 0;
    T sum = a_.sum("sum of exponentials", seen,
                   [&](std::size_t j) { return exponential(scores[j] - largest); });
    const RunningMaxima running = inject_running_maxima(seen, scores);
    if (running.of_sum) sum = exponentials_below(seen, scores, *running.of_sum);
    const std::size_t hidden = keys_ - seen.size();
    if (hidden > 0 && sites_.any("scores of hidden keys", {Op::zeroed}) == Op::zeroed)
      sum += static_cast<T>(static_cast<double>(hidden)) * exponential(-largest);
    const T sum_of_keys = sum;
    if (sink_score) {
      const T e = sink_exponential(*sink_score, largest);
      sum += sites_.term("sink in the sum", e);
      sink_weights_[at.number] = a_.over(e, sum);
    }
    const bool whole = sites_.any("division by the sum", {Op::drop}) == Op::drop;
    const bool late = a_.style().welford;  // as in kernels that process keys block by block
    for (const std::size_t j : seen) {
      const T e = exponential(scores[j] - largest);
      weights[j] = whole || late ? e : a_.over(e, sum);
    }
    if (running.of_values)
      store_y_without_rescaling(at, seen, scores, *running.of_values, sum);
    else
      store_y(at, seen);
    if (late && !whole) {
      for (const std::size_t j : seen) weights[j] = a_.over(weights[j], sum);
      for (std::size_t c = 0; c < value_width_; ++c)
        y_[at.number * value_width_ + c] = a_.over(y_[at.number * value_width_ + c], sum);
    }
    const bool is_left_out =
        sink_score && sites_.any("sink in log_sum_exp", {Op::drop}) == Op::drop;
    T log = adl_log(is_left_out ? sum_of_keys : sum);
    if (is_natural() && is_mutated_to_other("logarithm of the sum"))
      log = log * static_cast<T>(std::numbers::log2e);
    largest_[at.number] = largest;
    logs_[at.number] =
        sites_.term("largest score, added back", largest) + sites_.term("log of the sum", log);
    return true;
  }

  /// For each visible key, the largest score of its block and of the blocks before it. They are set
  /// if an error is injected: a pass over blocks of keys does not rescale the sum of exponentials,
  /// or the sum of values, when the maximum grows.
  struct RunningMaxima {
    std::optional<std::vector<T>> of_sum, of_values;
  };

  RunningMaxima inject_running_maxima(const std::vector<std::size_t>& seen,
                                      const std::vector<T>& scores) {
    RunningMaxima injected;
    // Hidden keys have the least score of the visible ones, so that they change no maximum.
    T least = scores[seen[0]];
    for (const std::size_t j : seen) least = scores[j] < least ? scores[j] : least;
    std::vector<T> of_keys(keys_, least);
    for (const std::size_t j : seen) of_keys[j] = scores[j];
    const auto score = [&](std::size_t j) { return of_keys[j]; };
    const BlockLengths lengths = lengths_before_maximum(keys_, score);
    const auto inject = [&](const char* site, bool in_sum, bool in_values) {
      const auto length = length_of_blocks(site, keys_, lengths, sites_);
      if (!length) return;
      const std::vector<T> maxima = running_maxima(keys_, *length, score);
      std::vector<T> largest;
      largest.reserve(seen.size());
      for (const std::size_t j : seen) largest.push_back(maxima[j]);
      if (in_sum) injected.of_sum = largest;
      if (in_values) injected.of_values = std::move(largest);
    };
    inject(kNotRescaledSum, true, false);
    inject(kNotRescaledValues, false, true);
    inject(kNotRescaledSums, true, true);
    return injected;
  }

  T exponentials_below(const std::vector<std::size_t>& seen, const std::vector<T>& scores,
                       const std::vector<T>& largest) {
    T sum = 0;
    for (std::size_t k = 0; k < seen.size(); ++k) sum += exponential(scores[seen[k]] - largest[k]);
    return sum;
  }

  void store_y_without_rescaling(const Query& at, const std::vector<std::size_t>& seen,
                                 const std::vector<T>& scores, const std::vector<T>& largest,
                                 T sum) {
    for (std::size_t c = 0; c < value_width_; ++c) {
      T total = 0;
      for (std::size_t k = 0; k < seen.size(); ++k)
        total += exponential(scores[seen[k]] - largest[k]) *
                 v_[(at.first_key + seen[k]) * value_width_ + c];
      y_[at.number * value_width_ + c] = total / sum;
    }
  }

  void store_y(const Query& at, const std::vector<std::size_t>& seen) {
    const T* const weights = &weights_[at.number * keys_];
    const bool keys = width_ == value_width_ && is_mutated_to_other("keys and values");
    for (std::size_t c = 0; c < value_width_; ++c)
      y_[at.number * value_width_ + c] = a_.sum("sum of y", seen, [&](std::size_t j) {
        return stored(weights[j]) * (keys ? k_ : v_)[(at.first_key + j) * value_width_ + c];
      });
  }

  /// Turns natural logarithms into those of the base that the case requests. The backward has read
  /// the natural logarithms before.
  void change_base() {
    if (is_natural()) return;
    if (sites_.any("base of log_sum_exp", {Op::drop}) == Op::drop) return;
    const bool is_half = is_mutated_to_other("base of the largest score, added back");
    for (std::size_t i = 0; i < logs_.size(); ++i) {
      const T largest = is_half ? largest_[i] : T(0);
      const T log = logs_[i] - largest;
      logs_[i] = largest + (a_.style().divide ? log / static_cast<T>(std::numbers::ln2)
                                              : log * static_cast<T>(std::numbers::log2e));
    }
  }

  /// Computes y of a query that sees no key. If it has a sink, also computes its log_sum_exp, which
  /// is the score of the sink. Returns whether it has one.
  bool store_query_without_keys(const Query& at, const std::optional<T>& sink_score) {
    T* const y = &y_[at.number * value_width_];
    const Op op = sites_.any("a query that sees no key", {Op::other, Op::insert});
    for (std::size_t c = 0; c < value_width_ && op != Op::none; ++c) {
      T mean = 0;
      for (std::size_t j = 0; j < keys_; ++j) mean += v_[(at.first_key + j) * value_width_ + c];
      y[c] = op == Op::other ? mean / static_cast<T>(static_cast<double>(keys_))
                             : static_cast<T>(std::numeric_limits<double>::quiet_NaN());
    }
    if (!sink_score) return !sinks_.empty();
    sink_weights_[at.number] = 1;
    logs_[at.number] = *sink_score;
    if (sites_.any("sink of a query that sees no key", {Op::drop}) == Op::drop)
      logs_[at.number] = -std::numeric_limits<T>::infinity();
    if (is_natural() && is_mutated_to_other("logarithm of the sum"))
      logs_[at.number] *= static_cast<T>(std::numbers::log2e);
    largest_[at.number] = *sink_score;
    return true;
  }

  /// Returns the attention weights for the backward pass. As a rule they are the weights of the
  /// forward pass. They are recomputed as `exp(score - log_sum_exp)` if the style says so, or if
  /// the forward weight is 0, as for a key that was masked in the forward pass.
  std::vector<T> recomputed_weights(const Query& at, const std::vector<std::size_t>& seen) {
    std::vector<T> weights(keys_, T(0));
    for (const std::size_t j : seen) {
      const T left = weights_[at.number * keys_ + j];
      weights[j] =
          a_.style().from_y || left == 0 ? exponential(score(at, j) - logs_[at.number]) : left;
      if (!sinks_.empty() && sites_.any("sink in the backward", {Op::drop}) == Op::drop)
        weights[j] = weights[j] / (1 - sink_weights_[at.number]);
    }
    return weights;
  }

  void backward() {
    grad_q_.assign(q_.size(), T(0));
    grad_k_.assign(k_.size(), T(0));
    grad_v_.assign(v_.size(), T(0));
    std::vector<std::vector<T>> weights, scores;
    std::map<std::size_t, std::vector<std::size_t>> readers;  // first key: the queries that read it
    for_each_query([&](const Query& at) {
      readers[at.first_key].push_back(at.number);
      const std::vector<std::size_t> seen = visible_rows(at, true);
      weights.push_back(recomputed_weights(at, seen));
      scores.push_back(grad_scores(at, seen, weights.back()));
      store_grad_q(at, seen, scores.back());
    });
    if (!sinks_.empty()) store_grad_sinks();
    if (!bias_.empty()) store_grad_bias();
    for (auto& [first_key, group_queries] : readers) {
      const std::size_t group = group_queries.size() / tokens_;
      const Op heads = group > 1 ? sites_.any("heads of a group in grad_k and grad_v",
                                              {Op::forget_first, Op::forget_last})
                                 : Op::none;
      // An error that is injected here keeps only the last head of the group, as if later heads
      // overwrote earlier ones, or only the first head.
      const auto first_head_rows = static_cast<std::ptrdiff_t>(tokens_);
      if (heads == Op::forget_first)
        group_queries.erase(group_queries.begin(), group_queries.end() - first_head_rows);
      if (heads == Op::forget_last)
        group_queries.erase(group_queries.begin() + first_head_rows, group_queries.end());
      for (std::size_t j = 0; j < keys_; ++j) {
        for (std::size_t c = 0; c < width_; ++c)
          grad_k_[(first_key + j) * width_ + c] =
              scale("scale in grad_k") *
              a_.sum("sum of grad_k", group_queries, [&](std::size_t number) {
                return scores[number][j] * q_[number * width_ + c];
              });
        for (std::size_t c = 0; c < value_width_; ++c)
          grad_v_[(first_key + j) * value_width_ + c] =
              a_.sum("sum of grad_v", group_queries, [&](std::size_t number) {
                return stored(weights[number][j]) * dy_[number * value_width_ + c];
              });
      }
    }
  }

  /// Computes the gradients of the bias: the sums of the gradients of the scores after the cap over
  /// the samples and heads that share an element.
  void store_grad_bias() {
    const bool is_first_sample =
        bias_samples_ == 1 && samples_ > 1 && is_mutated_to_other("samples in grad_bias");
    const bool is_first_head =
        bias_heads_ == 1 && heads_ > 1 && is_mutated_to_other("heads in grad_bias");
    const Op op = sites_.any("grad_bias", {Op::negate, Op::square});
    const T factor = op == Op::negate ? T(-1) : op == Op::square ? scale("scale") : T(1);
    grad_bias_.assign(bias_.size(), T(0));
    for (std::size_t i = 0; i < bias_.size(); ++i) {
      const std::size_t element = i % (tokens_ * keys_), of_head = i / (tokens_ * keys_);
      std::vector<std::size_t> scores;
      for (std::size_t b = 0; b < (is_first_sample ? 1 : samples_); ++b)
        for (std::size_t h = 0; h < (is_first_head ? 1 : heads_); ++h)
          if ((bias_samples_ == 1 || b == of_head / bias_heads_) &&
              (bias_heads_ == 1 || h == of_head % bias_heads_))
            scores.push_back((b * heads_ + h) * tokens_ * keys_ + element);
      grad_bias_[i] = factor * a_.sum("sum of grad_bias", scores, [&](std::size_t score) {
        return grad_biased_scores_[score];
      });
    }
  }

  /// Computes the gradients of the sinks: for each head, the sum of -weight mean over the samples
  /// and the queries, where mean is that of grad_scores.
  void store_grad_sinks() {
    grad_sinks_.assign(heads_, T(0));
    const bool is_one_sample =
        samples_ > 1 && sites_.any("samples in grad_sinks", {Op::drop}) == Op::drop;
    const std::size_t samples = is_one_sample ? 1 : samples_;
    const bool is_of_keys = heads_ > kv_heads_ && is_mutated_to_other("head of grad_sinks");
    for (std::size_t h = 0; h < heads_; ++h) {
      // An error adds the terms of the head whose number is that of the key head.
      const std::size_t head = is_of_keys ? h * kv_heads_ / heads_ : h;
      std::vector<std::size_t> numbers;
      for (std::size_t b = 0; b < samples; ++b)
        for (std::size_t i = 0; i < tokens_; ++i)
          numbers.push_back((b * heads_ + head) * tokens_ + i);
      grad_sinks_[h] = a_.sum("sum of grad_sinks", numbers, [&](std::size_t number) {
        return -sites_.factor("weight of the sink in grad_sinks", sink_weights_[number]) *
               means_[number];
      });
    }
  }

  /// Returns the gradients of the scaled products of one query: `weights (grad_weights - mean)`,
  /// times the derivative of the cap. Here
  /// grad_weights is the product of grad_y and v, and mean is the mean of grad_weights, weighted by
  /// the attention weights.
  std::vector<T> grad_scores(const Query& at, const std::vector<std::size_t>& seen,
                             const std::vector<T>& weights) {
    const T* const dy = &dy_[at.number * value_width_];
    std::vector<T> gradients(keys_, T(0));
    for (const std::size_t j : seen)
      gradients[j] =
          a_.sum("sum of the gradient by a weight", features(value_width_),
                 [&](std::size_t c) { return dy[c] * v_[(at.first_key + j) * value_width_ + c]; });
    const T mean = a_.style().from_y
                       ? a_.sum("sum of grad_y y", features(value_width_),
                                [&](std::size_t c) {
                                  return dy[c] * stored(y_[at.number * value_width_ + c]);
                                })
                       : a_.sum("mean of the gradients", seen,
                                [&](std::size_t j) { return gradients[j] * weights[j]; });
    means_[at.number] = mean;
    for (const std::size_t j : seen) {
      const T gradient = sites_.factor("weight in grad_scores", weights[j]) *
                         (gradients[j] - sites_.term("mean of the gradients", mean));
      const T slope = slope_of_cap(at, j);
      gradients[j] = stored(gradient * slope);
      if (bias_.empty()) continue;
      const bool is_capped =
          options_.soft_cap && sites_.any("soft cap in grad_bias", {Op::insert}) == Op::insert;
      grad_biased_scores_[at.number * keys_ + j] = stored(is_capped ? gradient * slope : gradient);
    }
    return gradients;
  }

  void store_grad_q(const Query& at, const std::vector<std::size_t>& seen,
                    const std::vector<T>& grad_scores) {
    for (std::size_t c = 0; c < width_; ++c)
      grad_q_[at.number * width_ + c] =
          scale("scale in grad_q") * a_.sum("sum of grad_q", seen, [&](std::size_t j) {
            return grad_scores[j] * k_[(at.first_key + j) * width_ + c];
          });
  }

  ref::model::AttentionOptions options_;
  DType dtype_;
  PlainArithmetic<T> a_;
  Sites& sites_;
  std::size_t samples_ = 0, heads_ = 0, kv_heads_ = 0, tokens_ = 0, keys_ = 0;
  std::size_t width_ = 0, value_width_ = 0;  ///< number of features of a query and of a value
  std::vector<T> q_, k_, v_, dy_, sinks_;    ///< sinks_ is empty without sinks
  std::vector<T> bias_;                      ///< empty without a bias
  std::size_t bias_samples_ = 0, bias_heads_ = 0;
  std::vector<bool> valid_;
  bool masked_ = false;
  std::vector<bool> hidden_;  ///< for each query and key; empty without the injected error
  std::vector<T> weights_, logs_, y_, grad_q_, grad_k_, grad_v_, grad_sinks_, grad_bias_;
  std::vector<T> grad_biased_scores_;  ///< the gradients of the scores after the cap
  /// For each query, the weight of its sink and the mean of the gradients of its weights.
  std::vector<T> sink_weights_, means_;
  std::vector<T> largest_;  ///< for each query, the largest score
};

/// Returns the shape of an output. grad_q, grad_k and grad_v have the shape of their input. y has
/// the shape of grad_y. log_sum_exp has the same shape without the axis of features.
std::vector<std::size_t> shape_of_attention(const Case& c, const std::string& name) {
  if (name.starts_with("grad_")) return find(c.inputs, name.substr(5))->shape;
  std::vector<std::size_t> shape = find(c.inputs, "grad_y")->shape;
  if (name != "y") shape.pop_back();
  return shape;
}

}  // namespace

std::vector<StoredTensor> run_plain_attention(const Case& c, const EvalInputs& inputs,
                                              const Style& style, Sites& sites) {
  const auto& options =
      std::get<ref::model::AttentionOptions>(std::get<ref::model::FunctionOptions>(c.options));
  const auto run = [&]<class T>(T) {
    std::vector<StoredTensor> tensors;
    for (const auto& [name, values] :
         PlainDotProduct<T>(inputs.function, options, c.dtype, style, sites).run())
      tensors.push_back(stored_tensor(name, output_dtype(c, name), shape_of_attention(c, name),
                                      values, style, sites));
    return tensors;
  };
  return in_arithmetic(style.accumulation.value_or(usual_accumulation(c.dtype)), run);
}

}  // namespace normproof::verification::golden::plain
