#include "verification/cli/gpu/probe_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "ref/numeric/errors.hpp"
#include "verification/checks/agreement/order_subjects.hpp"
#include "verification/cli/device_option.hpp"
#include "verification/cli/progress_bar.hpp"
#include "verification/cli/typed_options.hpp"
#include "verification/support/report/text.hpp"

namespace normproof::verification::cli::gpu {

using checks::agreement::ComputationPlace;
using checks::agreement::OrderedComputation;
using normproof::gpu::device::Backend;
using ref::numeric::UsageError;
using support::report::plural;

namespace {

constexpr double kMaxAdditions = 2e10;

std::string subjects_text() {
  std::string text = "Subjects:\n";
  for (const OrderedComputation& subject : checks::agreement::ordered_computations())
    text += fmt::format("  {:<20} {}\n", subject.name, subject.what);
  return text;
}

/// Checks that the options may be combined.
void check_probe_options(const ProbeOrderCommand& command, bool device_given, bool side_given) {
  const OrderedComputation& subject = checks::agreement::find_ordered_computation(command.subject);
  if (device_given && subject.place == ComputationPlace::ref)
    throw UsageError(fmt::format(
        "--device is given for {}, which the processor adds; expected a subject that begins with "
        "device- or cublas",
        subject.name));
  if (device_given && subject.place == ComputationPlace::gpu_only &&
      command.device != Backend::cuda)
    throw UsageError(
        fmt::format("--device is simulated for {}; expected cuda, or none", subject.name));
  if (side_given && (!subject.is_product || subject.same_bits))
    throw UsageError(fmt::format(
        "--side is given for {}; expected it for matrix products of any extents", subject.name));
  const double cost = subject.min_additions(command.terms, command.side);
  if (cost > kMaxAdditions)
    throw UsageError(fmt::format(
        "--terms is {} for {}, which takes {:.2g} additions at least; expected {} at most, for "
        "{:.2g} additions",
        command.terms, subject.name, cost,
        static_cast<std::size_t>(static_cast<double>(command.terms) *
                                 std::sqrt(kMaxAdditions / cost)),
        kMaxAdditions));
}

}  // namespace

void ProbeOrderCommand::add(CLI::App& app) {
  const auto parse = [](const std::string& text) {
    return checks::agreement::find_ordered_computation(text).name;
  };
  const auto print = [](const std::string& text) { return text; };
  require(add_value_option(app, "SUBJECT", subject, parse, print,
                           "The computation to probe; see below", ""));
  add_number_option(app, "--terms", terms, 1, 100'000, "Number of terms (default: 600)");
  add_number_option(app, "--side", side, 1, 4096,
                    "Rows and columns of a matrix product (default: 8)");
  add_device_option(app, device);
  reports.add(app);
  check_after_parsing(app, [this, &app] {
    check_probe_options(*this, is_given(app, "--device"), is_given(app, "--side"));
  });
  set_footer(app, subjects_text() + R"(
A list in brackets is added from left to right: [0..2] is (0 + 1) + 2, where 0, 1, 2 are the numbers
of the terms. A list in braces is added at once. Exit status 1 if the order is not the contract's.

Examples:
  normproof probe-order matmul --terms 600
  normproof probe-order matmul-blas)");
}

Output ProbeOrderCommand::run() const {
  const OrderedComputation& probed = checks::agreement::find_ordered_computation(subject);
  const Backend backend = probed.place == ComputationPlace::gpu_only ? Backend::cuda : device;
  const bool on_device = probed.place != ComputationPlace::ref;
  const auto opened =
      on_device ? open_rank_device(backend) : std::unique_ptr<normproof::gpu::device::Device>();
  ProgressBar bar;
  std::size_t sums = 0;
  const checks::agreement::SummationTree tree = checks::agreement::reveal_order(
      [&](const std::vector<double>& values) {
        // The products of the contract compute 9/4 sums per term; a balanced tree computes more.
        ++sums;
        bar.show("sums", sums, std::max(sums, 9 * terms / 4), subject);
        return probed.sum({opened.get(), side}, values);
      },
      terms, 64 * terms);
  bool as_promised = tree == probed.expected(terms);
  support::report::Document document{"normproof: the order of " + probed.name};
  document.add(support::report::Paragraph{
      fmt::format("{}: {}{}", probed.name, probed.what,
                  on_device ? fmt::format(" ({})", to_string(backend)) : "")});
  document.add(support::report::Paragraph{
      fmt::format("{}: {}", plural(terms, "term"), checks::agreement::to_string(tree))});
  document.add(support::report::Paragraph{
      fmt::format("{} the contract's order, {} (docs/specification/determinism.md)",
                  as_promised ? "this is" : "this is not", probed.rule)});
  if (probed.same_bits) {
    const auto [same, all] = probed.same_bits(*opened);
    document.add(support::report::Paragraph{fmt::format(
        "{} of {} elements of random products have the bits of chains of fma", same, all)});
    as_promised = as_promised && same == all;
  }
  return {.status = as_promised ? kSuccess : kNumericalFailure, .document = document};
}

}  // namespace normproof::verification::cli::gpu
