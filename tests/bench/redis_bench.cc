// What one call to the limiter's store costs the gate's own CPU: lines that each ask once a turn,
// so that their calls leave in one write. Beside it the same bytes sent and read without a thought.
//
//     redis_bench PORT      a Redis on this machine
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <variant>
#include <vector>

#include "adapters/redis/store/store.h"

namespace {

using namespace einlass;

constexpr int kLines = 64;
constexpr int kTurns = 4'000;
constexpr int kRounds = 5;
constexpr double kCalls = double{kLines} * kTurns;

double own_cpu_us() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto us = [](const timeval& time) {
    return 1e6 * double(time.tv_sec) + double(time.tv_usec);
  };
  return us(usage.ru_utime) + us(usage.ru_stime);
}

// ECHOs in pieces of kLines, with answers of a granted ask's length thrown away as they come.
double bare(std::uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {}, .sin_zero = {}};
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) {
    std::perror("connect");
    std::exit(1);
  }
  const std::string text(50, 'x');
  std::string piece;
  for (int i = 0; i < kLines; ++i) piece += "*2\r\n$4\r\nECHO\r\n$50\r\n" + text + "\r\n";
  const std::size_t answer = kLines * (5 + text.size() + 2);
  std::vector<char> in(1 << 16);
  const double start = own_cpu_us();
  for (int turn = 0; turn < kTurns; ++turn) {
    if (write(fd, piece.data(), piece.size()) < 0) std::exit(1);
    for (std::size_t got = 0; got < answer;) {
      const ssize_t some = read(fd, in.data(), in.size());
      if (some <= 0) std::exit(1);
      got += static_cast<std::size_t>(some);
    }
  }
  const double used = own_cpu_us() - start;
  close(fd);
  return used / kCalls;
}

struct Bench {
  boost::asio::io_context io;
  core::Events events;
  redis::Store store;
  std::uint64_t asks = std::uint64_t{1} << 47;

  explicit Bench(std::uint16_t port)
      : store(
            io, options(port), events, [](const Notice&) {}, [](Duration) {}) {}

  static redis::StoreOptions options(std::uint16_t port) {
    redis::StoreOptions options;
    options.port = port;
    options.name_space = "redis_bench";
    options.run = {9, 9, 9, 9, 9, 9, 9, 9};
    return options;
  }

  // Until every line has its answer; false if one was not granted.
  bool turn(std::int64_t most) {
    for (std::uint32_t line = 0; line < kLines; ++line) {
      store.ask({core::LineId{line}, core::AskId{++asks}, Permits{1}, Permits{most}, Duration{}});
    }
    store.flush();
    while (events.size() < kLines) {
      if (io.stopped()) io.restart();
      io.run_one();
    }
    bool all = true;
    for (const core::Event& event : events) {
      const auto* answer = std::get_if<core::PermitsAnswered>(&event);
      all &= answer != nullptr && answer->due.size() == static_cast<std::size_t>(most);
    }
    events.clear();
    return all;
  }
};

double measured(Bench& bench, std::int64_t most) {
  const double start = own_cpu_us();
  for (int turn = 0; turn < kTurns; ++turn) {
    if (!bench.turn(most)) {
      std::fprintf(stderr, "an ask was not granted\n");
      std::exit(1);
    }
  }
  return (own_cpu_us() - start) / kCalls;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "redis_bench PORT\n");
    return 64;
  }
  const auto port = static_cast<std::uint16_t>(std::atoi(argv[1]));
  Bench bench(port);
  const limits::Limit limit{"bucket", limits::TokenBucketParameters{{1, 1}, Permits{1'000'000'000}},
                            Permits{1}};
  for (std::uint32_t line = 0; line < kLines; ++line) {
    const std::vector<redis::Bucket> buckets = {{&limit, std::to_string(line)}};
    bench.store.add_line(core::LineId{line}, buckets);
  }
  while (!bench.store.status().up) bench.io.run_one();
  bench.events.clear();
  if (!bench.turn(1)) return 1;
  std::printf("own CPU a call, us, %d calls in a write:\n   1 permit   10 permits   bare ECHO\n",
              kLines);
  for (int round = 0; round < kRounds; ++round) {
    const double one = measured(bench, 1);
    const double ten = measured(bench, 10);
    std::printf("%11.2f %12.2f %11.2f\n", one, ten, bare(port));
  }
}
