#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "verification/cli/golden/golden_check.hpp"
#include "verification/golden/reports/golden_document.hpp"
#include "verification/golden/reports/golden_report.hpp"
#include "verification/support/report/markdown.hpp"
#include "verification/support/report/terminal.hpp"

namespace normproof::tests::verification::golden::reports {

namespace tool = normproof::verification::cli;
namespace corpora = normproof::verification::golden;
namespace judged = normproof::verification::golden::reports;

/// Returns the result of a LayerNorm case in which `failures` of 6 elements of y failed.
inline corpora::gate::CaseResult golden_result(const std::string& path, std::size_t failures) {
  corpora::gate::CaseResult result;
  result.description.path = path;
  result.description.c.options = normproof::ref::model::norm_options("layer_norm");
  result.description.c.dtype = normproof::ref::io::DType::float32;
  result.description.c.why = "what <it> is for";
  corpora::gate::TensorResult y;
  y.name = "y";
  y.count = 6;
  y.failed.resize(failures);
  y.where = "[0, 3]";
  y.got = -0.25;
  y.exact = -0.75;
  y.bound = 0.0625;
  y.ratio = failures > 0 ? 8 : 0.5;
  y.max_absolute = 0.5;
  y.elements_with_digits = 6;
  y.max_relative = 0.75;
  y.max_ulp = 4096;
  y.norm_wise = 0.25;
  y.input_sensitivity = 0.5;
  result.tensors.push_back(y);
  return result;
}

/// Returns the result of a case in which nothing was compared because of a problem.
inline corpora::gate::CaseResult golden_result_with_problem(const std::string& path) {
  corpora::gate::CaseResult result = golden_result(path, 0);
  result.problem = "the candidate ended with status 7\nbefore it answered";
  result.tensors.clear();
  return result;
}

/// Returns the result of a case that the candidate declined.
inline corpora::gate::CaseResult golden_declined_result(const std::string& path) {
  corpora::gate::CaseResult result = golden_result(path, 0);
  result.tensors.clear();
  result.declined = true;
  return result;
}

inline tool::golden::GoldenCheckCommand golden_check_command() {
  tool::golden::GoldenCheckCommand command;
  command.golden = "g";
  command.candidate = "c";
  return command;
}

/// Returns the report of the command for these results. `xfail_list` is the text of a list of
/// expected failures.
inline judged::GoldenReport golden_report(std::vector<corpora::gate::CaseResult> results,
                                          const tool::golden::GoldenCheckCommand& command,
                                          const std::string& xfail_list) {
  return judged::golden_report(std::move(results), command.settings(xfail_list));
}

/// Returns a report with six cases. One passes, one has wrong elements and lacks an output, and in
/// one the candidate crashes. The list of expected failures names the other three: one fails as
/// expected, one passes, and one is declined.
inline judged::GoldenReport golden_sample_report() {
  corpora::gate::CaseResult nan = golden_result("q/b_fails", 2);
  nan.tensors[0].got = std::copysign(std::numeric_limits<double>::quiet_NaN(), -1.0);
  nan.tensors[0].ratio = std::numeric_limits<double>::infinity();
  corpora::gate::TensorResult absent;
  absent.name = "grad_x";
  absent.problem = "is absent";
  nan.tensors.push_back(absent);
  return golden_report({golden_result("q/a_passes", 0), nan,
                        golden_result_with_problem("q/c_crashes"), golden_result("q/d_known", 1),
                        golden_result("q/e_mended", 0), golden_declined_result("q/f_declined")},
                       golden_check_command(), "q/d_known\nq/e_*\nq/f_*\n");
}

/// Returns the report as it is printed on a terminal.
inline std::string text_of(const judged::GoldenReport& report) {
  return normproof::verification::support::report::terminal_text(judged::golden_document(report));
}

/// Returns the page of a job.
inline std::string render_markdown(const judged::GoldenReport& report) {
  return normproof::verification::support::report::markdown(judged::golden_job_summary(report));
}

}  // namespace normproof::tests::verification::golden::reports
