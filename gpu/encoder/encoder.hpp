#pragma once

#include "gpu/encoder/encoder_layer.hpp"
#include "gpu/nn/embedding.hpp"

namespace normproof::gpu::encoder {

struct EncoderInputs {
  nn::Tokens tokens;
  DeviceMask valid = {};  ///< [B,T], true = a real token, or {}: all
};

struct EncoderGradients {
  NamedDeviceTensors dense;  ///< in the order of the parameters, without the embedding
  nn::RowGradient embedding;
};

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
