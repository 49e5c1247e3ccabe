#pragma once

#include <functional>
#include <string>

#include "verification/claims/slice.hpp"

namespace normproof::verification::claims {

/// How a case is given to a layer. Options, shape and slices are functions of the batch alone, so
/// that they follow it while it shrinks.
struct Layer {
  std::string name;
  Statistic statistic;
  std::function<NormOptions(const Batch&)> options;
  std::function<std::vector<Members>(const Batch&)> slices;
  bool samples = false;  ///< x is [samples,tokens,features] with samples_of(batch) samples
};

std::size_t samples_of(const Batch& batch);  ///< 3 or 2, where that divides the rows; else 1
std::size_t groups_of(const Batch& batch);   ///< 2 where that divides the features; else 1

Layer batch_norm_layer();
Layer layer_norm_layer();
Layer power_norm_v_layer();
Layer rms_norm_layer();
Layer group_norm_layer();
Layer instance_norm_layer();
Layer group_scaling_layer();
Layer scale_norm_layer();

template <class T>
NormInputs<T> inputs_of(const Layer& layer, const Batch& batch);

/// The derivative of sum(grad_y * y) by one forward on dual numbers, in the direction in which
/// `in`'s derivatives point.
oracle50 slope(const Subject& subject, const NormOptions& options, NormInputs<dual> in,
               const NamedTensors<dual>& state, const std::vector<double>& grad_y);

/// grad_x of the subject against the slice's formula and against dual numbers, element by element.
struct ComparedBackward {
  Judgement judgement = whether(true);
  std::size_t at = 0;  ///< the element with the largest share of its bound, and there:
  oracle50 grad_x, formula, derivative;
};
ComparedBackward compare_backward(const Subject& subject, const Layer& layer, const Batch& batch);

/// "grad_x is the formula and the derivative" for every batch of this kind.
Property<Batch> backward_property(const Subject& subject, const Layer& layer,
                                  const BatchKind& kind);

// The claims of group A that are not of this form.
Claim batch_renorm_claim();        ///< A10
Claim printed_form_claim();        ///< A5
Claim affine_gradient_claim();     ///< A11
Claim central_difference_claim();  ///< A12

}  // namespace normproof::verification::claims
