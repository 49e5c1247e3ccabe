// Compiled once for each instruction set, with -DNORMPROOF_ISA=<set> and that set's flags.
#include "ref/norm/double_kernels.hpp"

#include "ref/norm/column_kernels.hpp"
#include "ref/norm/row_kernels.hpp"

#define NORMPROOF_JOIN_OF(x, y) x##y
#define NORMPROOF_JOIN(x, y) NORMPROOF_JOIN_OF(x, y)

namespace normproof::ref::norm {

extern const DoubleKernels NORMPROOF_JOIN(double_kernels_, NORMPROOF_ISA){
    .normalize_rows = {normalize_rows<false, double>, normalize_rows<true, double>},
    .normalize_rows_backward = {normalize_rows_backward<false, double>,
                                normalize_rows_backward<true, double>},
    .add_row_lanes = add_row_lanes<double>,
    .column_statistics = {column_statistics<false, double>, column_statistics<true, double>},
    .normalize_columns = {normalize_columns<false, double>, normalize_columns<true, double>},
    .column_parameter_gradients = {column_parameter_gradients<false, double>,
                                   column_parameter_gradients<true, double>},
    .normalize_columns_backward = {normalize_columns_backward<false, double>,
                                   normalize_columns_backward<true, double>},
    .column_moments = {column_moments<false, double>, column_moments<true, double>}};

}  // namespace normproof::ref::norm
