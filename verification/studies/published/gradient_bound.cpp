#include "verification/studies/published/gradient_bound.hpp"

#include <algorithm>
#include <cmath>

#include "ref/numeric/square_root.hpp"

namespace normproof::verification::studies::published {

using ref::numeric::square_root;

GradientBound::ChannelMaxima GradientBound::add(const BoundInputs& step, double new_weight) {
  ChannelMaxima found;
  channels_.resize(step.big_gamma.size());
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    ChannelHistory& channel = channels_[c];
    const double g = std::fabs(step.gamma[c]) * square_root(step.grad_y_squared[c]);
    channel.largest_gradient = std::max(channel.largest_gradient, g);
    channel.least_gamma = std::min(channel.least_gamma, step.big_gamma[c]);
    if (channel.holds && channel.least_gamma > 0) {
      const double own = square_root(step.grad_x_squared[c]) / step.rstd[c];
      const double bound =
          channel.largest_gradient * (1 + square_root(step.big_gamma[c] / channel.least_gamma));
      ++found.channels;
      found.seen = std::max(found.seen, own);
      found.bound = std::max(found.bound, bound);
      if (bound > 0) found.share = std::max(found.share, own / bound);
    }
    const double theta = new_weight * step.big_gamma[c];
    channel.holds = channel.holds && theta <= 1;
  }
  return found;
}

}  // namespace normproof::verification::studies::published
