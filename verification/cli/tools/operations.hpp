#pragma once

#include "verification/cli/command.hpp"

namespace normproof::verification::cli::tools {

struct OperationsCommand {
  static constexpr const char* name = "operations";
  static constexpr const char* former_name = "layers";
  static constexpr const char* summary = "Print what each operation reads, returns and depends on";

  bool json = false;
  bool table = false;

  void add(CLI::App& app);

  /// Prints the tables of operation_tables.hpp, which describe the operations.
  Output run() const;
};

}  // namespace normproof::verification::cli::tools
