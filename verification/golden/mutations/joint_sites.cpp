#include "verification/golden/mutations/joint_sites.hpp"

#include <algorithm>

namespace normproof::verification::golden::mutations {

bool JointSite::has(std::string_view site) const {
  return std::ranges::any_of(sites, [&](std::string_view own) {
    return own.ends_with('*') ? site.starts_with(own.substr(0, own.size() - 1)) : site == own;
  });
}

const std::vector<JointSite>& joint_sites() {
  using enum MutationOperator;
  static const std::vector<JointSite> kJoint = {
      // Norms.
      {"gamma, forward and backward", {drop, negate, square, other}, {"gamma", "gamma in grad_x"}},
      {"rstd, forward and backward", {drop, square}, {"rstd in x_hat", "rstd in grad_x"}},
      {"every mask",
       {ignore_mask, invert_mask},
       {"mask of the statistics", "mask in grad_x", "mask of Gamma and Lambda", "mask of the keys*",
        "cross_attention: mask of the keys", "mask of the mean", "mask of the loss", "norm: mask*",
        "encoder: mask of the keys*", "encoder: norm: mask*", "loss: mask*"}},
      {"every running statistic",
       {complement, drop},
       {"running_mean", "running_variance", "running_psi2", "alpha of nu"}},
      {"moving every running statistic", {drop}, {"moving running_*"}},
      {"elements of gamma and beta",
       {repeat_1, repeat_32, repeat_64, repeat_128, repeat_256, repeat_512, repeat_1024,
        repeat_second, repeat_third, repeat_last, by_row},
       {"elements of gamma", "elements of beta"}},
      {"alpha_forward and alpha_backward", {other}, {"alpha_forward", "alpha_backward"}},
      {"psi and nu of the step before",
       {other},
       {"psi of the step before", "nu of the step before"}},
      {"every sum",
       {first_256, first_1024, forget_block, forget_first_block, forget_second_block},
       {"sum of *", "squares"}},
      {"the last block of rows",
       {partial_4, partial_8, partial_16, partial_32, partial_64, partial_128},
       {"writing y", "writing grad_x", "rows of grad_gamma and grad_beta"},
       "rows of grad_gamma and grad_beta"},
      {"n of the statistic, forward and backward",
       {drop},
       {"n of the statistic", "n of the mean of g x_hat"}},
      {"n of the mean, forward and backward", {drop}, {"n of the mean", "n of the mean of g"}},
      // Functions.
      {"every exponential", {overflowing}, {"formula of the gate", "tanh of the slope"}},
      {"every constant",
       {single_precision},
       {"1/sqrt(2)", "1/sqrt(2 pi)", "sqrt(2/pi)*", "0.044715*"}},
      {"scale, forward and backward",
       {drop, negate, square},
       {"scale", "scale in grad_q", "scale in grad_k"}},
      {"every causal mask",
       {drop, one_more, one_less, transposed, other, inverted, insert},
       {"causal mask", "causal mask in the backward"}},
      {"every window of earlier keys",
       {drop, one_more, one_less},
       {"window of earlier keys", "window of earlier keys in the backward"}},
      {"every window of later keys",
       {drop, one_more, one_less},
       {"window of later keys", "window of later keys in the backward"}},
      {"every soft cap", {drop}, {"soft cap", "soft cap in the backward"}},
      {"every corner of the window",
       {other},
       {"corner of the window", "corner of the window in the backward"}},
      {"every causal mask from the first key",
       {insert},
       {"causal mask from the first key", "causal mask from the first key in the backward"}},
      // Encoders.
      {"1/sqrt(d_k), forward and backward",
       {drop, negate, square},
       {"1/sqrt(d_k)", "1/sqrt(d_k) in the backward"}},
      {"bias of every linear map", {drop}, {"bias of *"}},
      {"weight of every linear map", {transposed}, {"weight of *"}},
      {"residual of attention, forward and backward", {drop}, {"residual of attention*"}},
      {"residual of the feed-forward, forward and backward",
       {drop},
       {"residual of the feed-forward*"}},
      {"residual of self-attention, forward and backward", {drop}, {"residual of self-attention*"}},
      {"residual of cross-attention, forward and backward",
       {drop},
       {"residual of cross-attention*"}},
      {"every residual", {drop}, {"residual of *"}},
      {"factor sqrt(D) of the embedding, forward and backward",
       {insert, drop, square},
       {"factor sqrt(D) of *"}},
      {"factor sqrt(D) of both embeddings, forward and backward",
       {insert, drop, square},
       {"factor sqrt(D) of *", "encoder: factor sqrt(D) of *"},
       "encoder: factor sqrt(D) of the embedding"},
      {"factor sqrt(D) of both embeddings' gradients",
       {insert, drop},
       {"factor sqrt(D) of grad_embedding.weight",
        "encoder: factor sqrt(D) of grad_embedding.weight"}},
      {"sqrt(D) on every position",
       {insert},
       {"sqrt(D) on the position", "encoder: sqrt(D) on the position"}},
      // Decoding.
      {"order of past keys and values", {rotated, rotated_back}, {"order of past *"}},
      {"1/sqrt(d_k) of every key in the cache",
       {insert},
       {"1/sqrt(d_k) of keys in the cache", "1/sqrt(d_k) of past keys in the cache"}},
      // Dropout.
      {"every dropout", {drop}, {"dropout of *"}},
      {"every dropout in inference", {insert}, {"dropout in inference of *"}},
      {"scale of every dropout", {drop, complement, other, square}, {"scale of *"}},
      {"scale of attention.weights, forward and backward",
       {drop, complement, other, square},
       {"scale of attention.weights*"}},
      {"scale of attention.y, forward and backward",
       {drop, complement, other, square},
       {"scale of attention.y*"}},
      {"scale of feed_forward.active, forward and backward",
       {drop, complement, other, square},
       {"scale of feed_forward.active*"}},
      {"scale of feed_forward.y, forward and backward",
       {drop, complement, other, square},
       {"scale of feed_forward.y*"}},
      {"mask of every dropout",
       {ignore_mask, invert_mask},
       {"mask of attention*", "mask of self_attention*", "mask of cross_attention*",
        "mask of feed_forward*"}},
      // Optimizers.
      {"bias correction of both moments", {drop}, {"bias correction of *"}},
      {"1 - beta1 and 1 - beta2", {drop}, {"1 - beta1", "1 - beta2"}},
      {"moving both moments", {drop}, {"moving first_moment", "moving second_moment"}},
  };
  return kJoint;
}

const JointSite* joint_site(std::string_view name) {
  const auto found = std::ranges::find(joint_sites(), name, &JointSite::name);
  return found == joint_sites().end() ? nullptr : &*found;
}

}  // namespace normproof::verification::golden::mutations
