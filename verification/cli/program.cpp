#include "verification/cli/program.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "gpu/device/errors.hpp"
#include "ref/numeric/errors.hpp"
#include "ref/numeric/fp_environment.hpp"
#include "verification/cli/command_line.hpp"
#include "verification/cli/commands.hpp"
#include "verification/cli/parser.hpp"
#include "verification/cli/standard_streams.hpp"
#include "verification/cli/text.hpp"
#include "verification/cli/verify.hpp"

namespace normproof::verification::cli {
namespace {

int complain(int status, std::string_view sentence) noexcept {
  write_stderr("normproof: ");
  write_stderr(without_label(sentence));
  write_stderr("\n");
  return status;
}

struct Runner {
  int operator()(const VerifyCommand& command) const {
    return verify(command) ? kSuccess : kNumericalFailure;
  }
  int operator()(const EvalCommand& command) const {
    const std::optional<std::string> overflow = eval(command);
    return overflow ? complain(kNumericalFailure, *overflow) : kSuccess;
  }
  int operator()(const DeterminismCommand& command) const {
    return determinism(command) ? kSuccess : kNumericalFailure;
  }
  int operator()(const GoldenMakeCommand& command) const {
    golden_make(command);
    return kSuccess;
  }
  int operator()(const GoldenCheckCommand& command) const {
    return golden_check(command) ? kSuccess : kNumericalFailure;
  }
  int operator()(const GoldenExportCommand& command) const {
    golden_export(command);
    return kSuccess;
  }
  int operator()(const GoldenRelationsCommand& command) const {
    return golden_relations(command) ? kSuccess : kNumericalFailure;
  }
  int operator()(const GoldenBlessCommand& command) const {
    golden_bless(command);
    return kSuccess;
  }
  int operator()(const GoldenPowerCommand& command) const {
    return golden_power(command) ? kSuccess : kNumericalFailure;
  }
  int operator()(const RegressRecordCommand& command) const {
    return regress_record(command) ? kSuccess : kNumericalFailure;
  }
  int operator()(const RegressCompareCommand& command) const {
    return regress_compare(command) ? kSuccess : kNumericalFailure;
  }
  int operator()(const TrainCommand& command) const {
    train(command);
    return kSuccess;
  }
  int operator()(const TraceCommand& command) const {
    trace(command);
    return kSuccess;
  }
  int operator()(const StudyCommand& command) const {
    study(command);
    return kSuccess;
  }
  int operator()(const GpuAgreeCommand& command) const {
    return gpu_agree(command) ? kSuccess : kNumericalFailure;
  }
  int operator()(const GpuTrainCommand& command) const {
    return gpu_train(command) ? kSuccess : kNumericalFailure;
  }
  int operator()(const ProbeOrderCommand& command) const {
    return probe_order(command) ? kSuccess : kNumericalFailure;
  }
  int operator()(const TextCommand& command) const {
    write_stdout(command.text);
    return kSuccess;
  }
};

}  // namespace

int run_program(const std::vector<std::string>& arguments) noexcept {
  try {
    ignore_closed_pipes();
    ignore_file_size_limit();
    ref::numeric::check_fp_environment();
    const Command all = all_commands();
    if (!arguments.empty() &&
        std::ranges::find(all.verbs, arguments.front(), &Command::name) != all.verbs.end())
      return parse_arguments(all, arguments)();
    return std::visit(Runner{}, parse_command_line(arguments));
  } catch (const ref::numeric::UsageError& error) {
    return complain(kUsageError, error.what());
  } catch (const ref::numeric::ContractError& error) {
    return complain(kUsageError, error.what());
  } catch (const ref::numeric::FileError& error) {
    return complain(kFileError, error.what());
  } catch (const gpu::device::NoDeviceError& error) {
    return complain(kNoDevice, error.what());
  } catch (const std::bad_alloc&) {
    return complain(kNumericalFailure, "the memory does not suffice");
  } catch (const std::exception& error) {
    return complain(kNumericalFailure, error.what());
  } catch (...) {
    return complain(kNumericalFailure, "an unknown failure");
  }
}

}  // namespace normproof::verification::cli
