#include "verification/golden/certify/new_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <system_error>

#include "ref/io/left_behind.hpp"
#include "ref/numeric/errors.hpp"

namespace normproof::verification::golden::certify {

namespace fs = std::filesystem;
using ref::numeric::FileError;

NewFolder::NewFolder(const char* option, const fs::path& out) : out_(out) {
  if (!out_.has_filename()) out_ = out_.parent_path();
  std::error_code error;
  const bool is_there = fs::exists(out_, error);
  if (is_there && !(fs::is_directory(out_, error) && fs::is_empty(out_, error)))
    throw ref::numeric::UsageError(fmt::format(
        "{} {} is there already; expected the name of a new folder", option, out.string()));
  const fs::path parent = out_.has_parent_path() ? out_.parent_path() : fs::path(".");
  const std::string prefix = fmt::format(".{}-", out_.filename().string());
  ref::io::remove_leftover_entries(parent, prefix, ".tmp");
  const fs::path beside = out_.parent_path() / fmt::format("{}{}.tmp", prefix, getpid());
  create(beside);
  path_ = beside;
  held_ = ref::io::Descriptor(::open(beside.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (held_.is_open()) ref::io::try_lock_as_in_use(held_.get());
}

NewFolder::~NewFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

void NewFolder::publish() {
  std::error_code error;
  fs::rename(path_, out_, error);
  if (error)
    throw FileError(
        fmt::format("{}: the folder cannot take its name ({}); expected none of that name",
                    out_.string(), error.message()));
  path_.clear();
}

void NewFolder::create(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error == std::errc::permission_denied || error == std::errc::read_only_file_system)
    throw FileError(fmt::format(
        "{}: the folder cannot be made, for that above it is read-only ({}); expected one that can "
        "be written",
        folder.string(), error.message()));
  if (error)
    throw FileError(
        fmt::format("{}: the folder cannot be made ({}); expected one that can be written",
                    folder.string(), error.message()));
}

}  // namespace normproof::verification::golden::certify
