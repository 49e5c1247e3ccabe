#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ref/model/encoder_config.hpp"
#include "ref/model/train_options.hpp"

namespace normproof::ref::model {

/// Functions without state: ref/ops/softmax.hpp, ref/ops/activation.hpp,
/// ref/ops/gated_activation.hpp, ref/nn/scaled_dot_product_attention.hpp, ref/norm/add_norm.hpp,
/// ref/nn/rotary_embedding.hpp, ref/train/cross_entropy.hpp.
struct SoftmaxOptions {};
struct LogSoftmaxOptions {};
struct LogSumExpOptions {};
struct ReluOptions {};
struct GeluOptions {};
struct GeluTanhOptions {};
struct SiluOptions {};
struct SwigluOptions {};
struct GegluOptions {};
struct AttentionOptions {
  std::optional<double> scale = {};  ///< of the scores; none: 1/sqrt(d), d the features of a query
  bool causal = false;  ///< a query sees the keys that are not later: ref/model/visible_keys.hpp
};
struct AddLayerNormOptions {
  double eps = 1e-5;
  bool zero_centred_gamma = false;  ///< 1 + gamma multiplies
};
struct AddRMSNormOptions {
  double eps = 1e-5;
  bool zero_centred_gamma = false;  ///< 1 + gamma multiplies
};
struct CrossEntropyOptions {
  LossOptions loss = {};
};
struct RopeOptions {
  bool interleaved = false;  ///< pairs are features 2 i and 2 i + 1, else i and i + P
};

/// Every function that an implementation can be asked for: the closed list.
using FunctionOptions =
    std::variant<SoftmaxOptions, LogSoftmaxOptions, LogSumExpOptions, ReluOptions, GeluOptions,
                 GeluTanhOptions, SiluOptions, SwigluOptions, GegluOptions, AttentionOptions,
                 AddLayerNormOptions, AddRMSNormOptions, CrossEntropyOptions, RopeOptions>;

/// Returns the names of functions, in the order of the variant: operation_info.hpp has them.
std::vector<std::string> function_names();
bool is_function(std::string_view name);

/// One layer of ref/encoder, with its backward; the extents are those of its tensors.
struct EncoderLayerOptions {
  std::size_t num_heads = 1;
  Activation activation = Activation::relu;
  NormPlacement placement = NormPlacement::post;
  double dropout = 0;  ///< its masks are tensors of the inputs
  NormOptions norm = LayerNormOptions{};
  bool causal = false;  ///< a position attends to those up to its own alone
};
/// The encoder with its class head and the weighted cross-entropy, forward and backward.
struct EncoderOptions {
  std::size_t num_layers = 1;
  std::size_t num_heads = 1;
  Activation activation = Activation::relu;
  NormPlacement placement = NormPlacement::post;
  Pooling pooling = Pooling::masked_mean;
  bool positions = true;
  NormOptions norm = LayerNormOptions{};
  bool causal = false;            ///< a position attends to those up to its own alone
  bool scaled_embedding = false;  ///< times sqrt(d_model), before positions are added
};
/// One layer of ref/decoder with a memory, with its backward; self-attention is causal.
struct DecoderLayerOptions {
  std::size_t num_heads = 1;
  Activation activation = Activation::relu;
  NormPlacement placement = NormPlacement::post;
  double dropout = 0;  ///< its masks are tensors of the inputs
  NormOptions norm = LayerNormOptions{};
};

/// "encoder_layer", "encoder", "decoder_layer": the closed list of what is made of attention,
/// feed-forwards and norms. The option `norm` is a name of norm_names(), and takes the options of
/// that layer back to their defaults; these are `norm.eps`, ...
using EncoderOperation = std::variant<EncoderLayerOptions, EncoderOptions, DecoderLayerOptions>;
std::vector<std::string> encoder_operation_names();

/// ref/decoder between tokens and the cross-entropy of its targets, forward and backward; it is
/// without dropout.
struct TranslatorOptions {
  std::size_t num_layers = 1;  ///< of each side
  std::size_t num_heads = 1;
  Activation activation = Activation::relu;
  NormPlacement placement = NormPlacement::post;
  bool positions = true;
  bool tied_head = false;
  double label_smoothing = 0;
  NormOptions norm = LayerNormOptions{};          ///< of the encoder, behind its last layer too
  NormOptions decoder_norm = LayerNormOptions{};  ///< of the decoder
  bool scaled_embedding = false;  ///< times sqrt(d_model), before positions are added
};
/// A causal ref/encoder between tokens and the cross-entropy of its targets, likewise.
struct LanguageModelOptions {
  std::size_t num_layers = 1;
  std::size_t num_heads = 1;
  Activation activation = Activation::relu;
  NormPlacement placement = NormPlacement::post;
  bool positions = true;
  bool tied_head = false;
  double label_smoothing = 0;
  NormOptions norm = LayerNormOptions{};
  bool scaled_embedding = false;  ///< times sqrt(d_model), before positions are added
};
/// The decoder's side of ref/decoder in inference, token by token: from a memory and the keys and
/// values of the tokens so far to logits, and to the keys and values with those of the new tokens.
struct DecodingOptions {
  std::size_t num_layers = 1;
  std::size_t num_heads = 1;
  Activation activation = Activation::relu;
  NormPlacement placement = NormPlacement::post;
  bool positions = true;
  bool tied_head = false;
  NormOptions norm = LayerNormOptions{};
  bool scaled_embedding = false;  ///< times sqrt(d_model), before positions are added
};

/// "translator", "language_model", "decoding": the closed list of what goes from tokens to logits
/// over a vocabulary. `norm` is as of encoders, and so is `decoder_norm`, whose options are
/// `decoder_norm.eps`, ...
using TransformerOperation = std::variant<TranslatorOptions, LanguageModelOptions, DecodingOptions>;
std::vector<std::string> transformer_operation_names();

/// Steps of an optimizer on one parameter, with given gradients.
struct OptimizerOperation {
  OptimizerOptions optimizer = SgdOptions{};
  double learning_rate = 0.1;
};

/// A layer of ref/norm, a function, an encoder or a layer of one or of a decoder, a whole
/// Transformer, or an optimizer: one of optimizer_names().
using Operation = std::variant<NormOptions, FunctionOptions, EncoderOperation, OptimizerOperation,
                               TransformerOperation>;

std::string operation_name(const Operation& operation);
/// The names in norm_names, function_names, encoder_operation_names, transformer_operation_names
/// and optimizer_names.
std::vector<std::string> operation_names();

/// The operation with its default options.
/// Throws    UsageError with the nearest known name
Operation operation(std::string_view name);

/// set_option, list_options and list_all_options of the options that the operation holds, as of
/// NormOptions.
void set_option(Operation& operation, std::string_view field, std::string_view value);
std::vector<std::pair<std::string, std::string>> list_options(const Operation& operation);
std::vector<std::pair<std::string, std::string>> list_all_options(const Operation& operation);

}  // namespace normproof::ref::model
