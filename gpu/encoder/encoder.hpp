#pragma once

#include "gpu/encoder/encoder_layer.hpp"
#include "gpu/nn/embedding.hpp"

namespace normproof::gpu::encoder {

struct EncoderInputs {
  nn::Tokens tokens;
  DeviceMask valid = {};  ///< [B,T], true = a real token; {} = all
};

struct EncoderGradients {
  /// The gradients that are stored in full, with the shape of their parameter. They are in the
  /// order of the parameters. The gradient of the embedding is included only if the head is tied to
  /// the embedding.
  NamedDeviceTensors dense;
  nn::RowGradient embedding;  ///< has no rows if the head is tied
};

/// Returns the tensors of `found`, sorted in the order of the parameters.
NamedDeviceTensors sort_in_parameter_order(const NamedDeviceTensors& parameters,
                                           const NamedDeviceTensors& found);

/// Adds the gradients of the head's parameters to `dense`. If the head is tied, its weight is the
/// parameter named `embedding`. The gradient of this parameter then has two parts: the gradient of
/// the head's weight, and the gradient in `rows` from the token lookups. In this case the function
/// adds the two parts, with one rounding per element, stores the sum in `dense` and clears `rows`.
void add_head_gradients(bool tied, const std::string& embedding, nn::Linear&& head,
                        nn::RowGradient& rows, NamedDeviceTensors& dense);

/// Device version with the same formulas and preconditions as ref/encoder/encoder.hpp. With
/// ordered_products it also gives the same bits. The parameter names are those of
/// ref/encoder/parameters.hpp.
/// Throws    ContractError
class Encoder {
 public:
  Encoder(const EncoderConfig& config, const NamedDeviceTensors& parameters);
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  /// Returns the logits. In training it also updates `state`.
  DeviceTensor<double> forward(const EncoderInputs& inputs, const ModelRunSettings& run,
                               NamedDeviceTensors& state);
  /// Returns the gradients of the parameters.
  /// Requires  (C6) forward has run before
  EncoderGradients backward(const DeviceTensor<double>& grad_logits, NamedDeviceTensors& state);

  /// Runs the forward up to the input of the head. Returns that input, [B,D] or [B,T,D].
  DeviceTensor<double> hidden(const EncoderInputs& inputs, const ModelRunSettings& run,
                              NamedDeviceTensors& state);
  /// Runs the backward from the head's input to the parameters. `grad_hidden` is the gradient of
  /// the head's input, and `head` holds the gradients of the head's parameters. The result includes
  /// the gradients in `head`.
  EncoderGradients hidden_backward(DeviceTensor<double> grad_hidden, nn::Linear&& head,
                                   NamedDeviceTensors& state);
  /// Returns the head's parameters. If the head is tied, its weight is the embedding.
  nn::Linear head() const;

 private:
  DeviceTensor<double> pool(const DeviceTensor<double>& x) const;
  DeviceTensor<double> pool_backward(const DeviceTensor<double>& grad_pooled) const;

  const EncoderConfig config_;
  NamedDeviceTensors parameters_;
  std::vector<EncoderLayer> layers_;
  NamedNorm final_norm_;
  ModelRunSettings run_;
  nn::Tokens tokens_;
  DeviceMask valid_;
  DeviceTensor<double> head_in_;
};

}  // namespace normproof::gpu::encoder
