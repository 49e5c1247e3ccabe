#include "ref/numeric/elementary_tables.hpp"

#if defined(__CUDACC__)
#define NORMPROOF_TABLE static __device__ const
#else
#define NORMPROOF_TABLE const
#endif

namespace normproof::ref::numeric {
inline namespace NORMPROOF_SIDE {

// clang-format off
NORMPROOF_TABLE double kExpTable[] = {
#include "ref/numeric/elementary_exp.inc"
};
NORMPROOF_TABLE double kLogTable[] = {
#include "ref/numeric/elementary_log.inc"
};
NORMPROOF_TABLE double kTanhTable[] = {
#include "ref/numeric/elementary_tanh.inc"
};
NORMPROOF_TABLE double kErfTable[] = {
#include "ref/numeric/elementary_erf.inc"
};
NORMPROOF_TABLE unsigned long long kLn2[] = {
#include "ref/numeric/elementary_ln2.inc"
};
NORMPROOF_TABLE unsigned long long kTwoOverRootPi[] = {
#include "ref/numeric/elementary_two_over_root_pi.inc"
};
// clang-format on

}  // namespace NORMPROOF_SIDE
}  // namespace normproof::ref::numeric
