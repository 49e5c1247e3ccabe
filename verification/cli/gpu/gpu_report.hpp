#pragma once

#include <string>

#include "verification/checks/agreement/row.hpp"
#include "verification/cli/gpu/gpu_agree.hpp"
#include "verification/support/report/checks.hpp"
#include "verification/support/report/document.hpp"

/// The report of the command `normproof gpu agree`.
namespace normproof::verification::cli::gpu {

/// Returns the line with the names of the columns.
std::string agreement_head(const GpuAgreeCommand& command);
/// Returns the line for one operation.
std::string agreement_line(const checks::agreement::Row& row, const GpuAgreeCommand& command);
/// Returns the closing line.
std::string agreement_tail(const checks::agreement::Rows& rows, const GpuAgreeCommand& command);

/// Returns the rows as one JSON object. An infinite ratio is written as a string.
std::string agreement_json(const checks::agreement::Rows& rows, const GpuAgreeCommand& command);
/// Returns one check per compared operation.
support::report::Checks agreement_checks(const checks::agreement::Rows& rows);
/// Returns the report: the verdict, and a table with one row per operation.
support::report::Document agreement_document(const checks::agreement::Rows& rows,
                                             const GpuAgreeCommand& command);

}  // namespace normproof::verification::cli::gpu
