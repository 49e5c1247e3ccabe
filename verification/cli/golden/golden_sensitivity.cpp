#include "verification/cli/golden/golden_sensitivity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "verification/cli/golden/golden_options.hpp"
#include "verification/cli/options.hpp"
#include "verification/cli/progress_bar.hpp"
#include "verification/golden/certify/for_each_in_parallel.hpp"
#include "verification/golden/gate/check.hpp"
#include "verification/support/report/json_number.hpp"
#include "verification/support/report/markdown.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::golden {

using ref::io::DType;
using verification::golden::certify::StoredCase;
using verification::golden::reports::OutputSensitivity;
using verification::golden::reports::Sensitivity;

namespace {

/// Returns the certified values of a case in the form of a candidate's answer.
std::vector<ref::io::StoredTensor> certified_answer(const StoredCase& stored) {
  std::vector<ref::io::StoredTensor> answer;
  answer.reserve(stored.expected.size());
  for (const ref::io::StoredTensor& tensor : stored.expected)
    if (!tensor.name.ends_with("_lo")) answer.push_back(tensor);
  return answer;
}

/// Returns "grad_*.gamma" for "grad_layers.0.norm1.gamma", and a name without a point unchanged.
std::string merged_name(const std::string& output) {
  const std::size_t point = output.rfind('.');
  if (point == std::string::npos) return output;
  return (output.starts_with("grad_") ? "grad_*" : "*") + output.substr(point);
}

/// Returns an error with two significant digits, which is at least the given one.
std::string error_text(double error) {
  if (!std::isfinite(error) || error == 0) return fmt::format("{}", error);
  const double unit = std::pow(10.0, std::floor(std::log10(error)) - 1);
  return fmt::format("{:.1e}", std::ceil(error / unit * (1 - 0x1p-40)) * unit);
}

/// The outputs of an operation in all dtypes.
using OutputsByName =
    std::map<std::pair<std::string, std::string>, std::map<DType, OutputSensitivity>>;

OutputsByName group_by_name(const std::vector<OutputSensitivity>& outputs) {
  OutputsByName grouped;
  for (const OutputSensitivity& output : outputs)
    grouped[{output.operation, output.output}][output.dtype] = output;
  return grouped;
}

support::report::Table smallest_errors_table(const std::vector<OutputSensitivity>& outputs) {
  std::map<DType, bool> dtypes;
  for (const OutputSensitivity& output : outputs) dtypes[output.dtype] = true;
  support::report::Table table{"", support::report::text_columns({"operation", "output"})};
  for (const auto& [dtype, there] : dtypes)
    table.columns.push_back(support::report::number_column(std::string(ref::io::to_string(dtype))));
  for (const auto& [key, by_dtype] : group_by_name(outputs)) {
    support::report::Row row{{{key.first}, {key.second}}};
    for (const auto& [dtype, there] : dtypes) {
      const auto found = by_dtype.find(dtype);
      row.cells.push_back({found == by_dtype.end() ? ""
                           : std::isfinite(found->second.smallest_found_error)
                               ? error_text(found->second.smallest_found_error)
                               : support::report::kNoNumber});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

support::report::Table accepted_zeros_table(const std::vector<OutputSensitivity>& outputs) {
  support::report::Table table{"", support::report::text_columns({"operation", "dtype", "output"})};
  table.columns.push_back(support::report::number_column("elements"));
  table.columns.push_back(support::report::number_column("of"));
  for (const OutputSensitivity& output : outputs)
    if (output.accept_zeros > 0)
      table.rows.push_back(
          {{{output.operation},
            {std::string(ref::io::to_string(output.dtype))},
            {output.output},
            {support::report::count_text(output.accept_zeros)},
            {support::report::count_text(output.accept_zeros + output.elements)}}});
  return table;
}

std::string sensitivity_summary(const std::vector<OutputSensitivity>& outputs) {
  const auto unverified =
      std::ranges::count_if(outputs, [](const OutputSensitivity& o) { return o.elements == 0; });
  return fmt::format("{}, {} of which accept zeros in place of all elements",
                     support::report::plural(outputs.size(), "output"), unverified);
}

support::report::Document sensitivity_document(const std::vector<OutputSensitivity>& outputs) {
  support::report::Document document{"normproof: sensitivity"};
  const std::vector<OutputSensitivity> merged = merge_outputs_of_models(outputs);
  document.add(support::report::Heading{2, "The smallest error that is found"});
  document.add(smallest_errors_table(merged));
  document.add(support::report::Heading{2, "Elements whose bounds accept zeros"});
  document.add(accepted_zeros_table(merged));
  document.add(support::report::Paragraph{sensitivity_summary(outputs)});
  return document;
}

std::string sensitivity_markdown(const std::vector<OutputSensitivity>& outputs) {
  constexpr const char* kText =
      R"(An output is rejected if all of its elements have at least this relative error, for example if it is
multiplied by 1 plus the error. A number is the smallest error that one of the cases finds: the smallest error
bound of an element divided by the magnitude of the element. It is rounded up to two digits. A smaller error
may pass, if no element has a smaller bound. The error bounds are those of the default options, and the dtype is
that of the case.

In models, `grad_*.weight` stands for the gradients of all parameters whose names end in `.weight`. The number
is found in each of them. `–`: each element that the cases verify is 0.

The second table lists the elements of which nothing is verified, because zeros in place of their row or output
are within the error bounds of a correct implementation.

)";
  return fmt::format(
      "# Sensitivity\n\nWhat `normproof golden sensitivity --golden DIR --markdown FILE` "
      "writes.\n\n{}{}",
      kText, support::report::markdown(sensitivity_document(outputs)));
}

std::string sensitivity_json(const std::vector<OutputSensitivity>& outputs) {
  using nlohmann::ordered_json;
  ordered_json array = ordered_json::array();
  for (const OutputSensitivity& output : outputs)
    array.push_back(
        {{"operation", output.operation},
         {"dtype", ref::io::to_string(output.dtype)},
         {"output", output.output},
         {"smallest_found_error", support::report::json_number(output.smallest_found_error)},
         {"found_by", output.found_by},
         {"cases", output.cases},
         {"elements", output.elements},
         {"accept_zeros", output.accept_zeros}});
  return ordered_json{{"outputs", std::move(array)}}.dump(1) + "\n";
}

}  // namespace

std::vector<OutputSensitivity> merge_outputs_of_models(
    const std::vector<OutputSensitivity>& outputs) {
  std::map<std::tuple<std::string, DType, std::string>, OutputSensitivity> merged;
  for (const OutputSensitivity& output : outputs) {
    const std::string name = merged_name(output.output);
    const auto [entry, is_new] =
        merged.emplace(std::tuple(output.operation, output.dtype, name), output);
    OutputSensitivity& all = entry->second;
    all.output = name;
    if (is_new) continue;
    all.cases = std::max(all.cases, output.cases);
    all.elements += output.elements;
    all.accept_zeros += output.accept_zeros;
    // An output without any error that is found has only zeros.
    if (!std::isfinite(output.smallest_found_error)) continue;
    if (std::isfinite(all.smallest_found_error) &&
        output.smallest_found_error <= all.smallest_found_error)
      continue;
    all.smallest_found_error = output.smallest_found_error;
    all.found_by = output.found_by;
  }
  std::vector<OutputSensitivity> all;
  all.reserve(merged.size());
  for (const auto& [key, output] : merged) all.push_back(output);
  return all;
}

void GoldenSensitivityCommand::add(CLI::App& app) {
  add_golden_option(app, golden);
  add_only_option(app, only);
  add_jobs_option(app, jobs, "Cases to examine");
  reports.add(app);
  set_footer(app,
             R"(The certified values of a case take the place of a candidate's outputs.
docs/generated/sensitivity.md is the report of the quick tier.

Examples:
  normproof golden sensitivity --golden verification/golden/data
  normproof golden sensitivity --golden golden --only '*/layer_norm/*' --json sensitivity.json)");
}

std::vector<NamedFile> GoldenSensitivityCommand::inputs() const {
  return {{"--golden", golden}};
}

Output GoldenSensitivityCommand::run() const {
  const auto cases = verification::golden::certify::list_corpus(golden, only);
  std::vector<verification::golden::gate::CaseResult> results(cases.size());
  std::mutex mutex;
  std::size_t done = 0;
  ProgressBar progress;
  verification::golden::certify::for_each_in_parallel(cases.size(), jobs, [&](std::size_t i) {
    const StoredCase stored = verification::golden::certify::read_case(golden, cases[i]);
    results[i] = verification::golden::gate::check_case(stored, certified_answer(stored), {});
    const std::lock_guard lock(mutex);
    progress.show("examining", ++done, cases.size(), cases[i].path);
  });
  Sensitivity sensitivity;
  for (const auto& result : results) sensitivity.add(result);
  const std::vector<OutputSensitivity> outputs = sensitivity.outputs();
  const support::report::Document document = sensitivity_document(outputs);
  return {.document = document,
          .text = support::report::markdown(document),
          .json = [outputs] { return sensitivity_json(outputs); },
          .markdown = sensitivity_markdown(outputs)};
}

}  // namespace normproof::verification::cli::golden
