#include "verification/golden/recipes/coverage.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <vector>

#include "ref/model/norm_layers.hpp"
#include "ref/model/operation_info.hpp"
#include "verification/checks/evaluation/functions.hpp"
#include "verification/golden/corpus/kind.hpp"

namespace normproof::verification::golden::recipes {

using corpus::case_operation_name;
using corpus::find;
using corpus::is_encoder;
using corpus::is_function;
using corpus::is_layer;
using corpus::is_optimizer;
using corpus::is_transformer;
using corpus::StoredTensor;

namespace {

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Returns the names of the inputs that are optional for the operation of the case.
std::vector<std::string> optional_inputs(const Case& c) {
  std::vector<std::string> names;
  for (const ref::model::OperandInfo& operand : ref::model::operation_info(c.options).operands)
    if (operand.optional && !operand.name.starts_with("grad_") &&
        !operand.name.starts_with("layers."))
      names.push_back(operand.name);
  if (has_operation<ref::model::DecodingOptions>(c))
    names.emplace_back("layers.0.self_attention.past_keys");
  return names;
}

class CaseExtents {
 public:
  CaseExtents(const Case& c, std::map<std::string, std::set<std::size_t>>& extents)
      : c_(c), extents_(extents) {}

  void note() {
    if (is_encoder(c_))
      record_encoder();
    else if (is_transformer(c_))
      record_transformer();
    else if (has_operation<ref::model::AttentionOptions>(c_))
      record_attention();
    else if (has_operation<ref::model::MergeAttentionStatesOptions>(c_))
      record_merge();
    else if (has_operation<ref::model::CrossEntropyOptions>(c_))
      record_cross_entropy();
    else
      record_main_input(is_optimizer(c_) ? "parameter" : "x");
    for (const auto& [option, of] :
         {std::pair{"groups", "features a group"}, std::pair{"num_heads", "features a head"}})
      for (const auto& [name, value] : ref::model::list_options(c_.options))
        if (name == option)
          record_extent(of, features_ / static_cast<std::size_t>(*number_of(value)));
    if (const StoredTensor* const iterations = find(c_.inputs, "iterations"))
      record_extent("iterations", static_cast<std::size_t>(ref::io::widen(*iterations).front()));
  }

 private:
  void record_extent(const std::string& name, std::size_t extent) {
    extents_[name].insert(extent);
    if (ref::io::item_size(c_.dtype) == 2 &&
        std::ranges::find(kExtentsInSixteenBits, name) != std::end(kExtentsInSixteenBits))
      extents_[name + " in 16 bits"].insert(extent);
  }

  void record_main_input(const char* name) {
    std::vector<std::size_t> shape = find(c_.inputs, name)->shape;
    if (is_optimizer(c_)) {
      const std::vector<std::size_t>& steps = find(c_.inputs, "grad_parameter")->shape;
      record_extent("steps", c_.sequence ? steps.front() : 1);
    } else if (find(c_.inputs, "valid") != nullptr || is_layer(c_)) {
      record_extent("steps", c_.sequence ? shape.front() : 1);
      if (c_.sequence) shape.erase(shape.begin());
    }
    record_extent("axes", shape.size());
    if (is_layer(c_))
      shape = ref::model::shape_in_rows(
          ref::model::norm_layout(std::get<ref::model::NormOptions>(c_.options)), shape);
    features_ = shape.empty() ? 1 : shape.back();
    std::size_t elements = 1;
    for (const std::size_t extent : shape) elements *= extent;
    if (is_optimizer(c_)) return record_extent("elements", elements);
    record_extent("features", features_);
    record_extent("rows", elements / features_);
    if (is_layer(c_) && ref::model::norm_layout(std::get<ref::model::NormOptions>(c_.options)) !=
                            ref::model::Layout::rows)
      record_extent("channels of an image", features_);
    if (!is_layer(c_) || shape.size() != 3) return;
    record_extent("samples", shape[0]);
    record_extent("tokens", shape[1]);
  }

  void record_attention() {
    const std::vector<std::size_t>& q = find(c_.inputs, "q")->shape;
    const std::vector<std::size_t>& v = find(c_.inputs, "v")->shape;
    record_extent("samples", q[0]);
    record_extent("heads", q[1]);
    record_extent("heads a group", q[1] / v[1]);
    record_extent("tokens", q[2]);
    record_extent("keys", v[2]);
    record_extent("features a head", q[3]);
    record_extent("features of a value", v[3]);
    const auto& function = std::get<ref::model::FunctionOptions>(c_.options);
    if (std::get<ref::model::AttentionOptions>(function).causal && v[2] >= q[2])
      record_extent("keys before the first query", v[2] - q[2]);
  }

  void record_merge() {
    const std::vector<std::size_t>& o = find(c_.inputs, "o")->shape;
    record_extent("splits", o[0]);
    record_extent("queries", o[1] * o[2] * o[3]);
    record_extent("features a head", o[4]);
  }

  void record_cross_entropy() {
    const std::vector<std::size_t>& logits = find(c_.inputs, "logits")->shape;
    record_extent("rows", logits[0]);
    record_extent("classes", logits[1]);
    const std::vector<double> targets = ref::io::widen(*find(c_.inputs, "targets"));
    record_extent("largest target", static_cast<std::size_t>(*std::ranges::max_element(targets)));
  }

  void record_encoder() {
    const bool whole = has_operation<ref::model::EncoderOptions>(c_);
    const StoredTensor* const main = find(c_.inputs, whole ? "tokens" : "x");
    record_extent("samples", main->shape[0]);
    record_extent("tokens", main->shape[1]);
    const StoredTensor* const feed_forward =
        find(c_.inputs, whole ? "layers.0.feed_forward.first.weight" : "feed_forward.first.weight");
    record_extent("feed-forward features", feed_forward->shape[0]);
    features_ = feed_forward->shape[1];
    record_extent("features", features_);
    if (const StoredTensor* const memory = find(c_.inputs, "memory"))
      record_extent("keys", memory->shape[1]);
    if (!whole) return;
    record_extent("words", find(c_.inputs, "embedding.weight")->shape[0]);
    record_extent("classes", find(c_.inputs, "head.weight")->shape[0]);
  }

  /// Records the extents of the decoder side of a Transformer.
  void record_transformer() {
    const StoredTensor& tokens = *find(c_.inputs, "tokens");
    record_extent("samples", tokens.shape[0]);
    record_extent("tokens", tokens.shape[1]);
    for (const char* source : {"source", "memory"})
      if (const StoredTensor* const keys = find(c_.inputs, source))
        record_extent("keys", keys->shape[1]);
    if (has_operation<ref::model::DecodingOptions>(c_)) {
      const StoredTensor* const past = find(c_.inputs, "layers.0.self_attention.past_keys");
      record_extent("past positions", past == nullptr ? 0 : past->shape[1]);
    }
    const std::string side = has_operation<ref::model::TranslatorOptions>(c_) ? "decoder." : "";
    const StoredTensor& embedding = *find(c_.inputs, side + "embedding.weight");
    record_extent("words", embedding.shape[0]);
    features_ = embedding.shape[1];
    record_extent("features", features_);
    record_extent("feed-forward features",
                  find(c_.inputs, side + "layers.0.feed_forward.first.weight")->shape[0]);
  }

  const Case& c_;
  std::map<std::string, std::set<std::size_t>>& extents_;
  std::size_t features_ = 1;
};

void note(MagnitudeRange& reach, const StoredTensor& tensor) {
  for (const double v : ref::io::widen(tensor)) {
    const double magnitude = std::fabs(v);
    reach.not_a_number |= std::isnan(v);
    reach.infinity |= std::isinf(v);
    reach.zero |= v == 0;
    reach.negative |= v < 0;
    if (magnitude > 0) reach.least = std::min(reach.least, magnitude);
    if (std::isfinite(v)) reach.greatest = std::max(reach.greatest, magnitude);
  }
}

void join(Counts& counts, const Counts& more) {
  for (const auto& [value, cases] : more) counts[value] += cases;
}
void join(std::set<std::size_t>& extents, const std::set<std::size_t>& more) {
  extents.insert(more.begin(), more.end());
}
void join(MagnitudeRange& reach, const MagnitudeRange& more) {
  reach.least = std::min(reach.least, more.least);
  reach.greatest = std::max(reach.greatest, more.greatest);
  reach.zero |= more.zero;
  reach.negative |= more.negative;
  reach.not_a_number |= more.not_a_number;
  reach.infinity |= more.infinity;
}
template <class Map>
void merge_each_entry(Map& map, const Map& more) {
  for (const auto& [key, value] : more) join(map[key], value);
}

}  // namespace

bool NumbersFirst::operator()(std::string_view a, std::string_view b) const {
  const std::optional<double> left = number_of(a), right = number_of(b);
  if (left.has_value() != right.has_value()) return left.has_value();
  return left && *left != *right ? *left < *right : a < b;
}

void Coverage::add(const Case& c) {
  ++cases;
  ++dtypes[std::string(ref::io::to_string(c.dtype))];
  ++modes[c.mode == corpus::Mode::training ? "training" : "inference"];
  for (const auto& [name, value] : ref::model::list_all_options(c.options)) ++options[name][value];
  for (const std::string& name : optional_inputs(c))
    ++inputs[name][find(c.inputs, name) != nullptr ? kGiven : kAbsent];
  CaseExtents(c, extents).note();
  for (const StoredTensor& tensor : c.inputs) {
    if (!ref::io::is_float(tensor.dtype)) continue;
    const std::string name = tensor.name.substr(tensor.name.rfind('.') + 1);
    note(magnitudes[{name, tensor.dtype}], tensor);
  }
}

Coverage& Coverage::operator+=(const Coverage& more) {
  cases += more.cases;
  join(dtypes, more.dtypes);
  join(modes, more.modes);
  merge_each_entry(options, more.options);
  merge_each_entry(inputs, more.inputs);
  merge_each_entry(extents, more.extents);
  merge_each_entry(magnitudes, more.magnitudes);
  return *this;
}

}  // namespace normproof::verification::golden::recipes
