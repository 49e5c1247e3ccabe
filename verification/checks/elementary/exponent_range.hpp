#pragma once

#include <mpfr.h>

namespace normproof::verification::checks::elementary {

/// Sets the range of exponents of MPFR results in this thread until the object is destroyed. MPFR
/// gives the results of `double` if the precision is 53 bits, exponents are from -1073 to 1024, and
/// mpfr_subnormalize is called after each operation.
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
