#include "ref/numeric/elementary_tables.hpp"

namespace normproof::ref::numeric {

// clang-format off
const double kExpTable[] = {
#include "ref/numeric/elementary_tables/exp.inc"
};
const double kLogTable[] = {
#include "ref/numeric/elementary_tables/log.inc"
};
const double kTanhTable[] = {
#include "ref/numeric/elementary_tables/tanh.inc"
};
const double kErfTable[] = {
#include "ref/numeric/elementary_tables/erf.inc"
};
const unsigned long long kLn2[] = {
#include "ref/numeric/elementary_tables/ln2.inc"
};
const unsigned long long kTwoOverRootPi[] = {
#include "ref/numeric/elementary_tables/two_over_root_pi.inc"
};
// clang-format on

}  // namespace normproof::ref::numeric
