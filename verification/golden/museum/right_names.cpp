#include "verification/golden/museum/right_names.hpp"

#include <algorithm>

namespace normproof::verification::golden::museum {

const std::map<std::string, std::vector<std::string>>& right_names() {
  static const std::map<std::string, std::vector<std::string>> kNames = {
      {"first_row_of_the_gradient", {"reading grad_y: the first row used for all"}},
      {"last_stage_lost", {"sum of squares: only the first 1024"}},
      {"scaled_but_for_eps",
       {"eps: not divided by the square of the largest element, as x is by that element"}},
      {"tail_left_out",
       {"sum of squares: only the first 1024",
        "sum of squares: without the terms after the last whole block of 32",
        "columns: only the first 1024 are read and written"}},
      {"biased_running_variance",
       {"running variance: biased instead of unbiased, or the reverse",
        "unbiased_running_variance=False"}},
      {"blind_to_nan", {"largest element: NaN skipped"}},
      {"blocks_of_rows_in_bfloat16",
       {"sum of grad_gamma: accumulated in bfloat16", "sum of grad_beta: accumulated in bfloat16"}},
      {"decay_after_the_step", {"weight decay: applied after the step"}},
      {"eps_before_the_correction", {"eps: added before the bias correction"}},
      {"eps_floored", {"eps: ten times as large", "eps: raised to 1e-5"}},
      {"eps_outside_the_root", {"eps: added to the reciprocal root"}},
      {"exponential_overflows_in_16_bits",
       {"every exponential: with an exponential that overflows to NaN",
        "formula of the gate: with an exponential that overflows to NaN"}},
      {"fast_tanh",
       {"every exponential: with an exponential that overflows to NaN",
        "formula of the gate: with an exponential that overflows to NaN"}},
      {"finite_infinity", {"every element is 0"}},
      {"gradient_never_written", {"every element is 0"}},
      {"gradients_in_bfloat16",
       {"sum of grad_beta: accumulated in bfloat16", "sum of grad_gamma: accumulated in bfloat16",
        "sums in bfloat16"}},
      {"gradients_unwritten", {"every element is 0"}},
      {"last_block_of_rows_dropped",
       {"grad_gamma and grad_beta: the last block of 8 rows is lost"}},
      {"layer_norm_in_its_place", {"mean: subtracted although the norm does not subtract it"}},
      {"magnitude_in_bfloat16",
       {"scales of the blocks of y: from a magnitude that was rounded to bfloat16"}},
      {"mask_inverted", {"mask of the keys: inverted"}},
      {"mean_subtracted_twice", {"mean of g: twice"}},
      {"moments_in_float16",
       {"every row is the same, whatever the input", "every element is 0", "every element is NaN",
        "sums in float16"}},
      {"multiplied_by_the_root", {"rstd: multiplied by the root instead of divided by it"}},
      {"one_pass_by_shares",
       {"every element is NaN", "variance: computed as E[x^2] - E[x]^2",
        "a one-pass variance E[x^2] - E[x]^2"}},
      {"one_pass_clamped",
       {"every element is NaN", "variance: computed as E[x^2] - E[x]^2",
        "a one-pass variance E[x^2] - E[x]^2"}},
      {"one_pass_in_lanes",
       {"every element is NaN", "variance: computed as E[x^2] - E[x]^2",
        "a one-pass variance E[x^2] - E[x]^2"}},
      {"one_pass_in_order",
       {"every element is NaN", "variance: computed as E[x^2] - E[x]^2",
        "a one-pass variance E[x^2] - E[x]^2"}},
      {"one_pass_of_a_warp",
       {"every element is NaN", "variance: computed as E[x^2] - E[x]^2",
        "a one-pass variance E[x^2] - E[x]^2"}},
      {"overflow_in_full_vectors",
       {"every exponential: with an exponential that overflows to NaN",
        "formula of the gate: with an exponential that overflows to NaN"}},
      {"padded_lanes_in_the_variance",
       {"statistic: with zeros that pad the row to a power of two",
        "statistic: with zeros that pad the row to a multiple of 32"}},
      {"padding_attended_to", {"mask of the keys: ignored"}},
      {"root_in_float16", {"sqrt(2/pi): rounded to float16"}},
      {"rounded_before_gamma", {"cast_order='before_gamma'"}},
      {"scale_to_nearest", {"scale_rounding='nearest'", "scale_rounding='nearest' or 'even'"}},
      {"shares_in_float16", {"sums in float16", "every element is 0"}},
      {"shift_by_product", {"the folded form x r - m r for (x - m) r"}},
      {"squares_in_float16", {"sums in float16"}},
      {"sum_in_bfloat16", {"sum of exponentials: accumulated in bfloat16", "sums in bfloat16"}},
      {"sums_in_half_accumulators", {"sums in float16", "every element is 0"}},
      {"two_exponentials_overflow",
       {"every element is NaN", "every exponential: with an exponential that overflows to NaN"}},
      {"variance_for_the_mean_square", {"mean: subtracted although the norm does not subtract it"}},
      {"weights_after_dropout", {"backward of the softmax: with the weights after dropout"}},
      {"without_corrections",
       {"bias correction of both moments: dropped",
        "bias correction of the second moment: dropped"}},
      {"zeros_over_zero", {"scale of a group of zeros of y: 0, so that its elements are NaN"}},
  };
  return kNames;
}

bool is_right_name(const std::string& exhibit, const std::string& name) {
  const auto found = right_names().find(exhibit);
  return found != right_names().end() &&
         std::ranges::find(found->second, name) != found->second.end();
}

}  // namespace normproof::verification::golden::museum
