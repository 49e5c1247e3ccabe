#pragma once

#include <string>

#include "verification/checks/agreement/row.hpp"
#include "verification/cli/gpu/gpu_agree.hpp"
#include "verification/support/report/checks.hpp"
#include "verification/support/report/document.hpp"

/// The report of `normproof gpu agree`.
namespace normproof::verification::cli::gpu {

/// Returns the line above the rows, with the names of the columns.
std::string agreement_head(const GpuAgreeCommand& command);
/// Returns the line of a row.
std::string agreement_line(const checks::agreement::Row& row, const GpuAgreeCommand& command);
/// Returns the line below the rows.
std::string agreement_tail(const checks::agreement::Rows& rows, const GpuAgreeCommand& command);

/// Returns the rows as one JSON object; an infinite ratio is a string.
std::string agreement_json(const checks::agreement::Rows& rows, const GpuAgreeCommand& command);
/// Returns one check per row.
support::report::Checks agreement_checks(const checks::agreement::Rows& rows);
/// Returns the verdict, and the rows as a table.
support::report::Document agreement_document(const checks::agreement::Rows& rows,
                                             const GpuAgreeCommand& command);

}  // namespace normproof::verification::cli::gpu
