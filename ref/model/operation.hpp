#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ref/model/encoder_config.hpp"
#include "ref/model/train_options.hpp"

namespace normproof::ref::model {

/// The structs below hold the options of the functions that have no state, one struct per function.
/// The functions are in ref/ops/softmax.hpp, ref/ops/activation.hpp, ref/ops/gated_activation.hpp,
/// ref/nn/scaled_dot_product_attention.hpp, ref/norm/add_norm.hpp,
/// ref/norm/gated_rms_norm.hpp, ref/norm/l2_norm.hpp, ref/nn/rotary_embedding.hpp and
/// ref/train/cross_entropy.hpp. Quantization is in activation.hpp.
struct SoftmaxOptions {};
struct LogSoftmaxOptions {};
struct LogSumExpOptions {};
struct ReluOptions {};
struct GeluOptions {};
struct GeluTanhOptions {};
struct SiluOptions {};
struct SwigluOptions {
  /// The largest x, and the largest magnitude of `gate`. Elements beyond it are replaced by the
  /// limit and have the gradient 0; absent for none.
  std::optional<double> limit = {};
  double alpha = 1;  ///< multiplies x inside the sigmoid
  double beta = 0;   ///< is added to `gate` after the limit
};
struct GegluOptions {};
/// The position of a query among the keys, from which its causal mask and its window are counted.
/// It is the key that is seen at the bottom right, or at the top left, of a causal mask.
enum class MaskCorner {
  bottom_right,  ///< the last query is at the last key
  top_left       ///< the first query is at the first key
};
inline EnumNames<MaskCorner> enum_names(MaskCorner) {
  static constexpr std::pair<const char*, MaskCorner> kNames[] = {
      {"bottom_right", MaskCorner::bottom_right}, {"top_left", MaskCorner::top_left}};
  return kNames;
}
/// The base of the logarithm in the output log_sum_exp. The scores are natural logarithms anyway.
enum class LogSumExpBase {
  e,   ///< log(sum of exponentials)
  two  ///< log2(sum of exponentials)
};
inline EnumNames<LogSumExpBase> enum_names(LogSumExpBase) {
  static constexpr std::pair<const char*, LogSumExpBase> kNames[] = {{"e", LogSumExpBase::e},
                                                                     {"2", LogSumExpBase::two}};
  return kNames;
}
struct AttentionOptions {
  /// The factor by which the scores are multiplied. If it is absent, the factor is 1/sqrt(d) for
  /// queries of d features.
  std::optional<double> scale = {};
  bool causal = false;  ///< whether later keys are hidden: ref/model/visible_keys.hpp
  MaskCorner mask_corner = MaskCorner::bottom_right;
  /// The number of keys that a query sees before and after its own position; absent for all.
  std::optional<std::size_t> window_left = {}, window_right = {};
  /// The scores s become soft_cap tanh(s / soft_cap) before the mask hides keys; absent for s.
  std::optional<double> soft_cap = {};
  LogSumExpBase log_sum_exp_base = LogSumExpBase::e;
};
struct AddLayerNormOptions {
  double eps = 1e-5;
  bool zero_centred_gamma = false;  ///< the scale is 1 + gamma
};
struct AddRMSNormOptions {
  double eps = 1e-5;
  bool zero_centred_gamma = false;  ///< the scale is 1 + gamma
};
/// The loss that cross_entropy returns for the rows that are not ignored.
enum class LossReduction {
  mean,  ///< their sum, divided by the sum of the weights of the targets
  sum,
  none  ///< each loss, and 0 for a row that is ignored; the gradient is that of the sum
};
inline EnumNames<LossReduction> enum_names(LossReduction) {
  static constexpr std::pair<const char*, LossReduction> kNames[] = {
      {"mean", LossReduction::mean}, {"sum", LossReduction::sum}, {"none", LossReduction::none}};
  return kNames;
}
struct CrossEntropyOptions {
  LossOptions loss = {};
  LossReduction reduction = LossReduction::mean;
  double z_loss = 0;  ///< the factor of the square of the log-sum-exp of a row, which is added
  /// The logits x become soft_cap tanh(x / soft_cap); absent for x.
  std::optional<double> soft_cap = {};
};
struct RopeOptions {
  bool interleaved = false;  ///< rotates features 2 i and 2 i + 1; otherwise i and i + P
};

/// The position of eps in the denominator by which l2_norm divides a row. In the denominators
/// below, S is the sum of squares of the row, and n = sqrt(S) is its norm.
enum class EpsPlacement {
  inside,   ///< sqrt(S + eps)
  outside,  ///< n + eps
  floor     ///< max(n, eps)
};
inline EnumNames<EpsPlacement> enum_names(EpsPlacement) {
  static constexpr std::pair<const char*, EpsPlacement> kNames[] = {
      {"inside", EpsPlacement::inside},
      {"outside", EpsPlacement::outside},
      {"floor", EpsPlacement::floor}};
  return kNames;
}
struct L2NormOptions {
  double eps = 1e-6;
  EpsPlacement eps_placement = EpsPlacement::inside;
};
/// The place of the gate in gated_rms_norm, with the activation a of the gate.
enum class GatePosition {
  after,  ///< norm(x) a(gate)
  before  ///< norm(x a(gate))
};
inline EnumNames<GatePosition> enum_names(GatePosition) {
  static constexpr std::pair<const char*, GatePosition> kNames[] = {
      {"after", GatePosition::after}, {"before", GatePosition::before}};
  return kNames;
}
/// The activation of the gate in gated_rms_norm, where s is the logistic sigmoid.
enum class GateActivation {
  silu,    ///< gate s(gate)
  sigmoid  ///< s(gate)
};
inline EnumNames<GateActivation> enum_names(GateActivation) {
  static constexpr std::pair<const char*, GateActivation> kNames[] = {
      {"silu", GateActivation::silu}, {"sigmoid", GateActivation::sigmoid}};
  return kNames;
}
struct GatedRMSNormOptions {
  double eps = 1e-5;
  GatePosition gate_position = GatePosition::after;
  GateActivation gate_activation = GateActivation::silu;
  std::int64_t groups = 1;  ///< groups of features, each with its own mean of squares
};
/// quantize and dequantize are the identity on real numbers. They differ in the tensor that is
/// stored in 8 bits with scales: y of quantize, x of dequantize. The scales are tensors of a case
/// (docs/specification/eight_bits.md), and not options.
struct QuantizeOptions {};
struct DequantizeOptions {};

struct ReluSquaredOptions {};
struct SigmoidOptions {};
struct LogSigmoidOptions {};
struct SoftplusOptions {
  double beta = 1;                       ///< multiplies x, and divides the result
  std::optional<double> threshold = {};  ///< x itself is returned if beta x is above it
};
struct TanhOptions {};
struct MishOptions {};
/// The options of the merge of partial results of attention, ref/nn/merge_attention_states.hpp.
struct MergeAttentionStatesOptions {
  LogSumExpBase log_sum_exp_base = LogSumExpBase::e;  ///< of the input and the output log_sum_exp
};

/// The options of any function that an implementation can be tested for.
using FunctionOptions =
    std::variant<SoftmaxOptions, LogSoftmaxOptions, LogSumExpOptions, ReluOptions, GeluOptions,
                 GeluTanhOptions, SiluOptions, SwigluOptions, GegluOptions, AttentionOptions,
                 AddLayerNormOptions, AddRMSNormOptions, CrossEntropyOptions, RopeOptions,
                 L2NormOptions, QuantizeOptions, DequantizeOptions, ReluSquaredOptions,
                 SigmoidOptions, LogSigmoidOptions, SoftplusOptions, TanhOptions, MishOptions,
                 MergeAttentionStatesOptions, GatedRMSNormOptions>;

/// Returns the names of all functions, in the order of the alternatives of FunctionOptions. The
/// names are defined in operation_info.cpp.
std::vector<std::string> function_names();
bool is_function(std::string_view name);

/// The options of the forward and the backward of one layer of ref/encoder. The extents of the
/// layer are not options; they follow from the shapes of its tensors.
struct EncoderLayerOptions {
  std::size_t num_heads = 1;
  Activation activation = Activation::relu;
  NormPlacement placement = NormPlacement::post;
  double dropout = 0;  ///< if above 0, the dropout masks are among the inputs
  NormOptions norm = LayerNormOptions{};
  bool causal = false;  ///< a position attends only to itself and earlier positions
};
/// The options of the forward and the backward of the encoder, with its classification head and the
/// weighted cross-entropy.
struct EncoderOptions {
  std::size_t num_layers = 1;
  std::size_t num_heads = 1;
  Activation activation = Activation::relu;
  NormPlacement placement = NormPlacement::post;
  Pooling pooling = Pooling::masked_mean;
  bool positions = true;
  NormOptions norm = LayerNormOptions{};
  bool causal = false;  ///< a position attends only to itself and earlier positions
  /// Whether embeddings are multiplied by sqrt(d_model) before positions are added.
  bool scaled_embedding = false;
};
/// The options of the forward and the backward of one layer of ref/decoder, which reads a memory.
/// Its self-attention is causal.
struct DecoderLayerOptions {
  std::size_t num_heads = 1;
  Activation activation = Activation::relu;
  NormPlacement placement = NormPlacement::post;
  double dropout = 0;  ///< if above 0, the dropout masks are among the inputs
  NormOptions norm = LayerNormOptions{};
};

/// The operations that consist of attention, feed-forwards and norms. encoder_operation_names
/// returns their names: "encoder_layer", "encoder", "decoder_layer". The option `norm` is one of
/// norm_names(). The options of this norm are named `norm.eps` and so on. They are reset to their
/// defaults whenever the option `norm` is set.
using EncoderOperation = std::variant<EncoderLayerOptions, EncoderOptions, DecoderLayerOptions>;
std::vector<std::string> encoder_operation_names();

/// The options of the forward and the backward of a whole translation model (ref/decoder). The
/// forward computes the cross-entropy of the targets from the tokens, without dropout.
struct TranslatorOptions {
  std::size_t num_layers = 1;  ///< layers of the encoder, and of the decoder
  std::size_t num_heads = 1;
  Activation activation = Activation::relu;
  NormPlacement placement = NormPlacement::post;
  bool positions = true;
  bool tied_head = false;
  double label_smoothing = 0;
  /// The norms of the encoder, including the norm after its last layer.
  NormOptions norm = LayerNormOptions{};
  NormOptions decoder_norm = LayerNormOptions{};  ///< the norms of the decoder
  /// Whether embeddings are multiplied by sqrt(d_model) before positions are added.
  bool scaled_embedding = false;
};
/// The options of the forward and the backward of a whole language model (a causal ref/encoder).
/// The forward computes the cross-entropy of the targets from the tokens, without dropout.
struct LanguageModelOptions {
  std::size_t num_layers = 1;
  std::size_t num_heads = 1;
  Activation activation = Activation::relu;
  NormPlacement placement = NormPlacement::post;
  bool positions = true;
  bool tied_head = false;
  double label_smoothing = 0;
  NormOptions norm = LayerNormOptions{};
  /// Whether embeddings are multiplied by sqrt(d_model) before positions are added.
  bool scaled_embedding = false;
};
/// The options of decoding: the decoder of ref/decoder in inference, one token at a time. Decoding
/// reads a memory, new tokens, and the keys and values of the earlier tokens. It returns logits,
/// and the keys and values of the earlier and the new tokens.
struct DecodingOptions {
  std::size_t num_layers = 1;
  std::size_t num_heads = 1;
  Activation activation = Activation::relu;
  NormPlacement placement = NormPlacement::post;
  bool positions = true;
  bool tied_head = false;
  NormOptions norm = LayerNormOptions{};
  /// Whether embeddings are multiplied by sqrt(d_model) before positions are added.
  bool scaled_embedding = false;
};

/// The operations that compute logits over a vocabulary from tokens. transformer_operation_names
/// returns their names: "translator", "language_model", "decoding". The option `norm` works as in
/// EncoderOperation. The option `decoder_norm` works in the same way; the options of the decoder's
/// norm are named `decoder_norm.eps` and so on.
using TransformerOperation = std::variant<TranslatorOptions, LanguageModelOptions, DecodingOptions>;
std::vector<std::string> transformer_operation_names();

/// The options of one or more steps of an optimizer on one parameter whose gradients are given.
struct OptimizerOperation {
  OptimizerOptions optimizer = SgdOptions{};
  double learning_rate = 0.1;
};

/// The options of any operation: a norm layer, a function, an encoder, a layer of an encoder or
/// decoder, a whole Transformer, or an optimizer.
using Operation = std::variant<NormOptions, FunctionOptions, EncoderOperation, OptimizerOperation,
                               TransformerOperation>;

std::string operation_name(const Operation& operation);
/// Returns the names of all operations: the names that norm_names, function_names,
/// encoder_operation_names, transformer_operation_names and optimizer_names return.
std::vector<std::string> operation_names();

/// Returns the operation with this name, with its default options.
/// Throws    UsageError that suggests the nearest known name
Operation operation(std::string_view name);

/// Set and list the options of an operation. They work like the functions of the same names for
/// NormOptions.
void set_option(Operation& operation, std::string_view field, std::string_view value);
std::vector<std::pair<std::string, std::string>> list_options(const Operation& operation);
std::vector<std::pair<std::string, std::string>> list_all_options(const Operation& operation);

}  // namespace normproof::ref::model
