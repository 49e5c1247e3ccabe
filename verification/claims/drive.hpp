#pragma once

#include "verification/claims/generators.hpp"
#include "verification/claims/power_norm_channel.hpp"

namespace normproof::verification::claims {

/// A channel of power_norm that is driven: each batch is made from the state, so that the step sees
/// x_hat with (1 - alpha) Gamma = theta, and gradients g = along x_hat + across v.
struct Drive {
  struct Push {
    double theta = 1;
    double along = 0;  ///< where across is 0: Lambda / Gamma
    double across = 0;
    std::vector<double> z, v;  ///< one number a row; x_hat is z, scaled; z is not all 0
  };
  double alpha = 0.5;
  double eps = 0;
  double psi2 = 1;
  double nu = 0;
  std::vector<Push> pushes;
};

struct DriveKind {
  double least_theta = 0, most_theta = 1;
  std::size_t most_steps = 30;
  bool start = true;      ///< any nu at the start; otherwise 0
  bool resonant = false;  ///< half of them: theta = most_theta throughout, along +-1 in turn
};

rc::Gen<Drive> drives(const DriveKind& kind);
std::string show(const Drive& drive);

/// One step of a driven channel. x_hat, g, Gamma and Lambda are what the batch was made to be, not
/// what the subject reports.
struct Driven {
  std::vector<Bounded> x_hat, g;
  Bounded psi;  ///< sqrt(psi_(t-1)^2 + eps)
  Bounded Gamma, Lambda;
  Moment moment;
};

PowerNormChannel channel_of(const Subject& subject, const Drive& drive);

/// `limit` scales g down to this root mean square where it is larger (0: as it is).
Driven push(PowerNormChannel& channel, const Drive& drive, const Drive::Push& push,
            double limit = 0);

Bounded root_mean_square(const std::vector<Bounded>& values);

/// What theta, a bound of Gamma and a bound of g are kept off their limits by, relatively, so that
/// making the batch at 50 digits cannot carry them across.
const oracle50& margin();

}  // namespace normproof::verification::claims
