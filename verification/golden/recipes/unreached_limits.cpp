#include "verification/golden/recipes/unreached_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "ref/model/norm_layers.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/numeric/float_format.hpp"
#include "verification/golden/recipes/block_corpus.hpp"
#include "verification/golden/recipes/model_width_corpus.hpp"

namespace normproof::verification::golden::recipes {

using ref::model::Operation;

namespace {

/// A range of values that the cases must cover: the limits of the specification, or of common use
/// if the specification has no limits. At least one case must be at or below `low`, and one at or
/// above `high`.
struct ValueRange {
  std::string_view of;
  double low, high;
};

constexpr ValueRange kOptionRanges[] = {
    {"eps", 0, 1e-3},        {"group_eps", 0, 1e-3},    {"running_decay", 0, 1},
    {"alpha_forward", 0, 1}, {"alpha_backward", 0, 1},  {"warmup_iterations", 0, 1},
    {"groups", 1, 32},       {"r_max", 1, 3},           {"d_max", 0, 5},
    {"alpha0", -0.5, 0.5},   {"num_heads", 1, 8},       {"num_layers", 1, 3},
    {"dropout", 0, 0.5},     {"momentum", 0, 0.9},      {"beta1", 0, 0.9},
    {"beta2", 0, 0.999},     {"weight_decay", 0, 1},    {"learning_rate", 0, 0.1},
    {"scale", 0.125, 1},     {"label_smoothing", 0, 1}, {"beta", 0.5, 2},
    {"threshold", 2, 20},    {"z_loss", 0, 0.5},        {"limit", 0.5, 7},
    {"alpha", 0.5, 3},
};
/// The range of an optimizer's eps. The optimizer divides by eps, which must therefore be positive.
constexpr ValueRange kOptimizerEpsRange = {"eps", 1e-8, 1e-3};

/// The ranges that extents must cover. The limit 1025 exceeds 1024, the maximum number of threads
/// of a block. The limit 32768 exceeds the largest signed index of 16 bits.
constexpr ValueRange kExtentRanges[] = {
    {"features", 1, 1025},
    {"rows", 1, 1025},
    {"samples", 1, 129},
    {"tokens", 1, 1025},
    {"elements", 1, 1025},
    {"feed-forward features", 1, 1025},
    {"words", 1, 1025},
    {"classes", 1, 1025},
    {"features a group", 1, 2},
    {"axes", 2, 3},
    {"features a head", 1, 2},
    {"iterations", 0, 2},
    {"heads", 1, 8},
    {"heads a group", 1, 8},
    {"keys", 1, 1025},
    {"features of a value", 1, 2},
    {"elements in 16 bits", 35, 1025},
    {"channels of an image", 6, 32},
    {"keys before the first query", 0, 64},
    {"largest target", 0, 32768},
    {"past positions", 0, 65},
    {"splits", 1, 129},
    {"queries", 1, 1025},
};
/// The extents that kernels divide into blocks.
constexpr std::string_view kBlockedExtents[] = {"features", "rows",    "tokens", "elements",
                                                "words",    "classes", "keys"};

/// The extents that must have every width of kModelWidths, or of kHeadWidths for the features of a
/// head.
constexpr const char* kWidthExtents[] = {"features", "features in 16 bits", "features a head",
                                         "features a head in 16 bits"};

/// Returns every name that is a possible value of an option, for all options whose values are
/// names.
std::vector<std::string> all_names() {
  std::vector<std::string> names = {"true", "false"};
  const auto add = [&names](const auto& more) {
    for (const auto& [name, value] : more) names.emplace_back(name);
  };
  add(ref::model::enum_names(ref::model::Activation{}));
  add(ref::model::enum_names(ref::model::NormPlacement{}));
  add(ref::model::enum_names(ref::model::Pooling{}));
  add(ref::model::enum_names(ref::model::LossReduction{}));
  add(ref::model::enum_names(ref::model::GatePosition{}));
  add(ref::model::enum_names(ref::model::GateActivation{}));
  names.insert(names.end(),
               {"after_gamma", "before_gamma", "rows", "channels_first", "channels_last"});
  for (const ref::numeric::FloatFormat& format : ref::numeric::kFloatFormats)
    names.emplace_back(format.name);
  for (const std::string& layer : ref::model::norm_names()) names.push_back(layer);
  return names;
}

bool is_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

bool takes(const Operation& operation, const std::string& option, const std::string& value) {
  Operation tried = operation;
  try {
    ref::model::set_option(tried, option, value);
  } catch (const ref::numeric::UsageError&) {
    return false;
  }
  return true;
}

class LimitChecker {
 public:
  LimitChecker(const Operation& operation, const Coverage& coverage)
      : operation_(operation), coverage_(coverage) {}

  std::vector<std::string> find_unreached() {
    for (const DType dtype : ref::io::kDTypes)
      if (is_dtype_required(dtype))
        require_value("dtype", ref::io::to_string(dtype), coverage_.dtypes);
    if (has_modes())
      for (const char* mode : {"training", "inference"})
        require_value("mode", mode, coverage_.modes);
    for (const auto& [name, value] : ref::model::list_all_options(operation_))
      // An encoder's norm has the options of the layer, which has cases of its own.
      if (name.find("norm.") == name.npos) option(name, value);
    for (const auto& [name, counts] : coverage_.inputs)
      for (const char* presence : {kGiven, kAbsent}) require_value(name, presence, counts);
    for (const ValueRange& range : kExtentRanges)
      if (const auto found = coverage_.extents.find(std::string(range.of));
          found != coverage_.extents.end() && is_extent_relevant(range.of)) {
        require_limit(static_cast<double>(*found->second.begin()) <= range.low, range.of,
                      "<=", range.low);
        require_limit(static_cast<double>(*found->second.rbegin()) >= range.high, range.of,
                      ">=", range.high);
        if (std::ranges::find(kBlockedExtents, range.of) != std::end(kBlockedExtents) &&
            !std::ranges::includes(found->second, kBlockEdges))
          unreached_.push_back(fmt::format("{} of every block", range.of));
      }
    for (const char* const extent : kWidthExtents)
      if (const auto found = coverage_.extents.find(extent);
          found != coverage_.extents.end() &&
          !std::ranges::includes(found->second, required_widths(extent)))
        unreached_.push_back(fmt::format("{} of every model", extent));
    if (const auto found = coverage_.extents.find("steps");
        found != coverage_.extents.end() && carries_state())
      require_limit(*found->second.rbegin() >= 2, "steps", ">=", 2);
    magnitudes();
    return std::move(unreached_);
  }

 private:
  bool is_optimizer() const {
    return std::holds_alternative<ref::model::OptimizerOperation>(operation_);
  }
  const ref::model::NormOptions* layer() const {
    return std::get_if<ref::model::NormOptions>(&operation_);
  }
  /// Whether the extent matters to the operation. If the statistics of a layer are not computed per
  /// sample, only the number of rows matters and not how they are divided into samples and tokens.
  bool is_extent_relevant(std::string_view extent) const {
    if (layer() == nullptr || (extent != "samples" && extent != "tokens")) return true;
    return ref::model::norm_layer(*layer()).uses_statistics_per_sample();
  }
  /// Returns the widths that the extent must have. A row of rope is a part of a head.
  std::span<const std::size_t> required_widths(std::string_view extent) const {
    const auto* const function = std::get_if<ref::model::FunctionOptions>(&operation_);
    const bool rotates =
        function != nullptr && std::holds_alternative<ref::model::RopeOptions>(*function);
    return rotates || extent.starts_with("features a head")
               ? std::span<const std::size_t>(kHeadWidths)
               : kModelWidths;
  }
  bool carries_state() const {
    return is_optimizer() ||
           (layer() != nullptr && !ref::model::norm_layer(*layer()).state.empty());
  }
  /// Whether training and inference differ. They differ if inference uses running statistics. A
  /// layer may have such statistics, and so may the norms of an encoder layer.
  bool has_modes() const {
    const auto* const encoder = std::get_if<ref::model::EncoderOperation>(&operation_);
    const bool of_encoder =
        encoder != nullptr && !std::holds_alternative<ref::model::EncoderOptions>(*encoder);
    return of_encoder || (layer() != nullptr && carries_state());
  }

  /// Whether the dtype must occur in a case. Every floating-point dtype of 16 or more bits must
  /// occur. If the operation has a case in an 8-bit dtype, every 8-bit dtype must occur. Operations
  /// without 8-bit kernels have no such cases.
  bool is_dtype_required(DType dtype) const {
    if (!ref::io::is_float(dtype)) return false;
    if (ref::io::item_size(dtype) > 1) return true;
    return std::ranges::any_of(coverage_.dtypes, [](const auto& entry) {
      return ref::io::item_size(*ref::io::find_dtype(entry.first)) == 1;
    });
  }

  void require_limit(bool touched, std::string_view of, const char* relation, double end) {
    if (!touched) unreached_.push_back(fmt::format("{} {} {}", of, relation, end));
  }
  void require_value(std::string_view of, std::string_view value, const Counts& counts) {
    if (counts.find(value) == counts.end()) unreached_.push_back(fmt::format("{} {}", of, value));
  }

  void option(const std::string& name, const std::string& value) {
    const auto found = coverage_.options.find(name);
    const Counts counts = found == coverage_.options.end() ? Counts{} : found->second;
    const ValueRange* range = std::ranges::find(kOptionRanges, name, &ValueRange::of);
    const bool has_range = range != std::end(kOptionRanges);
    if (!is_number(value)) {
      for (const std::string& known : names_)
        if (takes(operation_, name, known)) require_value(name, known, counts);
      if (!has_range) return;  // the value is a number or "none"
    }
    if (!has_range) return unreached_.push_back(name + " has no range");
    if (is_optimizer() && name == kOptimizerEpsRange.of) range = &kOptimizerEpsRange;
    bool low = false, high = false;
    for (const auto& [text, cases] : counts) {
      if (!is_number(text)) continue;
      low |= std::stod(text) <= range->low;
      high |= std::stod(text) >= range->high;
    }
    require_limit(low, name, "<=", range->low);
    require_limit(high, name, ">=", range->high);
  }

  template <class Reaches>
  void require_magnitude(std::string_view tensor, const char* how, Reaches reaches) {
    bool there = false, touched = false;
    for (const auto& [key, reach] : coverage_.magnitudes) {
      if (key.first != tensor) continue;
      there = true;
      const auto type = ref::io::float_type(key.second);
      // 8-bit numbers have scales, so the limits of the 8-bit format say nothing about the
      // operation.
      if (!type || !is_used_for_arithmetic(ref::numeric::float_format_info(*type))) continue;
      touched |= reaches(reach, ref::numeric::float_format_info(*type));
    }
    if (there && !touched) unreached_.push_back(fmt::format("{} {}", tensor, how));
  }

  void magnitudes() {
    using ref::numeric::FloatFormat;
    const auto zero = [](const MagnitudeRange& m, const FloatFormat&) { return m.zero; };
    const auto negative = [](const MagnitudeRange& m, const FloatFormat&) { return m.negative; };
    const auto subnormal = [](const MagnitudeRange& m, const FloatFormat& format) {
      return m.least < format.smallest_normal;
    };
    const auto large = [](const MagnitudeRange& m, const FloatFormat& format) {
      return m.greatest >= format.largest / 4;
    };
    for (const char* tensor : {"x", "q", "logits", "grad_y", "grad_parameter"}) {
      require_magnitude(tensor, "0", zero);
      require_magnitude(tensor, "subnormal", subnormal);
    }
    for (const char* tensor : {"x", "q", "logits"})
      require_magnitude(tensor, "near the largest number", large);
    for (const char* tensor : {"gamma", "alpha"}) {
      require_magnitude(tensor, "0", zero);
      require_magnitude(tensor, "negative", negative);
    }
    for (const char* tensor : {"running_variance", "running_psi2"})
      require_magnitude(tensor, "0", zero);
  }

  Operation operation_;
  const Coverage& coverage_;
  std::vector<std::string> names_ = all_names(), unreached_;
};

}  // namespace

std::span<const KnownUnreachedLimit> known_unreached_limits() {
  using Operations = std::vector<std::string_view>;
  static const Operations kEncoders = {"decoder_layer", "encoder", "encoder_layer"};
  constexpr const char* kNoCast =
      "a cast rounds, and the exact result does not: requirement (C12) of rms_norm";
  constexpr const char* kOfSentence =
      "self-attention is causal, and statistics over a sentence are over later tokens too: "
      "requirement (C6) of encoders";
  constexpr const char* kOfParts = "its parts have them: norms, attention, cross-entropy";
  static const Operations kWhole = {"decoding", "language_model", "translator"};
  static const Operations kOfSource = {"decoding", "translator"};
  constexpr const char* kOfLayers = "a layer has them, or its parts";
  static const Operations kQuantization = {"dequantize", "quantize"};
  constexpr const char* kOfGroups =
      "each scale belongs to one row or to a part of it, whose ends the cases have";
  constexpr const char* kOf8Bits = "x has 8 bits, and cases have every number of their formats";
  static const Operations kWithoutFourBits = {
      "add_layer_norm", "add_rms_norm", "layer_norm", "rms_norm", "silu", "softmax", "swiglu"};
  constexpr const char* kOfWeights = "kernels quantize to 4 bits alone; see quantize";
  static const std::vector<KnownUnreachedLimit> kHoles = {
      {"axes <= 2", {"group_norm", "instance_norm"}, "each row of [N,D] is a sample of one token"},
      {"axes <= 2", {"rope"}, "the first axis is that of samples, and tokens have their own"},
      {"cast_order before_gamma", {"rms_norm"}, kNoCast},
      {"features <= 1", {"rope"}, "a pair is two features"},
      {"classes of every block", {"encoder"}, kOfParts},
      {"dtype bfloat16", {"quantize"}, "y has 8 bits"},
      {"dtype float16", {"quantize"}, "y has 8 bits"},
      {"dtype float32", {"quantize"}, "y has 8 bits"},
      {"dtype float64", kQuantization, "8 bits stand for numbers of 32 bits at most"},
      {"dtype float4_e2m1fn", kWithoutFourBits, kOfWeights},
      {"dtype int8", {"softmax"}, "probabilities have no negative numbers, and int8 wastes half"},
      {"decoder_norm group_norm", {"translator"}, kOfSentence},
      {"decoder_norm instance_norm", {"translator"}, kOfSentence},
      {"features of every block", kEncoders, kOfParts},
      {"features of every block", kWhole, kOfParts},
      {"features of every block", kQuantization, kOfGroups},
      {"features of every model", kQuantization, kOfGroups},
      {"features in 16 bits of every model", {"dequantize"}, kOfGroups},
      {"rows >= 1025", kQuantization, kOfGroups},
      {"rows of every block", kQuantization, kOfGroups},
      {"x 0", {"dequantize"}, kOf8Bits},
      {"x near the largest number", {"dequantize"}, kOf8Bits},
      {"x near the largest number", {"relu_squared"}, "its square overflows"},
      {"x subnormal", {"dequantize"}, kOf8Bits},
      {"features of every model", kEncoders, kOfParts},
      {"features of every model", kWhole, kOfParts},
      {"features in 16 bits of every model", kEncoders, kOfParts},
      {"features in 16 bits of every model", kWhole, kOfParts},
      {"features a head of every model", kEncoders, kOfParts},
      {"features a head of every model", kWhole, kOfParts},
      {"features a head in 16 bits of every model", kEncoders, kOfParts},
      {"features a head in 16 bits of every model", kWhole, kOfParts},
      {"keys of every block", {"decoder_layer"}, kOfParts},
      {"keys of every block", kOfSource, kOfParts},
      {"tokens of every block", kEncoders, kOfParts},
      {"tokens of every block", kWhole, kOfParts},
      {"words of every block", {"encoder"}, kOfParts},
      {"words of every block", kWhole, kOfParts},
      {"features >= 1025", kEncoders,
       "4 D^2 weights and their gradients, 50 MB a case; its parts have rows as wide"},
      {"features >= 1025", kWhole, kOfLayers},
      {"keys >= 1025", kOfSource, kOfLayers},
      {"keys >= 1025", {"decoder_layer"}, "attention alone has them, and a layer in minutes"},
      {"norm group_norm", {"decoder_layer", "decoding", "language_model"}, kOfSentence},
      {"norm instance_norm", {"decoder_layer", "decoding", "language_model"}, kOfSentence},
      {"storage bfloat16", {"rms_norm"}, kNoCast},
      {"storage float16", {"rms_norm"}, kNoCast},
      {"storage float32", {"rms_norm"}, kNoCast},
      {"tokens >= 1025", kWhole, kOfLayers},
      {"tokens >= 1025",
       {"decoder_layer", "encoder"},
       "a layer of an encoder has them in two cases, each a minute"},
  };
  return kHoles;
}

std::string_view unreached_limit_reason(std::string_view operation, std::string_view end) {
  for (const KnownUnreachedLimit& hole : known_unreached_limits())
    if (hole.end == end && std::ranges::find(hole.operations, operation) != hole.operations.end())
      return hole.reason;
  return {};
}

std::vector<std::string> unreached_limits(std::string_view operation, const Coverage& coverage) {
  return LimitChecker(ref::model::operation(operation), coverage).find_unreached();
}

}  // namespace normproof::verification::golden::recipes
