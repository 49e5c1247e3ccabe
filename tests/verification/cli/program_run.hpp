#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "tests/ref/io/temporary_folder.hpp"

namespace normproof::tests::verification::cli {

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

struct Outcome {
  int status = -1;
  std::string out, err;
};

/// Runs a shell command, in which "$N" is the program normproof. Returns the exit status, standard
/// error and, unless the command redirects it, standard output.
inline Outcome run(const std::string& command) {
  const tests::ref::io::TemporaryFolder folder;
  write_file(folder / "command", "N='" NORMPROOF_PROGRAM "'\n" + command + "\n");
  const std::string line = "bash '" + (folder / "command").string() + "' > '" +
                           (folder / "out").string() + "' 2> '" + (folder / "err").string() +
                           "' < /dev/null";
  const int status = std::system(line.c_str());
  if (!WIFEXITED(status)) throw std::runtime_error("the shell was ended by a signal");
  return {WEXITSTATUS(status), read_file(folder / "out"), read_file(folder / "err")};
}

/// Whether the text is a single line that begins with "normproof: ".
inline bool is_one_sentence(const std::string& text) {
  return text.starts_with("normproof: ") && text.find('\n') == text.size() - 1;
}

/// Returns the lines of a report from this heading to the end of its table.
inline std::string extract_table_below(const std::string& report, const std::string& heading) {
  const std::size_t begin = report.find(heading);
  if (begin == std::string::npos) return "no table " + heading;
  const std::size_t table = report.find("\n|", begin) + 1;
  return report.substr(table, report.find("\n\n", table) - table);
}

}  // namespace normproof::tests::verification::cli
