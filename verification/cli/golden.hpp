#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "verification/golden/certify/bless.hpp"
#include "verification/golden/certify/make.hpp"
#include "verification/golden/gate/check.hpp"
#include "verification/golden/gate/export.hpp"
#include "verification/golden/gate/power.hpp"
#include "verification/golden/gate/relations.hpp"

namespace normproof::verification::cli {

struct GoldenMakeCommand {
  std::filesystem::path out = {};
  std::vector<golden::corpus::Tier> tiers = {golden::corpus::Tier::quick};
  std::string only = "*";
  int jobs = 1;
};

struct GoldenBlessCommand {
  std::filesystem::path golden = {};
  std::vector<golden::corpus::Tier> tiers = {};  ///< besides those of the corpus
  std::string only = "*";
  std::optional<std::string> reason = {};  ///< absent: the terminal is asked
  int jobs = 1;
};

struct GoldenCheckCommand {
  std::filesystem::path golden = {};
  std::optional<std::filesystem::path> candidate = {};
  std::optional<std::string> pipe = {};  ///< a command for sh
  double timeout = 60;                   ///< seconds that it may take for one answer
  std::string only = "*";
  golden::gate::CheckOptions options = {};
  std::size_t min_cases = 1;
  int jobs = 1;
  std::optional<std::filesystem::path> xfail = {}, json = {}, junit = {}, sarif = {}, markdown = {};
};

struct GoldenExportCommand {
  std::filesystem::path golden = {}, out = {};
  golden::gate::ExportFormat format = golden::gate::ExportFormat::npz;
  std::string only = "*";
};

struct GoldenRelationsCommand {
  std::filesystem::path golden = {};
  std::string pipe = {};  ///< a command for sh
  double timeout = 60;    ///< seconds that it may take for one answer
  std::string only = "*";
  std::vector<golden::gate::Relation> relations = golden::gate::all_relations();
  std::optional<std::filesystem::path> json = {}, junit = {};
};

struct GoldenPowerCommand {
  golden::gate::PowerOptions options = {};
  std::optional<std::filesystem::path> json = {}, markdown = {};
};

/// Writes a corpus and says on standard output what it holds.
void golden_make(const GoldenMakeCommand& command);

/// Makes a corpus again, shows what would change, and changes it where there is a reason.
/// Throws    UsageError where CI is set, or there is nobody to give a reason
void golden_bless(const GoldenBlessCommand& command);

/// Writes the cases of a corpus in another format.
void golden_export(const GoldenExportCommand& command);

/// Holds a candidate against a corpus: a table on standard output, the failures last, each with the
/// line that reproduces it.
/// Returns   true where every case passed, those of the xfail list failed, and there were enough
/// Throws    UsageError, FileError
bool golden_check(const GoldenCheckCommand& command);

/// Holds the answers of a program to variants of each case against each other: a line a relation,
/// then each that is broken, with the line that reproduces it.
/// Returns   true where every relation held that applies, and one did
bool golden_relations(const GoldenRelationsCommand& command);

/// The mutation score of a tier by layer, the false alarms, and the survivors, each explained.
/// Returns   true where every mutation that is an error was rejected, and no right implementation
bool golden_power(const GoldenPowerCommand& command);

}  // namespace normproof::verification::cli
