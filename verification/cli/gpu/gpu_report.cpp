#include "verification/cli/gpu/gpu_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "verification/support/report/json_number.hpp"
#include "verification/support/report/terminal.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::gpu {

using support::report::count_text;
using support::report::number_text;
using support::report::plural;

namespace {

bool is_ordered(const GpuAgreeCommand& command) {
  return command.mode == GpuProductMode::ordered;
}

/// Returns the settings of the comparison as text: "device simulated, ordered mode, seed 3".
std::string comparison_text(const GpuAgreeCommand& command) {
  const std::string mode =
      is_ordered(command)
          ? "ordered mode"
          : fmt::format("cublas mode, {} with sums in {}",
                        normproof::gpu::ops::precision_name(command.precision),
                        command.precision == normproof::gpu::ops::Precision::float64 ? "double"
                                                                                     : "float32");
  return fmt::format("device {}, {}, seed {}", to_string(command.device), mode, command.seed);
}

std::string comparison_settings(const GpuAgreeCommand& command) {
  if (is_ordered(command)) return "every bit against ref";
  return fmt::format("every product {} against its bound",
                     command.device == normproof::gpu::device::Backend::cuda
                         ? "by cuBLAS"
                         : "by a simulated library, in a random order,");
}

std::string agreement_verdict(const checks::agreement::Rows& rows, const GpuAgreeCommand& command) {
  if (is_ordered(command)) return rows.agree() ? "the same bits" : "some bits differ";
  return rows.agree() ? "every product within its bound" : "some products exceed their bound";
}

/// Returns the columns of the table. Their widths are fixed, because a terminal shows each row
/// before the next one is computed.
std::vector<support::report::Column> agreement_columns(const GpuAgreeCommand& command) {
  using support::report::Align;
  std::vector<support::report::Column> columns = {{.name = "operation", .min_width = 20},
                                                  {"cases", Align::right, false, 6},
                                                  {"elements", Align::right, false, 10},
                                                  {"refused", Align::right, false, 8}};
  if (!is_ordered(command))
    for (const char* share : {"not judged", "of bound", "of sums"})
      columns.push_back({share, Align::right, false, 9});
  columns.push_back({"verdict"});
  return columns;
}

support::report::Row agreement_row(const checks::agreement::Row& row,
                                   const GpuAgreeCommand& command) {
  const bool agrees = row.difference.empty();
  support::report::Row shown{{{row.operation},
                              {count_text(row.cases)},
                              {count_text(row.elements)},
                              {count_text(row.refused)}},
                             agrees ? support::report::Tone::plain : support::report::Tone::bad};
  if (!is_ordered(command))
    for (const std::string& share :
         {count_text(row.not_judged), number_text(row.of_bound), number_text(row.of_sums)})
      shown.cells.push_back({share});
  const std::string verdict = is_ordered(command) ? "same bits" : "within";
  shown.cells.push_back({agrees ? verdict : row.difference,
                         agrees ? support::report::Tone::good : support::report::Tone::bad});
  return shown;
}

}  // namespace

std::string agreement_head(const GpuAgreeCommand& command) {
  return fmt::format("{}: {}\n\n{}", comparison_text(command), comparison_settings(command),
                     support::report::TableLines(agreement_columns(command)).head());
}

std::string agreement_line(const checks::agreement::Row& row, const GpuAgreeCommand& command) {
  return support::report::TableLines(agreement_columns(command)).row(agreement_row(row, command));
}

std::string agreement_tail(const checks::agreement::Rows& rows, const GpuAgreeCommand& command) {
  return fmt::format("\n{}: {}\n", plural(rows.cases(), "case"), agreement_verdict(rows, command));
}

std::string agreement_json(const checks::agreement::Rows& rows, const GpuAgreeCommand& command) {
  nlohmann::ordered_json operations = nlohmann::ordered_json::array();
  for (const checks::agreement::Row& row : rows.all()) {
    nlohmann::ordered_json row_json = {{"operation", row.operation},
                                       {"cases", row.cases},
                                       {"elements", row.elements},
                                       {"refused", row.refused}};
    if (!is_ordered(command)) {
      row_json["not_judged"] = row.not_judged;
      row_json["of_bound"] = support::report::json_number(row.of_bound);
      row_json["of_sums"] = support::report::json_number(row.of_sums);
    }
    row_json["difference"] = row.difference;
    operations.push_back(row_json);
  }
  nlohmann::ordered_json document = {{"device", std::string(to_string(command.device))},
                                     {"mode", is_ordered(command) ? "ordered" : "cublas"},
                                     {"tier", std::string(to_string(command.tier))},
                                     {"seed", command.seed},
                                     {"agree", rows.agree()},
                                     {"operations", operations}};
  if (!is_ordered(command))
    document["precision"] = std::string(normproof::gpu::ops::precision_name(command.precision));
  return document.dump(2) + "\n";
}

support::report::Checks agreement_checks(const checks::agreement::Rows& rows) {
  support::report::CheckSuite suite{"normproof.gpu"};
  for (const checks::agreement::Row& row : rows.all()) {
    suite.checks.push_back({.group = suite.name, .name = row.operation});
    if (row.difference.empty()) continue;
    suite.checks.back().outcome = support::report::Outcome::failed;
    suite.checks.back().findings = {{row.operation, row.difference}};
  }
  return {suite};
}

support::report::Document agreement_document(const checks::agreement::Rows& rows,
                                             const GpuAgreeCommand& command) {
  support::report::Document document{"normproof: the device against the reference"};
  document.add(support::report::Heading{1, document.title});
  document.add(support::report::Paragraph{
      fmt::format("{}: {}.", plural(rows.cases(), "case"), agreement_verdict(rows, command)),
      rows.agree() ? support::report::Tone::good : support::report::Tone::bad});
  document.add(support::report::Paragraph{
      fmt::format("{}: {}.", comparison_text(command), comparison_settings(command)),
      support::report::Tone::soft});
  support::report::Table table{"", agreement_columns(command)};
  for (const checks::agreement::Row& row : rows.all())
    table.rows.push_back(agreement_row(row, command));
  document.add(std::move(table));
  if (!is_ordered(command))
    document.add(support::report::Paragraph{
        "of bound: the largest error of a product, as a share of its bound; of sums: the same "
        "against the exact product of its rounded operands. Above 1 a product is wrong."});
  return document;
}

}  // namespace normproof::verification::cli::gpu
