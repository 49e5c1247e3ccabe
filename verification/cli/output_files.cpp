#include "verification/cli/output_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "ref/io/atomic_file.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::verification::cli {

namespace fs = std::filesystem;
using ref::numeric::FileError;
using ref::numeric::UsageError;

namespace {

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code absent;
  if (fs::is_character_file(a, absent) || fs::is_fifo(a, absent)) return false;
  // If the first folder of a relative name does not exist, weakly_canonical returns the name
  // unchanged.
  return a == b || fs::equivalent(a, b, absent) ||
         fs::weakly_canonical(fs::absolute(a), absent) ==
             fs::weakly_canonical(fs::absolute(b), absent);
}

/// Throws an error if `file` is inside `folder`, which is an input.
void check_outside_folder(const NamedFile& file, const fs::path& folder) {
  std::error_code error;
  const fs::path inside = fs::weakly_canonical(fs::absolute(*file.path), error);
  const fs::path above = fs::weakly_canonical(fs::absolute(folder), error);
  const auto [end, rest] = std::mismatch(above.begin(), above.end(), inside.begin(), inside.end());
  if (end == above.end())
    throw UsageError(fmt::format("{} {} is in {}; expected a file elsewhere", file.option,
                                 file.path->string(), folder.string()));
}

}  // namespace

void check_outputs(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs) {
  std::vector<NamedFile> seen = inputs;
  for (const NamedFile& output : outputs) {
    if (!output.path) continue;
    const fs::path& path = *output.path;
    if (path == "-")
      throw UsageError(fmt::format(
          "{} is '-', which names no file; expected a path (/dev/stdout for standard output)",
          output.option));
    for (const NamedFile& other : seen) {
      std::error_code absent;
      if (other.path && fs::is_directory(*other.path, absent)) {
        check_outside_folder(output, *other.path);
        continue;
      }
      if (other.path && is_same_file(path, *other.path)) {
        throw UsageError(fmt::format("{} and {} name the same file '{}'; expected different ones",
                                     other.option, output.option, path.string()));
      }
    }
    seen.push_back(output);
    ref::io::check_writable(path);
  }
}

std::function<void()> to_file(const std::optional<fs::path>& path,
                              std::function<std::string()> text) {
  return [path, text = std::move(text)] {
    if (path) ref::io::write_file(*path, text());
  };
}

void write_all(const std::vector<std::function<void()>>& writers) {
  std::exception_ptr first;
  for (const auto& write : writers) {
    try {
      write();
    } catch (const FileError&) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace normproof::verification::cli
