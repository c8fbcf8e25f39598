// Hosts whose addresses change, and hosts with several: the resolver's own answers, made here.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <netdb.h>

#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/http/client/single_exchange.h"
#include "adapters/http/http2_peer.h"
#include "adapters/http/names.h"
#include "adapters/http/resolver/addresses.h"
#include "adapters/http/resolver/lookup_turns.h"
#include "adapters/http/target/origins.h"
#include "adapters/http/target_world.h"

using GetAddrInfo = int(const char*, const char*, const addrinfo*, addrinfo**);

// Instead of the C library's, for the whole test program. A list is made of the library's own,
// so that its freeaddrinfo() fits.
extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints,
                           addrinfo** result) {
  static auto* const real = reinterpret_cast<GetAddrInfo*>(dlsym(RTLD_NEXT, "getaddrinfo"));
  using einlass::http::testing::names;
  std::vector<std::string> addresses;
  if (node == nullptr || !names().find(node, addresses)) return real(node, service, hints, result);
  *result = nullptr;
  addrinfo** end = result;
  for (const std::string& address : addresses) {
    addrinfo numeric = *hints;
    numeric.ai_flags |= AI_NUMERICHOST;
    if (real(address.c_str(), service, &numeric, end) != 0) return EAI_FAIL;
    while (*end != nullptr) end = &(*end)->ai_next;
  }
  return *result == nullptr ? EAI_NONAME : 0;
}

namespace einlass::http::testing {
namespace {

using core::Outcome;

// A server on each of two addresses, at the same port.
struct TwoHouses {
  TwoHouses() {
    for (int i = 0; i < 100 && second < 0; ++i) {
      if (first >= 0) ::close(first);
      first = listen_on_free_port(port);
      second = listen_at("127.0.0.2", port);
    }
  }
  static int listen_at(const char* address, std::uint16_t port) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(port);
    inet_pton(AF_INET, address, &at.sin_addr);
    if (bind(fd, reinterpret_cast<sockaddr*>(&at), sizeof(at)) == 0 && listen(fd, 16) == 0) {
      return fd;
    }
    ::close(fd);
    return -1;
  }
  std::uint16_t port = 0;
  int first = -1;
  int second = -1;
};

// Serves one listener.
ScriptedServer::Script counting(std::atomic<int>& requests) {
  return [&requests](Peer& peer) {
    while (!peer.read_request().empty()) {
      ++requests;
      peer.write(kNoContent);
    }
  };
}

class Dns : public ::testing::Test {
 protected:
  Dns()
      : first{counting(at_first), houses.first, houses.port},
        second{counting(at_second), houses.second, houses.port},
        world{houses.port} {
    world.options.host = "moving.test";
    world.options.addresses_for = Duration::millis(50);
    world.options.max_in_flight = 4;
  }
  ~Dns() override { world.destroy_target(); }

  TwoHouses houses;
  std::atomic<int> at_first{0}, at_second{0};
  ScriptedServer first, second;
  TargetWorld world;
};

TEST_F(Dns, a_host_that_moves_is_followed_and_its_old_connections_are_let_go) {
  names().set("moving.test", {"127.0.0.1"});
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
  EXPECT_EQ(world.target().status().connections, 1u);
  names().set("moving.test", {"127.0.0.2"});
  world.run_until([&] { return world.target().status().connections == 0; });
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
  EXPECT_EQ(at_first, 1);
  EXPECT_EQ(at_second, 1);
}

TEST_F(Dns, one_that_stays_keeps_its_connection) {
  names().set("moving.test", {"127.0.0.1"});
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
  const int asked = names().asked;
  world.run_until([&] { return names().asked >= asked + 3; });
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
  EXPECT_EQ(first.connections(), 1);
}

TEST_F(Dns, a_resolver_that_fails_changes_nothing) {
  names().set("moving.test", {"127.0.0.1"});
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
  names().set("moving.test", {});
  const int asked = names().asked;
  world.run_until([&] { return names().asked > asked; });
  for (int i = 0; i < 3; ++i) world.send();
  world.run_until_ended(4);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(world.ended(static_cast<std::size_t>(i)).outcome, Outcome::accepted);
  EXPECT_GT(first.connections(), 1) << "new connections go where the host last was";
}

TEST_F(Dns, a_resolver_that_fails_changes_nothing_for_who_takes_over) {
  names().set("moving.test", {"127.0.0.1"});
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
  names().set("moving.test", {});
  world.options.path = "/another";
  Target another(world.io, world.options, world.events, {});
  take_over_and_send(another, world);
  world.run_until_ended(2);
  EXPECT_EQ(world.ended(1).outcome, Outcome::accepted) << another.status().trouble;
}

TEST_F(Dns, a_resolver_that_hangs_changes_nothing) {
  names().set("moving.test", {"127.0.0.1"});
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted);
  const int asked = names().asked;
  names().silence("");
  world.run_until([&] { return names().asked > asked; });
  for (int i = 0; i < 3; ++i) world.send();
  world.run_until_ended(4);
  EXPECT_GT(first.connections(), 1) << "new connections go where the host last was";
  names().answer();
  for (std::size_t i = 0; i < world.events.size(); ++i) {
    EXPECT_EQ(world.ended(i).outcome, Outcome::accepted);
  }
}

// As those of token servers are, which are asked so seldom that each has to look anew.
TEST_F(Dns, a_resolver_that_hangs_keeps_no_single_exchange_waiting) {
  names().set("moving.test", {"127.0.0.1"});
  world.options.addresses_for = Duration::micros(1);
  SingleExchange exchange(world.io, world.options, 0);
  for (const bool hangs : {false, true, true}) {
    if (hangs) names().silence("");
    std::optional<Answer> ended;
    exchange.begin(Request{}, [&](const Answer& answer) { ended = answer; });
    world.run_until([&] { return exchange.look(), ended.has_value(); });
    EXPECT_EQ(ended.value_or(Answer{}).status, 204u) << ended.value_or(Answer{}).trouble;
  }
  names().answer();
}

TEST_F(Dns, of_several_addresses_the_next_is_tried) {
  names().set("moving.test", {"127.0.0.3", "127.0.0.2"});
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted) << "within the same attempt";
  EXPECT_EQ(at_second, 1);
}

// A resolver has one order; an address that is silent would have the time of each attempt.
TEST_F(Dns, one_that_failed_is_last_in_what_is_looked_up_next) {
  names().set("moving.test", {"127.0.0.3", "127.0.0.2"});
  int found = 0;
  Addresses addresses(world.io, {"moving.test", 80}, {}, false, Duration::seconds(30),
                      Duration::seconds(5), [&](const std::string&) { ++found; });
  const auto look_up = [&] {
    const int before = found;
    addresses.lookup();
    world.run_until([&] { return found > before; });
    return addresses.list().front().address().to_string();
  };
  EXPECT_EQ(look_up(), "127.0.0.3");
  addresses.failed(addresses.list().front());
  EXPECT_EQ(look_up(), "127.0.0.2");
  addresses.failed(addresses.list().front());
  EXPECT_EQ(look_up(), "127.0.0.3") << "it failed first";
  names().set("moving.test", {"127.0.0.3", "127.0.0.4"});
  EXPECT_EQ(look_up(), "127.0.0.4");
}

TEST_F(Dns, a_name_that_leads_inside_is_refused_after_it_was_resolved) {
  names().set("moving.test", {"127.0.0.1"});
  world.options.host = "";
  world.options.host_of_record = true;
  Request request{};
  request.record = {1, 1};
  request.attempt = {101};
  request.host = "moving.test";
  world.target().send(request);
  world.run_until_ended(1);
  EXPECT_EQ(world.ended(0).outcome, Outcome::refused);
  EXPECT_EQ(world.trouble(),
            "moving.test is at a private address (127.0.0.1), which records may not name without "
            "allow_private: true");
  EXPECT_EQ(first.connections(), 0);
  // One that then cannot be asked may be elsewhere by now: no reason to give the record up.
  names().set("moving.test", {});
  request.attempt = {102};
  world.target().send(request);
  world.run_until_ended(2);
  EXPECT_EQ(world.ended(1).outcome, Outcome::retry);
}

// Another target of the same loop, whose hosts' name servers are dead.
struct DeadNames {
  // `%` in what they end with is each one's number.
  DeadNames(TargetWorld& world, std::size_t hosts, std::string ending = ".dead",
            Duration timeout = Duration::seconds(30))
      : options{world.options} {
    options.name = "names that end with " + ending;
    options.host_of_record = options.allow_private = hosts > 1;
    options.host = hosts > 1 ? "" : "0" + ending;
    options.max_in_flight = hosts;
    options.timeout = timeout;
    target.emplace(world.io, options, events, Notify{});
    target->start(core::TargetId{4});
    for (std::uint32_t i = 0; i < hosts; ++i) {
      const std::string number = std::to_string(i);
      std::string host = number + ending;
      if (const auto mark = host.find('%'); mark != std::string::npos) {
        host.replace(mark, 1, number);
      }
      names().set(host, {"127.0.0.1"});
      Request request{};
      request.record = {i, 1};
      request.attempt = {i + 1};
      if (hosts > 1) request.host = host;
      target->send(request);
    }
  }
  ~DeadNames() { names().answer(); }

  core::Events events;
  TargetOptions options;
  std::optional<Target> target;
};

TEST_F(Dns, a_name_whose_servers_are_dead_keeps_no_other_target_waiting) {
  names().set("moving.test", {"127.0.0.1"});
  names().silence(".dead");
  const int asked = names().asked;
  DeadNames other(world, 1);
  world.run_until([&] { return names().asked > asked; });
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted) << world.trouble();
  other.target.reset();  // Nor its own end.
  EXPECT_TRUE(other.events.empty());
}

TEST_F(Dns, many_dead_names_of_records_make_room_for_others_and_keep_no_other_target_waiting) {
  names().set("moving.test", {"127.0.0.1"});
  names().silence(".dead");
  const int asked = names().asked;
  DeadNames other(world, 2 * kMostLookups);
  const int most = static_cast<int>(kMostLookupsOfTarget);
  world.run_until([&] { return names().asked >= asked + most; });
  EXPECT_EQ(world.deliver().outcome, Outcome::accepted) << world.trouble();
  world.run_until([&] { return names().asked >= asked + 1 + 4 * most; });
  EXPECT_TRUE(other.events.empty()) << "nobody has answered yet";
  names().answer();
  world.run_until([&] { return other.events.size() == 2 * kMostLookups; });
  for (const auto& event : other.events) {
    EXPECT_EQ(std::get<core::DeliveryEnded>(event).outcome, Outcome::accepted);
  }
}

TEST_F(Dns, dead_names_of_one_domain_keep_nobody_elses_waiting) {
  names().silence(".evil.dead");
  const int asked = names().asked;
  DeadNames evil(world, 100, ".evil.dead");
  world.run_until([&] { return names().asked >= asked + static_cast<int>(kMostLookupsOfSite); });
  DeadNames good(world, 3, ".good.test");
  world.run_until([&] { return good.events.size() == 3; });
  EXPECT_EQ(names().asked, asked + static_cast<int>(kMostLookupsOfSite) + 3);
  EXPECT_TRUE(evil.events.empty());
  names().answer();
  world.run_until([&] { return evil.events.size() == 100; });
}

// Each of a domain of its own, and as many as a target asks at a time.
TEST_F(Dns, hundreds_of_dead_domains_of_one_targets_records_keep_no_other_target_waiting) {
  names().silence(".dead");
  const int asked = names().asked;
  DeadNames evil(world, kMostHosts, ".evil%.dead");
  const int most = static_cast<int>(kMostLookupThreadsOfTarget);
  world.run_until([&] { return names().asked == asked + most; });
  const auto began = std::chrono::steady_clock::now();  // In this time others would begin.
  world.run_until([&] { return std::chrono::steady_clock::now() > began + 2 * kLongLookup; });
  EXPECT_EQ(names().asked, asked + most);
  DeadNames good(world, 20, ".good%.test");
  world.run_until([&] { return good.events.size() == 20; });
  EXPECT_EQ(names().asked, asked + most + 20) << "the rest waits for these to end";
  EXPECT_TRUE(evil.events.empty());
  names().answer();
  world.run_until([&] { return evil.events.size() == kMostHosts; });
}

TEST_F(Dns, whose_turn_does_not_come_in_time_ends_without_a_lookup) {
  names().silence(".dead");
  const int asked = names().asked;
  DeadNames evil(world, 10, ".evil.dead", Duration::millis(300));
  world.run_until([&] { return evil.events.size() == 10; });
  for (const auto& event : evil.events) {
    EXPECT_EQ(std::get<core::DeliveryEnded>(event).outcome, Outcome::retry);
  }
  EXPECT_EQ(names().asked, asked + static_cast<int>(kMostLookupsOfSite));
}

TEST(DnsOfHttp2, a_host_that_moves_is_followed_and_what_is_under_way_ends_well) {
  // Answered only after the connection was told to go.
  std::atomic<bool> may_answer{false};
  std::atomic<int> heard{0};
  ScriptedServer server(in_http2([&](Http2Peer& peer) {
    for (auto request = peer.next_request(); request.stream != 0; request = peer.next_request()) {
      ++heard;
      while (!may_answer) std::this_thread::yield();
      peer.answer(request.stream, "204");
    }
  }));
  TargetWorld world(server.port());
  world.options.host = "moving.test";
  world.options.http2 = Http2::always;
  world.options.addresses_for = Duration::millis(50);
  names().set("moving.test", {"127.0.0.1"});
  world.send();
  world.run_until([&] { return heard == 1; });
  names().set("moving.test", {"127.0.0.2"});
  const int asked = names().asked;
  world.run_until([&] { return names().asked >= asked + 2; });
  EXPECT_EQ(world.target().status().connections, 1u) << "something is under way on it";
  may_answer = true;
  world.run_until_ended(1);
  EXPECT_EQ(world.ended(0).outcome, Outcome::accepted);
  world.run_until([&] { return world.target().status().connections == 0; });
  world.destroy_target();
}

}  // namespace
}  // namespace einlass::http::testing
