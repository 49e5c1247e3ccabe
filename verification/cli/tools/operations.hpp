#pragma once

#include "verification/cli/command.hpp"

namespace normproof::verification::cli::tools {

struct LayersCommand {
  static constexpr const char* name = "layers";
  static constexpr const char* summary =
      "Print what each norm layer is like, and what each function takes";

  bool json = false;
  bool table = false;

  void add(CLI::App& app);

  /// Prints the descriptions of the norm layers and functions: see layer_tables.hpp.
  ExitStatus run() const;
};

}  // namespace normproof::verification::cli::tools
