// This file is compiled once per instruction set, with -DNORMPROOF_ISA=<set> and the flags of that
// set.
#include "ref/norm/double_kernels.hpp"

#include "ref/norm/batch_norm_formula.hpp"
#include "ref/norm/batch_renorm_formula.hpp"
#include "ref/norm/dyt_formula.hpp"
#include "ref/norm/group_scaling_formula.hpp"
#include "ref/norm/layer_norm_formula.hpp"
#include "ref/norm/power_norm_formula.hpp"
#include "ref/norm/power_norm_v_formula.hpp"
#include "ref/norm/rms_norm_formula.hpp"
#include "ref/norm/scale_norm_formula.hpp"

#define NORMPROOF_JOIN_OF(x, y) x##y
#define NORMPROOF_JOIN(x, y) NORMPROOF_JOIN_OF(x, y)

namespace normproof::ref::norm {
inline namespace NORMPROOF_ISA {

template <class Work>
void compute_here(const Work& work, ops::IndexRange range) {
  compute(work, range);
}

template <class... Works>
constexpr KernelTable<Works...> table_of(const KernelTable<Works...>*) {
  return {Kernel<Works>{compute_here<Works>}...};
}

}  // namespace NORMPROOF_ISA

extern const DoubleKernels NORMPROOF_JOIN(double_kernels_, NORMPROOF_ISA) =
    table_of(static_cast<const DoubleKernels*>(nullptr));

}  // namespace normproof::ref::norm
