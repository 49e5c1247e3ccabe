#include "verification/cli/gnuplot.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <pugixml.hpp>
#include <sstream>
#include <system_error>
#include <vector>

#include "verification/cli/standard_streams.hpp"
#include "verification/cli/text.hpp"

namespace normproof::verification::cli {
namespace {

/// A file without a name, closed at the end of the scope.
class AnonymousFile {
 public:
  explicit AnonymousFile(const char* name) : descriptor_(::memfd_create(name, MFD_CLOEXEC)) {
    if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "memfd_create");
  }
  AnonymousFile(const AnonymousFile&) = delete;
  AnonymousFile& operator=(const AnonymousFile&) = delete;
  ~AnonymousFile() { ::close(descriptor_); }

  int descriptor() const { return descriptor_; }

  void rewind() const { ::lseek(descriptor_, 0, SEEK_SET); }

  std::string read() const {
    rewind();
    std::string text;
    char buffer[65536];
    for (ssize_t got = 0; (got = ::read(descriptor_, buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<std::size_t>(got));
    return text;
  }

 private:
  int descriptor_;
};

/// The environment without what changes gnuplot's output.
std::vector<char*> plain_environment() {
  static char locale[] = "LC_ALL=C";
  std::vector<char*> result = {locale};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const bool changes_output = text.starts_with("LC_") || text.starts_with("LANG") ||
                                text.starts_with("GNU") || text.starts_with("GDFONT");
    if (!changes_output) result.push_back(*variable);
  }
  result.push_back(nullptr);
  return result;
}

/// Runs gnuplot with this script on standard input.
/// Throws    std::system_error where it cannot be started
int run_gnuplot(std::string_view script, const AnonymousFile& out, const AnonymousFile& err) {
  const AnonymousFile in("normproof-gnuplot-script");
  write_all(in.descriptor(), "the script for gnuplot", script);
  in.rewind();
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in.descriptor(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, out.descriptor(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, err.descriptor(), STDERR_FILENO);
  static char program[] = "gnuplot";
  static char no_settings[] = "--default-settings";
  char* const arguments[] = {program, no_settings, nullptr};
  const std::vector<char*> environment = plain_environment();
  pid_t process = -1;
  const int failure =
      ::posix_spawnp(&process, program, &actions, nullptr, arguments, environment.data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) throw std::system_error(failure, std::generic_category(), "gnuplot");
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

void prefix_ids(pugi::xml_node node, const std::string& prefix) {
  for (pugi::xml_attribute attribute : node.attributes()) {
    const std::string_view name = attribute.name();
    const std::string value = attribute.value();
    if (name == "id") {
      attribute = (prefix + value).c_str();
    } else if (name == "xlink:href" && value.starts_with("#")) {
      attribute.set_name("href");
      attribute = ("#" + prefix + value.substr(1)).c_str();
    } else if (value.starts_with("url(#")) {
      attribute = ("url(#" + prefix + value.substr(5)).c_str();
    } else if (name == "font-family") {
      attribute = "sans-serif";
    }
  }
  for (pugi::xml_node child : node.children()) prefix_ids(child, prefix);
}

}  // namespace

Drawing inline_svg(std::string_view svg, std::string_view id, std::string_view label) {
  pugi::xml_document document;
  const auto parsed = document.load_buffer(svg.data(), svg.size());
  pugi::xml_node root = document.child("svg");
  if (!parsed || !root) return {"", "gnuplot wrote no SVG"};
  prefix_ids(root, std::string(id) + "-");
  for (const char* attribute : {"width", "height", "xmlns:xlink"}) root.remove_attribute(attribute);
  for (const char* child : {"title", "desc"}) root.remove_child(child);
  root.prepend_child("title").text() = std::string(label).c_str();
  root.append_attribute("role") = "img";
  std::ostringstream text;
  root.print(text, "", pugi::format_raw | pugi::format_no_declaration);
  return {text.str(), ""};
}

Drawing draw(std::string_view script, std::string_view id, std::string_view label, int width,
             int height) {
  try {
    const AnonymousFile out("normproof-gnuplot-picture");
    const AnonymousFile err("normproof-gnuplot-messages");
    const std::string head = fmt::format(
        "set encoding utf8\nset terminal svg size {},{} dynamic font 'sans-serif,14' "
        "linewidth 1.2 background '#ffffff'\n",
        width, height);
    const int status = run_gnuplot(head + std::string(script), out, err);
    if (status != 0) {
      return {"", fmt::format("gnuplot failed ({})", clean_line(cut(err.read(), 300)))};
    }
    return inline_svg(out.read(), id, label);
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::no_such_file_or_directory)
      return {"", "gnuplot is not installed"};
    return {"", fmt::format("gnuplot cannot be run ({})", error.code().message())};
  }
}

}  // namespace normproof::verification::cli
