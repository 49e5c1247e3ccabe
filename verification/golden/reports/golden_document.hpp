#pragma once

#include "verification/golden/reports/golden_report.hpp"
#include "verification/support/report/document.hpp"

namespace normproof::verification::golden::reports {

/// Returns a document with the metrics of every output by layer and dtype, and each failure with
/// the command to reproduce it. The last line is the sentence that GoldenReport::summary returns.
support::report::Document golden_document(const GoldenReport& report);

/// Whether a case failed, but one rounding of its inputs may move each failed output as far. The
/// reports list such failures last, because a user can rarely mend them.
bool is_within_input_rounding(const CheckedCase& c);

/// Returns a document for the page on which a CI service shows the result of a job. The heading is
/// the sentence that GoldenReport::summary returns. The metrics and the failures follow. The
/// heading comes first because the service may truncate the document at the end.
support::report::Document golden_job_summary(const GoldenReport& report);

}  // namespace normproof::verification::golden::reports
