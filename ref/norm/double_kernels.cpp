// This file is compiled once per instruction set, with -DNORMPROOF_ISA=<set> and the compiler flags
// of that set.
#include "ref/norm/double_kernels.hpp"

#include "ref/norm/batch_norm_formula.hpp"
#include "ref/norm/batch_renorm_formula.hpp"
#include "ref/norm/dyt_formula.hpp"
#include "ref/norm/group_scaling_formula.hpp"
#include "ref/norm/l2_norm_formula.hpp"
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
void run_on_this_processor(const Work& work, ops::IndexRange range) {
  compute(work, range);
}

template <class... Works>
constexpr KernelTable<Works...> make_kernel_table(const KernelTable<Works...>*) {
  return {Kernel<Works>{run_on_this_processor<Works>}...};
}

}  // namespace NORMPROOF_ISA

extern const DoubleKernels NORMPROOF_JOIN(double_kernels_, NORMPROOF_ISA) =
    make_kernel_table(static_cast<const DoubleKernels*>(nullptr));

}  // namespace normproof::ref::norm
