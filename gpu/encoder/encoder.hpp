#pragma once

#include "gpu/encoder/encoder_layer.hpp"
#include "gpu/nn/embedding.hpp"

namespace normproof::gpu::encoder {

struct EncoderInputs {
  nn::Tokens tokens;
  DeviceMask valid = {};  ///< [B,T], true = a real token; {} = all
};

struct EncoderGradients {
  /// In the order of the parameters; includes the embedding if the head is tied.
  NamedDeviceTensors dense;
  nn::RowGradient embedding;  ///< without rows if the head is tied
};

/// Returns the tensors of `found` in the order of the parameters.
NamedDeviceTensors in_parameter_order(const NamedDeviceTensors& parameters,
                                      const NamedDeviceTensors& found);

/// Adds the head's gradients to `dense`. If the head is tied, its weight is the embedding of the
/// given name: the gradient sums over the tokens in `rows` are added to its gradient, with one
/// rounding per element, and `rows` becomes empty.
void add_head_gradients(bool tied, const std::string& embedding, nn::Linear&& head,
                        nn::RowGradient& rows, NamedDeviceTensors& dense);

/// Device version with the same formulas and preconditions as ref/encoder/encoder.hpp; with
/// ordered_products also the same bits. Parameters have the names of ref/encoder/parameters.hpp.
/// Throws    ContractError
class Encoder {
 public:
  /// Keeps a reference to `config`, which must outlive the encoder.
  Encoder(const EncoderConfig& config, const NamedDeviceTensors& parameters);
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  /// Returns the logits. In training, updates `state`.
  DeviceTensor<double> forward(const EncoderInputs& inputs, const EncoderRun& run,
                               NamedDeviceTensors& state);
  /// Requires  (C6) a forward has been run
  EncoderGradients backward(const DeviceTensor<double>& grad_logits, NamedDeviceTensors& state);

  /// Runs the forward without the head. Returns the head's input, [B,D] or [B,T,D].
  DeviceTensor<double> hidden(const EncoderInputs& inputs, const EncoderRun& run,
                              NamedDeviceTensors& state);
  /// Runs the backward from the gradient of the head's input. The result includes the given
  /// gradients of the head.
  EncoderGradients hidden_backward(DeviceTensor<double> grad_hidden, nn::Linear&& head,
                                   NamedDeviceTensors& state);
  /// Returns the head's parameters. The weight of a tied head is the embedding.
  nn::Linear head() const;

 private:
  DeviceTensor<double> pool(const DeviceTensor<double>& x) const;
  DeviceTensor<double> pool_backward(const DeviceTensor<double>& grad_pooled) const;

  const EncoderConfig& config_;
  NamedDeviceTensors parameters_;
  std::vector<EncoderLayer> layers_;
  NormSite final_norm_;
  EncoderRun run_;
  nn::Tokens tokens_;
  DeviceMask valid_;
  DeviceTensor<double> head_in_;
};

}  // namespace normproof::gpu::encoder
