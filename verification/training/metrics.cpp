#include "verification/training/metrics.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "ref/io/atomic_file.hpp"
#include "ref/io/file_failure.hpp"
#include "ref/io/sha256.hpp"
#include "ref/numeric/errors.hpp"
#include "verification/support/process/lines.hpp"

namespace normproof::verification::training {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

Metrics::Metrics(fs::path file, const MetricsEnd& end)
    : file_(std::move(file)), end_{end.bytes, {}} {
  std::error_code error;
  const bool is_there = fs::exists(file_, error);
  if (end.bytes > 0 && !is_there)
    ref::io::file_failure(file_.string(), "the file", "is not there",
                          fmt::format("the {} bytes of the last checkpoint", end.bytes));
  const std::string text = end.bytes > 0 && is_there ? ref::io::read_text(file_) : std::string();
  if (text.size() < end.bytes)
    ref::io::file_failure(file_.string(), "the file", "is shorter than at the last checkpoint",
                          fmt::format("at least {} bytes", end.bytes));
  for (const auto& line :
       support::process::split_lines(std::string_view(text).substr(0, end.bytes)))
    end_.sha256 =
        ref::io::sha256(fmt::format("{}{}{}", end_.sha256, line.text, line.has_end ? "\n" : ""));
  if (end_.sha256 != end.sha256)
    ref::io::file_failure(file_.string(), "the file",
                          "was altered before its byte " + std::to_string(end.bytes),
                          "the lines that the last checkpoint knows");
  if (is_there) fs::resize_file(file_, end.bytes, error);
  if (error) fail(error.message());
  stream_.open(file_, std::ios::binary | std::ios::app);
  if (!stream_) fail(std::strerror(errno));
}

void Metrics::add(const ordered_json& line) {
  const std::string text = line.dump() + "\n";
  stream_ << text << std::flush;
  if (!stream_) fail(std::strerror(errno));
  end_ = {end_.bytes + text.size(), ref::io::sha256(end_.sha256 + text)};
}

void Metrics::fail(const std::string& reason) const {
  throw ref::numeric::FileError(
      fmt::format("{}: cannot be written ({}); expected a folder on a disk with room: --resume "
                  "goes on after the "
                  "last checkpoint, or from the beginning where there is none",
                  file_.string(), reason));
}

double last_loss(const fs::path& file) {
  const std::string text = ref::io::read_text(file);
  double loss = std::numeric_limits<double>::quiet_NaN();
  for (const support::process::Line& stored : support::process::split_lines(text)) {
    const auto line = ordered_json::parse(stored.text, nullptr, false);
    if (line.is_object() && line.contains("loss")) loss = line.value("loss", loss);
  }
  return loss;
}

}  // namespace normproof::verification::training
