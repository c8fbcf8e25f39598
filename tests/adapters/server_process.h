// A real server program in the foreground, which dies with us and says in its log how it stands.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace einlass::adapters::testing {

class ServerProcess {
 public:
  // Whatever it prints comes into the file `log`, from its beginning.
  ServerProcess(std::vector<std::string> command, std::string log) : log_{std::move(log)} {
    std::vector<char*> words;
    for (std::string& word : command) words.push_back(word.data());
    words.push_back(nullptr);
    const int printed = open(log_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (printed < 0) throw std::runtime_error("no file " + log_);
    changes_ = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    inotify_add_watch(changes_, log_.c_str(), IN_MODIFY);
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ == 0) become(words, printed, parent);
    close(printed);
    end_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  }
  ~ServerProcess() {
    kill(SIGKILL);
    waitpid(pid_, nullptr, 0);
    close(end_);
    close(changes_);
  }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  // Waits until it has printed `sign`: false if it has not within that time, or has ended.
  bool says(std::string_view sign, std::chrono::milliseconds within = std::chrono::seconds(20)) {
    const auto give_up = std::chrono::steady_clock::now() + within;
    while (log().find(sign) == std::string::npos) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          give_up - std::chrono::steady_clock::now());
      pollfd watched[] = {{changes_, POLLIN, 0}, {end_, POLLIN, 0}};
      if (left.count() <= 0 || poll(watched, 2, static_cast<int>(left.count())) <= 0) return false;
      if (watched[1].revents != 0) return false;
      char seen[4096];
      while (read(changes_, seen, sizeof(seen)) > 0) {
      }
    }
    return true;
  }

  // What it has printed so far.
  std::string log() const {
    std::ifstream file(log_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  void kill(int signal) { ::kill(pid_, signal); }

 private:
  [[noreturn]] static void become(const std::vector<char*>& words, int printed, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // Whatever happens to the test.
    if (getppid() != parent) _exit(1);
    for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) dup2(printed, fd);
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    execvp(words[0], words.data());
    _exit(127);
  }

  std::string log_;
  pid_t pid_ = -1;
  int changes_ = -1;  // Readable when something was printed.
  int end_ = -1;      // Readable when it has ended.
};

}  // namespace einlass::adapters::testing
