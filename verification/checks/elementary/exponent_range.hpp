#pragma once

#include <mpfr.h>

namespace normproof::verification::checks::elementary {

/// Sets the range of exponents of MPFR results in this scope and thread. With 53 digits, the range
/// -1073 to 1024, and mpfr_subnormalize after each operation, the results are those of `double`.
class ExponentRange {
 public:
  ExponentRange(mpfr_exp_t least, mpfr_exp_t largest)
      : least_(mpfr_get_emin()), largest_(mpfr_get_emax()) {
    mpfr_set_emin(least);
    mpfr_set_emax(largest);
  }
  ~ExponentRange() {
    mpfr_set_emin(least_);
    mpfr_set_emax(largest_);
  }
  ExponentRange(const ExponentRange&) = delete;
  ExponentRange& operator=(const ExponentRange&) = delete;

 private:
  mpfr_exp_t least_, largest_;
};

}  // namespace normproof::verification::checks::elementary
