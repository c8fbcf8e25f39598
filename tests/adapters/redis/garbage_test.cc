// A server that is no Redis, or answers what no Redis would.
#include <gtest/gtest.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <random>

#include "adapters/redis/gate_side.h"
#include "limits/permits/state.h"

namespace einlass::redis::testing {
namespace {

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;

// Accepts one connection after the other and hands what it reads to `reply`, which says what to
// write. It lives on the gate's own loop.
class Impostor {
 public:
  using Reply = std::function<std::string(std::string_view)>;

  explicit Impostor(Reply reply) : reply_(std::move(reply)) {}

  std::uint16_t port() const { return acceptor_->local_endpoint().port(); }

  void listen(asio::io_context& io) {
    acceptor_.emplace(io, Tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    accept();
  }
  int connections() const { return connections_; }

  // How long it takes to answer.
  std::chrono::milliseconds delay{0};

  // Of the first connection.
  boost::system::error_code end;

 private:
  void accept() {
    acceptor_->async_accept([this](const auto& error, Tcp::socket socket) {
      if (error) return;
      ++connections_;
      socket_.emplace(std::move(socket));
      read();
      accept();
    });
  }
  void read() {
    socket_->async_read_some(asio::buffer(in_), [this](const auto& error, std::size_t size) {
      if (error && !end) end = error;
      if (error) return;
      out_ = reply_({in_.data(), size});
      timer_.emplace(socket_->get_executor(), delay);
      timer_->async_wait([this](const auto& cancelled) {
        if (!cancelled) write();
      });
    });
  }
  void write() {
    asio::async_write(*socket_, asio::buffer(out_), [this](const auto& failed, std::size_t) {
      if (!failed) read();
    });
  }

  Reply reply_;
  std::optional<Tcp::acceptor> acceptor_;
  std::optional<Tcp::socket> socket_;
  std::optional<asio::steady_timer> timer_;
  std::array<char, 65'536> in_{};
  std::string out_;
  int connections_ = 0;
};

// A PONG to the login, and to the first ask what the test wants.
struct Garbage : ::testing::Test {
  limits::Limit limit = sliding_log("callbacks", 5);
  asio::io_context servers;
  std::string answer;
  Impostor impostor{[this](std::string_view asked) {
    return asked.find("PING") != asked.npos ? std::string("+PONG\r\n") : answer;
  }};
  std::optional<GateSide> side;

  void SetUp() override {
    impostor.listen(servers);
    auto options = options_for(impostor.port());
    options.timeout = Duration::millis(200);
    side.emplace(options);
  }
  bool until(const std::function<bool()>& condition) {
    return side->until([&] {
      servers.poll();
      return condition();
    });
  }

  // Whether the ask fails, the store stays up, and the reason has these words.
  void expect_line_trouble(std::string bytes, std::string_view words) {
    ask(std::move(bytes));
    EXPECT_EQ(side->events.size(), 1u);
    EXPECT_TRUE(side->store->status().up);
    EXPECT_TRUE(side->says("Limit callbacks: "));
    EXPECT_TRUE(side->says(words)) << side->notices.back().detail;
  }

  // Whether the ask fails, the store is down, and the reason has these words.
  void expect_trouble(std::string bytes, std::string_view words) {
    ask(std::move(bytes));
    EXPECT_TRUE(std::holds_alternative<core::StoreDown>(side->events[0]));
    EXPECT_EQ(side->events.size(), 2u);
    EXPECT_TRUE(side->says(words)) << side->notices.back().detail;
  }

  void ask(std::string bytes) {
    answer = std::move(bytes);
    ASSERT_TRUE(until([&] { return side->store->status().up; }));
    const Bucket bucket{&limit, ""};
    side->store->add_line({0}, {&bucket, 1});
    side->ask(0, 2);
    side->store->flush();
    ASSERT_TRUE(until([&] { return side->count<core::PermitsFailed>() == 1; }));
  }
};

constexpr std::string_view kProtocol = "does not speak Redis' protocol";
constexpr std::string_view kShape = "has a shape of its own";

TEST_F(Garbage, RandomBytes) {
  std::mt19937 random(7);
  std::string bytes = "?";
  for (int i = 0; i < 5'000; ++i) bytes.push_back(static_cast<char>(random()));
  expect_trouble(bytes, kProtocol);
}

TEST_F(Garbage, AnEndlessArray) {
  std::string bytes = "*2147483647\r\n";
  for (int i = 0; i < 5'000; ++i) bytes += ":1\r\n";
  expect_trouble(bytes, kProtocol);
}

TEST_F(Garbage, ArraysInArraysWithoutEnd) {
  std::string bytes;
  for (int i = 0; i < 6; ++i) bytes += "*4000\r\n";
  expect_trouble(bytes, kProtocol);
}

TEST_F(Garbage, AStringWithoutEnd) {
  expect_trouble("$1000000000\r\n" + std::string(2 << 20, 'x'), kProtocol);
}

TEST_F(Garbage, ALineWithoutEnd) { expect_trouble("+" + std::string(2 << 20, 'x'), kProtocol); }

TEST_F(Garbage, Nothing) { expect_trouble("", "did not answer within 200 ms"); }

TEST_F(Garbage, MoreRepliesThanAsked) {
  ask("-ERR one\r\n-ERR two\r\n");
  EXPECT_TRUE(until([&] { return side->count<core::StoreDown>() == 1; }));
  EXPECT_TRUE(side->says(kProtocol));
}

TEST_F(Garbage, RepliesOfAnotherShape) {
  for (const char* bytes :
       {"*0\r\n", ":7\r\n", "+OK\r\n", "$2\r\nhi\r\n", "$-1\r\n", "*-1\r\n",
        "*4\r\n:0\r\n:1\r\n:-1\r\n:0\r\n",                           // Nothing of the bucket.
        "*5\r\n:1\r\n:1\r\n:-2\r\n:-1\r\n:4\r\n",                    // A permit without due time.
        "*5\r\n:-1\r\n:1\r\n:-1\r\n:0\r\n:4\r\n",                    // Fewer than none.
        "*8\r\n:3\r\n:1\r\n:-2\r\n:-1\r\n:4\r\n:0\r\n:0\r\n:0\r\n",  // More than asked for.
        "*6\r\n:1\r\n:1\r\n:-2\r\n:-1\r\n:4\r\n:-5\r\n",             // Due before now.
        "*7\r\n:2\r\n:1\r\n:-2\r\n:-1\r\n:4\r\n:9\r\n:5\r\n",        // Due times that fall.
        "*5\r\n:0\r\n:1\r\n:7\r\n:1\r\n:4\r\n",                      // A reason that is no bucket.
        "*5\r\n:0\r\n:1\r\n:-1\r\n:0\r\n:4\r\n",                   // Never, of what it does grant.
        "*6\r\n:1\r\n:1\r\n:-2\r\n:-1\r\n:4\r\n$1\r\n0\r\n",       // A string among integers.
        "*6\r\n:1\r\n:1\r\n:-2\r\n:-1\r\n:4\r\n:1\r\n",            // Due later than was asked for.
        "*5\r\n:0\r\n:1\r\n:9223372036854775807\r\n:0\r\n:4\r\n",  // Wait for ages.
        "*5\r\n:0\r\n:9223372036854775807\r\n:1\r\n:0\r\n:4\r\n"}) {  // After all ages.
    SCOPED_TRACE(bytes);
    SetUp();
    expect_line_trouble(bytes, kShape);
  }
}

TEST_F(Garbage, AnErrorIsToldWithoutWhatItQuotes) {
  expect_line_trouble("-ERR unknown thing 'secret' of `secret`\r\n", "(ERR unknown thing)");
  EXPECT_FALSE(side->says("secret"));
}

TEST_F(Garbage, AnErrorOfOldRedisInsideAScriptIsUnderstood) {
  expect_trouble(
      "-ERR Error running script (call to f_7): @user_script:9: -READONLY You can't write\r\n",
      "point redis.url at the primary");
  EXPECT_TRUE(until([&] { return impostor.connections() == 2; })) << "the name may lead elsewhere";
}

TEST_F(Garbage, AServerThatIsTooSlowIsNotUpBeforeItAnswersInTime) {
  impostor.delay = std::chrono::milliseconds(0);
  ASSERT_TRUE(until([&] { return side->store->status().up; }));
  impostor.delay = std::chrono::milliseconds(250);
  expect_trouble("*5\r\n:0\r\n:1\r\n:7\r\n:0\r\n:4\r\n", "did not answer within 200 ms");
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(until(
      [&] { return std::chrono::steady_clock::now() - start > std::chrono::milliseconds(600); }));
  EXPECT_EQ(side->count<core::StoreUp>(), 0u);
  impostor.delay = std::chrono::milliseconds(0);
  EXPECT_TRUE(until([&] { return side->count<core::StoreUp>() == 1; }));
  EXPECT_EQ(impostor.connections(), 1);
}

TEST_F(Garbage, TheNumbersOfAnAnswerReachTheirPlaces) {
  answer = "*7\r\n:2\r\n:1000\r\n:77\r\n:0\r\n:0\r\n:5\r\n:6\r\n";
  ASSERT_TRUE(until([&] { return side->store->status().up; }));
  const Bucket bucket{&limit, ""};
  side->store->add_line({0}, {&bucket, 1});
  side->store->ask({{0}, core::AskId{1}, {1}, {3}, Duration::micros(6)});
  side->store->flush();
  ASSERT_TRUE(until([&] { return side->find<core::PermitsAnswered>(); }));
  const auto* answered = side->find<core::PermitsAnswered>();
  EXPECT_EQ(answered->due[0], Duration::micros(5));
  EXPECT_EQ(answered->due[1], Duration::micros(6));
  EXPECT_EQ(answered->limiter_now, Instant{1'000});
  EXPECT_EQ(answered->retry, Duration::micros(77));
  EXPECT_EQ(answered->reason, core::LimitIndex{0});
}

TEST_F(Garbage, ALimitThatIsClosedForLongerThanItEverNeedsIsTold) {
  const Bucket bucket{&limit, ""};
  const std::int64_t most = limits::refill_time(limit.parameters).us + 60'000'000;
  ASSERT_TRUE(until([&] { return side->store->status().up; }));
  side->store->add_line({0}, {&bucket, 1});
  std::uint64_t asks = 0;
  const auto told = [&](std::int64_t retry) {
    answer = "*5\r\n:0\r\n:1000\r\n:" + std::to_string(retry) + "\r\n:0\r\n:4\r\n";
    side->store->ask({{0}, core::AskId{++asks}, {1}, {1}, {}});
    side->store->flush();
    EXPECT_TRUE(until([&] { return side->count<core::PermitsAnswered>() == asks; }));
    return side->store->status().closed;
  };
  EXPECT_EQ(told(most), "");
  limit = sliding_log("callbacks", 5, Duration::micros(1));
  side->store->change_line({0}, {&bucket, 1});
  EXPECT_EQ(told(most), "") << "the state may be of the limit as it was before";
  EXPECT_FALSE(side->says("is closed for longer"));
  told(most + 1);
  ASSERT_TRUE(until([&] { return side->says("is closed for longer than it ever needs"); }));
  EXPECT_NE(side->store->status().closed, "");
  // And as often as it is so, also where it should have opened by now.
  side->store->forget_line({0});
  side->store->add_line({0}, {&bucket, 1});
  for (int i = 0; i < 2; ++i) {
    side->notices.clear();
    told(most + 1);
    EXPECT_TRUE(until([&] { return side->says("is closed for longer than it ever needs"); }));
  }
}

TEST(RedisImpostor, OneThatNeverSaysPongIsToldAndTriedAgain) {
  for (const char* bytes : {"", "HTTP/1.1 400 Bad Request\r\n\r\n", "+OK\r\n", ":1\r\n"}) {
    SCOPED_TRACE(bytes);
    asio::io_context servers;
    Impostor impostor{[&](std::string_view) { return std::string(bytes); }};
    impostor.listen(servers);
    auto options = options_for(impostor.port());
    options.timeout = Duration::millis(100);
    GateSide side(options);
    ASSERT_TRUE(side.until([&] {
      servers.poll();
      return impostor.connections() >= 2;
    }));
    EXPECT_FALSE(side.store->status().up);
    EXPECT_EQ(side.count<core::StoreDown>(), 1u);
    EXPECT_EQ(side.notices.size(), 1u) << "the same is told once";
  }
}

// What is not acknowledged would be sent on, and an ask be granted when it was long ended.
TEST(RedisImpostor, NothingOfAConnectionThatIsGivenUpArrivesLater) {
  asio::io_context servers;
  bool greeted = false;
  Impostor impostor([&](std::string_view) {
    return std::exchange(greeted, true) ? std::string() : std::string("+PONG\r\n");
  });
  impostor.listen(servers);
  auto options = options_for(impostor.port());
  options.timeout = Duration::millis(100);
  GateSide side(options);
  const limits::Limit limit = sliding_log("callbacks", 5);
  const Bucket bucket{&limit, ""};
  side.store->add_line({0}, {&bucket, 1});
  const auto until = [&](auto condition) {
    return side.until([&] {
      servers.poll();
      return condition();
    });
  };
  ASSERT_TRUE(until([&] { return side.store->status().up; }));
  side.ask(0, 1);
  side.store->flush();
  ASSERT_TRUE(until([&] { return static_cast<bool>(impostor.end); }));
  EXPECT_TRUE(side.says("it has said nothing for")) << side.notices.back().detail;
  EXPECT_EQ(impostor.end, asio::error::connection_reset);
}

}  // namespace
}  // namespace einlass::redis::testing
