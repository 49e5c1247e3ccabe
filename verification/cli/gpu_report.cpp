#include "verification/cli/gpu_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "verification/cli/html_page.hpp"
#include "verification/cli/json_number.hpp"
#include "verification/cli/text.hpp"

namespace normproof::verification::cli {

namespace {

bool is_ordered(const GpuAgreeCommand& command) {
  return command.mode == GpuMode::ordered;
}

/// "device simulated, ordered mode, seed 3"
std::string what_was_compared(const GpuAgreeCommand& command) {
  const std::string mode =
      is_ordered(command)
          ? "ordered mode"
          : fmt::format("cublas mode, {} with sums in {}",
                        gpu::ops::precision_name(command.precision),
                        command.precision == gpu::ops::Precision::float64 ? "double" : "float32");
  return fmt::format("device {}, {}, seed {}", to_string(command.device), mode, command.seed);
}

std::string how(const GpuAgreeCommand& command) {
  if (is_ordered(command)) return "every bit against ref";
  return fmt::format("every product {} against its bound",
                     command.device == gpu::device::Backend::cuda
                         ? "by cuBLAS"
                         : "by a simulated library, in an order drawn,");
}

std::string agreement_verdict(const agreement::Rows& rows, const GpuAgreeCommand& command) {
  if (is_ordered(command)) return rows.agree() ? "the same bits" : "some bits differ";
  return rows.agree() ? "every product within its bound" : "some products are past their bound";
}

}  // namespace

std::string agreement_head(const GpuAgreeCommand& command) {
  const std::string columns =
      is_ordered(command)
          ? fmt::format("{:<20} {:>6} {:>10} {:>8}  \n", "operation", "cases", "elements",
                        "refused")
          : fmt::format("{:<20} {:>6} {:>10} {:>8} {:>10} {:>9} {:>9}\n", "operation", "cases",
                        "elements", "refused", "not judged", "of bound", "of sums");
  return fmt::format("{}: {}\n\n{}", what_was_compared(command), how(command), columns);
}

std::string agreement_line(const agreement::Row& row, const GpuAgreeCommand& command) {
  std::string line =
      fmt::format("{:<20} {:>6} {:>10} {:>8}", row.operation, row.cases, row.elements, row.refused);
  if (!is_ordered(command))
    line += fmt::format(" {:>10} {:>9} {:>9}", row.not_judged, number_text(row.of_bound),
                        number_text(row.of_sums));
  const std::string verdict = is_ordered(command) ? "same bits" : "within";
  return fmt::format("{}  {}\n", line, row.difference.empty() ? verdict : row.difference);
}

std::string agreement_tail(const agreement::Rows& rows, const GpuAgreeCommand& command) {
  return fmt::format("\n{}: {}\n", plural(rows.cases(), "case"), agreement_verdict(rows, command));
}

std::string agreement_json(const agreement::Rows& rows, const GpuAgreeCommand& command) {
  nlohmann::ordered_json operations = nlohmann::ordered_json::array();
  for (const agreement::Row& row : rows.all()) {
    nlohmann::ordered_json own = {{"operation", row.operation},
                                  {"cases", row.cases},
                                  {"elements", row.elements},
                                  {"refused", row.refused}};
    if (!is_ordered(command)) {
      own["not_judged"] = row.not_judged;
      own["of_bound"] = json_number(row.of_bound);
      own["of_sums"] = json_number(row.of_sums);
    }
    own["difference"] = row.difference;
    operations.push_back(own);
  }
  nlohmann::ordered_json document = {{"device", std::string(to_string(command.device))},
                                     {"mode", is_ordered(command) ? "ordered" : "cublas"},
                                     {"tier", std::string(to_string(command.tier))},
                                     {"seed", command.seed},
                                     {"agree", rows.agree()},
                                     {"operations", operations}};
  if (!is_ordered(command))
    document["precision"] = std::string(gpu::ops::precision_name(command.precision));
  return document.dump(2) + "\n";
}

report::Checks agreement_checks(const agreement::Rows& rows) {
  report::CheckSuite suite{"normproof.gpu"};
  for (const agreement::Row& row : rows.all()) {
    suite.checks.push_back({.group = suite.name, .name = row.operation});
    if (row.difference.empty()) continue;
    suite.checks.back().outcome = report::Outcome::failed;
    suite.checks.back().findings = {{row.operation, row.difference}};
  }
  return {suite};
}

std::string agreement_page(const agreement::Rows& rows, const GpuAgreeCommand& command) {
  const bool ordered = is_ordered(command);
  std::string body = fmt::format(
      "<h1>normproof: the device against the reference</h1>\n<p class=\"outcome {}\">{}: {}.</p>\n"
      "<p class=\"facts\">{}: {}.</p>\n",
      rows.agree() ? "good" : "bad", plural(rows.cases(), "case"), agreement_verdict(rows, command),
      escape_markup(what_was_compared(command)), escape_markup(how(command)));
  body += fmt::format(
      "<div class=\"wide\"><table><thead><tr><th>operation</th><th class=\"number\">cases</th>"
      "<th class=\"number\">elements</th><th class=\"number\">refused</th>{}<th>verdict</th></tr>"
      "</thead><tbody>\n",
      ordered ? ""
              : "<th class=\"number\">not judged</th><th class=\"number\">of bound</th>"
                "<th class=\"number\">of sums</th>");
  for (const agreement::Row& row : rows.all()) {
    const std::string ratios =
        ordered
            ? ""
            : fmt::format(
                  "<td class=\"number\">{}</td><td class=\"number\">{}</td>"
                  "<td class=\"number\">{}</td>",
                  count_text(row.not_judged), number_text(row.of_bound), number_text(row.of_sums));
    const std::string verdict = ordered ? "same bits" : "within";
    body += fmt::format(
        "<tr class=\"{}\"><td class=\"id\">{}</td><td class=\"number\">{}</td><td class=\"number\">"
        "{}</td><td class=\"number\">{}</td>{}<td class=\"verdict\">{}</td></tr>\n",
        row.difference.empty() ? "holds" : "unexpected", escape_markup(row.operation),
        count_text(row.cases), count_text(row.elements), count_text(row.refused), ratios,
        escape_markup(row.difference.empty() ? verdict : row.difference));
  }
  body += "</tbody></table></div>\n";
  if (!ordered)
    body +=
        "<p>Of bound: the largest share of what a product may be off the exact one; of sums: of "
        "what it may be off the exact product of its rounded operands. Above 1 it is wrong.</p>\n";
  return html_page("normproof: the device against the reference", body);
}

}  // namespace normproof::verification::cli
