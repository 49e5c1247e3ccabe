#include "verification/cli/gpu.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <sstream>
#include <stdexcept>

#include "ref/numeric/parallel.hpp"
#include "verification/agreement/agree.hpp"
#include "verification/agreement/order_subjects.hpp"
#include "verification/agreement/trajectory.hpp"
#include "verification/cli/output_files.hpp"
#include "verification/cli/progress_bar.hpp"
#include "verification/cli/standard_streams.hpp"

namespace normproof::verification::cli {

namespace {

using agreement::Agreement;

std::string agreement_table(const Agreement& found, const GpuAgreeCommand& command) {
  std::string text = fmt::format("device {}, ordered mode, seed {}: every bit against ref\n\n",
                                 to_string(command.device), command.seed);
  text += fmt::format("{:<20} {:>6} {:>10} {:>8}  \n", "operation", "cases", "elements", "refused");
  for (const agreement::Row& row : found.rows.all())
    text += fmt::format("{:<20} {:>6} {:>10} {:>8}  {}\n", row.operation, row.cases, row.elements,
                        row.refused, row.difference.empty() ? "same bits" : row.difference);
  const bool agree = found.rows.agree();
  return text + fmt::format("\n{} cases: {}; {} of the corpus left out\n", found.rows.cases(),
                            agree ? "the same bits" : "some bits differ", found.left_out);
}

std::string agreement_json(const Agreement& found, const GpuAgreeCommand& command) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const agreement::Row& row : found.rows.all())
    rows.push_back({{"operation", row.operation},
                    {"cases", row.cases},
                    {"elements", row.elements},
                    {"refused", row.refused},
                    {"difference", row.difference}});
  const nlohmann::ordered_json document = {{"device", std::string(to_string(command.device))},
                                           {"mode", "ordered"},
                                           {"seed", command.seed},
                                           {"agree", found.rows.agree()},
                                           {"left_out", found.left_out},
                                           {"operations", rows}};
  return document.dump(2) + "\n";
}

std::string agreement_junit(const Agreement& found) {
  pugi::xml_document document;
  pugi::xml_node suite = document.append_child("testsuites").append_child("testsuite");
  suite.append_attribute("name") = "normproof.gpu";
  suite.append_attribute("tests") = found.rows.all().size();
  for (const agreement::Row& row : found.rows.all()) {
    pugi::xml_node test = suite.append_child("testcase");
    test.append_attribute("classname") = "normproof.gpu";
    test.append_attribute("name") = row.operation.c_str();
    if (!row.difference.empty())
      test.append_child("failure").append_attribute("message") = row.difference.c_str();
  }
  std::ostringstream text;
  document.save(text, "  ");
  return text.str();
}

}  // namespace

bool gpu_agree(const GpuAgreeCommand& command) {
  check_outputs({}, {{"--json", command.json}, {"--junit", command.junit}});
  const auto device = gpu::device::open_device(command.device, command.seed);
  ref::numeric::set_num_threads(command.jobs);
  ProgressBar progress;
  std::size_t part = 0;
  const Agreement found =
      agreement::agree_ordered(*device, command.seed, [&](std::string_view name) {
        constexpr std::size_t kParts = 4;
        progress.show("comparing", part++, kParts, std::string(name));
      });
  if (found.rows.cases() == 0) throw std::logic_error("gpu agree: no case was compared");
  write_all({[&] { write_stdout(agreement_table(found, command)); },
             to_file(command.json, [&] { return agreement_json(found, command); }),
             to_file(command.junit, [&] { return agreement_junit(found); })});
  return found.rows.agree();
}

bool gpu_train(const GpuTrainCommand& command) {
  agreement::Trajectory trajectory;
  trajectory.steps = command.steps;
  auto& config = trajectory.config;
  config.encoder = {.vocab_size = 50,
                    .d_model = 16,
                    .num_heads = 4,
                    .d_ff = 32,
                    .num_layers = 2,
                    .num_classes = 3,
                    .norm = ref::model::norm_options(command.norm)};
  config.optimizer = ref::model::optimizer_options(command.optimizer);
  config.learning_rate = command.optimizer == "sgd" ? 0.1 : 0.001;
  config.seed = command.seed;
  const auto device = gpu::device::open_device(command.device, command.seed);
  ref::numeric::set_num_threads(command.jobs);
  std::string text = fmt::format("{} with {}, {} steps, seed {}\n", command.norm, command.optimizer,
                                 command.steps, command.seed);
  const std::string there =
      trajectory_of_device(*device, trajectory, [&](std::int64_t step, double loss) {
        text += fmt::format("step {:>4}  loss {:.17g}\n", step, loss);
      });
  const std::string here = trajectory_of_ref(trajectory, [](std::int64_t, double) {});
  text += fmt::format("sha256 {} on the device ({})\nsha256 {} by ref: {}\n", there,
                      to_string(command.device), here,
                      here == there ? "the same trajectory" : "another trajectory");
  write_stdout(text);
  return here == there;
}

bool probe_order(const ProbeOrderCommand& command) {
  const agreement::OrderSubject& subject = agreement::order_subject(command.subject);
  const auto backend = subject.on_gpu_alone ? gpu::device::Backend::cuda : command.device;
  const auto device = subject.on_device ? gpu::device::open_device(backend)
                                        : std::unique_ptr<gpu::device::Device>();
  const agreement::SummationTree tree = agreement::reveal_order(
      [&](const std::vector<double>& terms) { return subject.sum(device.get(), terms); },
      command.terms);
  const bool as_promised = tree == subject.expected(command.terms);
  write_stdout(fmt::format(
      "{}: {}{}\n{} terms: {}\n{} the contract's order, {} (docs/determinism.md)\n", subject.name,
      subject.what, subject.on_device ? fmt::format(" ({})", to_string(backend)) : "",
      command.terms, agreement::to_string(tree), as_promised ? "this is" : "this is not",
      subject.rule));
  return as_promised;
}

}  // namespace normproof::verification::cli
