#include "verification/support/process/program.hpp"

#include <spawn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "ref/io/descriptor.hpp"

namespace normproof::verification::support::process {

using ref::io::Descriptor;

namespace {

void check(int error, const std::string& what) {
  if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

/// Creates an unnamed file in memory. `name` is shown only in /proc.
Descriptor create_memory_file(const char* name) {
  Descriptor file(::memfd_create(name, MFD_CLOEXEC));
  if (!file.is_open()) check(errno, "memfd_create");
  return file;
}

std::string read_from_start(const Descriptor& file) {
  ::lseek(file.get(), 0, SEEK_SET);
  std::string text;
  while (ref::io::read_once(file.get(), text) > 0) continue;
  return text;
}

/// Returns the null-terminated array of pointers that exec requires. The pointers point into
/// `texts`.
std::vector<char*> make_pointer_array(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& arguments, std::string_view input,
                          const std::vector<std::string>& environment) {
  const Descriptor in = create_memory_file("normproof-in");
  const Descriptor out = create_memory_file("normproof-out");
  const Descriptor err = create_memory_file("normproof-err");
  check(ref::io::write_all(in.get(), input), arguments.front());
  ::lseek(in.get(), 0, SEEK_SET);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, out.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, err.get(), STDERR_FILENO);
  pid_t process = -1;
  const int failure =
      ::posix_spawnp(&process, arguments.front().c_str(), &actions, nullptr,
                     make_pointer_array(arguments).data(), make_pointer_array(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  check(failure, arguments.front());
  const ProcessEnding ending = Child(process).wait();
  return {ending, read_from_start(out), read_from_start(err)};
}

}  // namespace normproof::verification::support::process
