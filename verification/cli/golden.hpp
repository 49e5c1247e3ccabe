#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "verification/golden/check.hpp"
#include "verification/golden/export.hpp"
#include "verification/golden/make.hpp"
#include "verification/golden/power.hpp"

namespace normproof::verification::cli {

struct GoldenMakeCommand {
  std::filesystem::path out = {};
  std::vector<golden::Tier> tiers = {golden::Tier::quick};
  std::string only = "*";
  int jobs = 1;
};

struct GoldenCheckCommand {
  std::filesystem::path golden = {};
  std::optional<std::filesystem::path> candidate = {};
  std::optional<std::string> pipe = {};  ///< a command for sh
  double timeout = 60;                   ///< seconds that it may take for one answer
  std::string only = "*";
  golden::CheckOptions options = {};
  std::size_t min_cases = 1;
  int jobs = 1;
  std::optional<std::filesystem::path> xfail = {}, json = {}, junit = {}, sarif = {}, markdown = {};
};

struct GoldenExportCommand {
  std::filesystem::path golden = {}, out = {};
  golden::ExportFormat format = golden::ExportFormat::npz;
  std::string only = "*";
};

struct GoldenPowerCommand {
  golden::PowerOptions options = {};
  std::optional<std::filesystem::path> json = {}, markdown = {};
};

/// Writes a corpus and says on standard output what it holds.
void golden_make(const GoldenMakeCommand& command);

/// Writes the cases of a corpus in another format.
void golden_export(const GoldenExportCommand& command);

/// Holds a candidate against a corpus: a table on standard output, the failures last, each with the
/// line that reproduces it.
/// Returns   true where every case passed, those of the xfail list failed, and there were enough
/// Throws    UsageError, FileError
bool golden_check(const GoldenCheckCommand& command);

/// The mutation score of a tier by layer, the false alarms, and the survivors, each explained.
/// Returns   true where every mutation that is an error was rejected, and no right implementation
bool golden_power(const GoldenPowerCommand& command);

}  // namespace normproof::verification::cli
