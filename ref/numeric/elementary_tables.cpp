#include "ref/numeric/elementary_tables.hpp"

namespace normproof::ref::numeric {

// clang-format off
const double kExpTable[] = {
#include "ref/numeric/elementary_exp.inc"
};
const double kLogTable[] = {
#include "ref/numeric/elementary_log.inc"
};
const double kTanhTable[] = {
#include "ref/numeric/elementary_tanh.inc"
};
const double kErfTable[] = {
#include "ref/numeric/elementary_erf.inc"
};
const unsigned long long kLn2[] = {
#include "ref/numeric/elementary_ln2.inc"
};
const unsigned long long kTwoOverRootPi[] = {
#include "ref/numeric/elementary_two_over_root_pi.inc"
};
// clang-format on

}  // namespace normproof::ref::numeric
