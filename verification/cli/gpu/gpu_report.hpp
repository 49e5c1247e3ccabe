#pragma once

#include <string>

#include "verification/checks/agreement/row.hpp"
#include "verification/cli/gpu/gpu_agree.hpp"
#include "verification/support/report/checks.hpp"
#include "verification/support/report/document.hpp"

/// What `normproof gpu agree` says of its rows.
namespace normproof::verification::cli::gpu {

/// The line above the rows, with the names of the columns.
std::string agreement_head(const GpuAgreeCommand& command);
/// A row's line.
std::string agreement_line(const checks::agreement::Row& row, const GpuAgreeCommand& command);
/// The line below the rows.
std::string agreement_tail(const checks::agreement::Rows& rows, const GpuAgreeCommand& command);

/// One object; a ratio that is infinite is a string.
std::string agreement_json(const checks::agreement::Rows& rows, const GpuAgreeCommand& command);
/// A check a row.
support::report::Checks agreement_checks(const checks::agreement::Rows& rows);
/// The verdict, and the rows as a table.
support::report::Document agreement_document(const checks::agreement::Rows& rows,
                                             const GpuAgreeCommand& command);

}  // namespace normproof::verification::cli::gpu
