// The first program that runs on the processor emulated by
// verification/checks/determinism/avx512_processor. It runs the command in the file /command, whose
// words end with NUL. It writes the result to the parallel port, which the emulator stores in a
// file:
//   status S stdout N stderr M
// followed by the N bytes of the standard output and the M bytes of the standard error. S is an
// exit status as in a shell. Then the program stops the emulator.
#include <sys/io.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace normproof::verification::checks::determinism {
namespace {

constexpr const char* kOutput = "/stdout";
constexpr const char* kComplaint = "/stderr";

std::string read_contents(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Sends text to the emulated printer. A byte is sent when the strobe rises.
void print(const std::string& text) {
  constexpr unsigned short kDataPort = 0x378, kControlPort = 0x37a;
  constexpr unsigned char kSelectedBits = 0x0c, kStrobeBit = 0x01;
  for (const char byte : text) {
    outb(static_cast<unsigned char>(byte), kDataPort);
    outb(kSelectedBits | kStrobeBit, kControlPort);
    outb(kSelectedBits, kControlPort);
  }
}

[[noreturn]] void execute(std::string words) {
  std::vector<char*> arguments;
  for (std::size_t at = 0; at < words.size(); at = words.find('\0', at) + 1)
    arguments.push_back(&words[at]);
  arguments.push_back(nullptr);
  if (std::freopen(kOutput, "w", stdout) && std::freopen(kComplaint, "w", stderr))
    execv(arguments[0], arguments.data());
  std::perror(arguments[0]);
  std::fflush(stderr);
  _exit(127);
}

int run(const std::string& words) {
  const pid_t child = fork();
  if (child == 0) execute(words);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) < 0) return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Mounts the folders that programs read: the number of processors, devices, shared memory, and a
// writable folder.
void make_folders() {
  for (const char* folder : {"/proc", "/dev", "/tmp"}) mkdir(folder, 0777);
  mount("proc", "/proc", "proc", 0, nullptr);
  mount("devtmpfs", "/dev", "devtmpfs", 0, nullptr);
  mkdir("/dev/shm", 0777);
}

int serve() {
  if (iopl(3) != 0) return 1;
  make_folders();
  const int status = run(read_contents("/command"));
  const std::string output = read_contents(kOutput), complaint = read_contents(kComplaint);
  print("status " + std::to_string(status) + " stdout " + std::to_string(output.size()) +
        " stderr " + std::to_string(complaint.size()) + "\n" + output + complaint);
  constexpr unsigned short kEmulatorPort = 0x8900;
  for (const char byte : std::string("Shutdown"))
    outb(static_cast<unsigned char>(byte), kEmulatorPort);
  return 1;
}

}  // namespace
}  // namespace normproof::verification::checks::determinism

int main() {
  return normproof::verification::checks::determinism::serve();
}
