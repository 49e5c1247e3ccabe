#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "verification/cli/corpus.hpp"
#include "verification/cli/determinism.hpp"
#include "verification/cli/eval.hpp"
#include "verification/cli/golden.hpp"
#include "verification/cli/gpu.hpp"
#include "verification/cli/regress.hpp"
#include "verification/cli/study.hpp"
#include "verification/cli/trace.hpp"
#include "verification/cli/train.hpp"

namespace normproof::verification::cli {

struct VerifyCommand {
  std::string claims = "*";
  std::uint64_t seed = 1;
  std::size_t cases = 1000;
  int jobs = 1;
  CorpusFiles files = {};
  std::optional<std::filesystem::path> json = {}, junit = {}, html = {};
};

/// --help or --version: a text for standard output.
struct TextCommand {
  std::string text;
};

using OldCommand = std::variant<VerifyCommand, EvalCommand, DeterminismCommand, GoldenMakeCommand,
                                GoldenCheckCommand, GoldenRelationsCommand, GoldenPowerCommand,
                                GoldenBlessCommand, GoldenExportCommand, RegressRecordCommand,
                                RegressCompareCommand, TrainCommand, TraceCommand, StudyCommand,
                                GpuAgreeCommand, GpuTrainCommand, ProbeOrderCommand, TextCommand>;

/// The commands that all_commands() does not have yet.
/// Computes  the command that the arguments (without the program's name) spell out. --jobs and
///           --threads are the number of processors where they are not given.
/// Throws    UsageError, one sentence; an unknown command or option with the nearest known one
OldCommand parse_command_line(const std::vector<std::string>& arguments);

}  // namespace normproof::verification::cli
