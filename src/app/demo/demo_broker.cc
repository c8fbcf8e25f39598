#include "app/demo/demo_broker.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <istream>
#include <stdexcept>
#include <system_error>

#include "adapters/kafka/mock/mock_broker.h"
#include "app/process/exit_codes.h"

namespace einlass::app {
namespace {

constexpr int kPartitions = 4;

// How long one step of producing takes.
constexpr std::chrono::milliseconds kStep{20};

// Starts this program again as the broker; its standard output becomes the returned descriptor.
int start(const DemoOptions& options, pid_t& child) {
  std::array<int, 2> pipe_ends{};
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "pipe");
  }
  const std::string seconds = std::to_string(options.seconds);
  const std::string limit = std::to_string(options.limit);
  child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // Never outlives the demo.
    signal(SIGINT, SIG_IGN);           // Ctrl-C is for the gate, which commits to it then.
    dup2(pipe_ends[1], STDOUT_FILENO);
    execl("/proc/self/exe", "einlass", kDemoBrokerVerb, "--seconds", seconds.c_str(), "--limit",
          limit.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  close(pipe_ends[1]);
  return pipe_ends[0];
}

// One of the records: small, and different from all others.
std::string sample_value(long number) {
  return R"({"task":)" + std::to_string(number) + R"(,"state":"done","output":")" +
         std::string(120, static_cast<char>('a' + number % 26)) + "\"}";
}

void produce_all(kafka::MockBroker& broker, long planned, std::chrono::seconds span) {
  boost::asio::io_context io;
  boost::asio::steady_timer pace(io);
  const auto started = std::chrono::steady_clock::now();
  long handed_over = 0;
  for (long told = -1; told != planned;) {
    const auto elapsed = std::chrono::steady_clock::now() - started;
    const long due = std::min<long>(planned, planned * elapsed / span);
    while (handed_over < due) {
      const std::string key = "task-" + std::to_string(handed_over);
      if (!broker.produce(key, sample_value(handed_over))) break;  // Its queue is full: later.
      ++handed_over;
    }
    if (const long now = broker.acknowledged(); now != told) {
      told = now;
      std::printf("produced=%ld\n", now);
      std::fflush(stdout);
    }
    pace.expires_after(kStep);
    pace.wait();
  }
}

}  // namespace

long DemoBroker::planned(const DemoOptions& options) {
  return static_cast<long>(options.seconds) * options.limit * 5 / 4;
}

DemoBroker::DemoBroker(boost::asio::io_context& io, const DemoOptions& options)
    : planned_(planned(options)), from_child_(io) {
  from_child_.assign(start(options, child_));
  boost::system::error_code error;
  boost::asio::read_until(from_child_, text_, '\n', error);
  std::string line;
  std::istream in(&text_);
  std::getline(in, line);
  if (error || line.rfind("brokers=", 0) != 0) {
    throw std::runtime_error("the broker's process did not say its address");
  }
  address_ = line.substr(8);
  read_on();
}

void DemoBroker::end() {
  if (child_ < 0) return;
  kill(child_, SIGKILL);
  waitpid(child_, nullptr, 0);
  child_ = -1;
}

void DemoBroker::read_on() {
  boost::asio::async_read_until(from_child_, text_, '\n',
                                [this](const boost::system::error_code& error, std::size_t) {
                                  if (error) return;
                                  std::string line;
                                  std::istream in(&text_);
                                  std::getline(in, line);
                                  if (line.rfind("produced=", 0) == 0)
                                    produced_ = std::atol(line.c_str() + 9);
                                  read_on();
                                });
}

int demo_broker(const DemoOptions& options) {
  try {
    kafka::MockBroker broker("results", kPartitions);
    std::printf("brokers=%s\n", broker.address().c_str());
    std::fflush(stdout);
    produce_all(broker, DemoBroker::planned(options), std::chrono::seconds(options.seconds));
    for (;;) pause();  // The demo ends this process when it has seen enough.
  } catch (const std::exception& error) {
    std::fprintf(stderr, "einlass: %s\n", error.what());
    return kExitFailed;
  }
}

}  // namespace einlass::app
