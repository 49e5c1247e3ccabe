#pragma once

#include "gpu/encoder/encoder_layer.hpp"
#include "gpu/nn/embedding.hpp"

namespace normproof::gpu::encoder {

struct EncoderInputs {
  nn::Tokens tokens;
  DeviceMask valid = {};  ///< [B,T], true = a real token, or {}: all
};

struct EncoderGradients {
  NamedDeviceTensors dense;   ///< in the order of the parameters, with the embedding where the head
                              ///< is tied
  nn::RowGradient embedding;  ///< without rows where it is
};

/// Those of `found` in the order of the parameters.
NamedDeviceTensors in_order_of(const NamedDeviceTensors& parameters,
                               const NamedDeviceTensors& found);

/// Adds the gradients of a head to those of what is before it. Of a tied one the weight is that of
/// the embedding, whose name is given: to its gradient the sums over the tokens, `rows`, are added,
/// one rounding an element, and no rows are left.
void put_head(bool tied, const std::string& embedding, nn::Linear&& head, nn::RowGradient& rows,
              NamedDeviceTensors& dense);

/// ref/encoder/encoder.hpp on a device: formulas, requirements, and with ordered_products bits.
/// Parameters by the names of ref/encoder/parameters.hpp.
/// Throws    ContractError
class Encoder {
 public:
  /// `config` has to stay.
  Encoder(const EncoderConfig& config, const NamedDeviceTensors& parameters);
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  /// The logits; `state` moves in training.
  DeviceTensor<double> forward(const EncoderInputs& inputs, const EncoderRun& run,
                               NamedDeviceTensors& state);
  /// Requires  (C6) a forward before it
  EncoderGradients backward(const DeviceTensor<double>& grad_logits, NamedDeviceTensors& state);

  /// What the head takes, [B,D] or [B,T,D]: forward without the head.
  DeviceTensor<double> hidden(const EncoderInputs& inputs, const EncoderRun& run,
                              NamedDeviceTensors& state);
  /// The gradients with the head's, which are given, from that by what it takes.
  EncoderGradients hidden_backward(DeviceTensor<double> grad_hidden, nn::Linear&& head,
                                   NamedDeviceTensors& state);
  /// Of a tied head the weight is the embedding's.
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
