#include "app/check.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "adapters/http/client/fetch.h"
#include "adapters/http/login/token_client.h"
#include "adapters/kafka/check/cleanup_policy.h"
#include "adapters/kafka/check/old_scram.h"
#include "adapters/kafka/check/reach.h"
#include "adapters/redis/nodes/eviction.h"
#include "adapters/redis/store/store.h"
#include "adapters/redis/table/hash_table.h"
#include "app/process/exit_codes.h"
#include "app/process/run_id.h"
#include "app/setup/kafka_logins.h"
#include "app/setup/refused.h"
#include "app/setup/wiring.h"
#include "app/steering/make_table.h"
#include "app/steering/steering.h"
#include "text/shown.h"

namespace einlass::app {
namespace {

constexpr Duration kPatience = Duration::seconds(5);
constexpr std::size_t kMostRefusedTold = 10;

// What failed goes to stderr, as all errors do.
bool tell(const std::string& what, const std::string& trouble) {
  if (trouble.empty()) {
    std::printf("  ok      %s\n", shown(what).c_str());
  } else {
    std::fprintf(stderr, "  FAILED  %s: %s\n", shown(what).c_str(), shown(trouble).c_str());
  }
  return trouble.empty();
}

// Why there is none to log in with; empty if there is, or need not be.
std::string without_token(const std::shared_ptr<kafka::Login>& login) {
  return login ? login->trouble() : "";
}

template <class Attempt>
std::string trouble_of(Attempt attempt) {
  try {
    return attempt();
  } catch (const std::exception& error) {
    return error.what();
  }
}

bool check_kafka(const config::Config& config, const KafkaLogins& logins) {
  kafka::SourceOptions options = source_options(config, ShardNumber{});
  options.login = logins.of_source();
  const auto attempt = [&] {
    std::string trouble = without_token(options.login);
    if (trouble.empty()) trouble = kafka::refused_scram(options, kLoginPatience);
    if (!trouble.empty()) return trouble;
    const kafka::Reached reached = kafka::reach(options, kPatience);
    for (const std::string& one : reached.trouble) {
      trouble += (trouble.empty() ? "" : "; ") + one;
    }
    for (const std::string& one : reached.patterns) tell(one, "");
    return trouble;
  };
  return tell("Kafka at " + options.brokers, trouble_of(attempt));
}

// A line for each topic. Records that need one that is not there would wait for it.
bool check_dead_letters(const config::Config& config, std::shared_ptr<kafka::Login> login) {
  kafka::DeadLettersOptions options = dead_letters_options(config);
  options.login = std::move(login);
  std::map<std::string, std::string> routes;  // Their names, by topic.
  for (const config::Route& route : config.routes) {
    if (route.dead_letter.empty()) continue;
    std::string& names = routes[route.dead_letter];
    names += (names.empty() ? "" : ", ") + route.name;
  }
  std::vector<std::string> topics;
  for (const auto& [topic, names] : routes) topics.push_back(topic);
  std::vector<std::string> troubles(topics.size(), without_token(options.login));
  try {
    if (without_token(options.login).empty()) troubles = reach(options, topics, kPatience);
  } catch (const std::exception& error) {
    troubles.assign(topics.size(), error.what());
  }
  bool good = true;
  for (std::size_t i = 0; i < topics.size(); ++i) {
    good =
        tell("dead letters of " + routes[topics[i]] + ", topic " + topics[i], troubles[i]) && good;
  }
  return good;
}

std::string where_redis_is(const config::Redis& redis) {
  const bool is_socket = redis.host.starts_with('/');
  const std::string server =
      is_socket ? redis.host : to_text(config::HostPort{redis.host, redis.port});
  if (!redis.sentinel) return (redis.cluster ? "Redis Cluster at " : "Redis at ") + server;
  std::string names;
  for (const config::HostPort& one : redis.sentinel->addresses) {
    names += (names.empty() ? "" : ", ") + to_text(one);
  }
  return "Redis primary '" + redis.sentinel->name + "' of the Sentinels " + names;
}

// What a gate says of it at its start, too.
void warn_of_eviction(const config::Config& config) {
  boost::asio::io_context io(1);
  bool known = false;
  const redis::StoreOptions options = redis_options(config, random_run_id());
  const redis::Eviction eviction(io, options, [&](const std::string& trouble) {
    known = true;
    if (!trouble.empty()) std::fprintf(stderr, "  warning %s\n", shown(trouble).c_str());
  });
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(kPatience.us);
  while (!known && std::chrono::steady_clock::now() < end) io.run_one_until(end);
}

// A limit of no route (a name has no such bracket), whose key is gone after two seconds.
const limits::Limit kTriedLimit{
    "(check)", limits::FixedWindowParameters{{1'000}, Duration::millis(1)}, {1}};

template <class Event>
bool has(const core::Events& events) {
  return std::ranges::any_of(
      events, [](const core::Event& event) { return std::holds_alternative<Event>(event); });
}

// Whether a permit can be had, as a gate asks for them: to answer a PING a server needs much less.
// The first time the script has to be sent as well, which may take too long with replicas that do
// not confirm it: the second says why.
bool grants(redis::Store& store, core::Events& events, const std::function<bool()>& turn) {
  const redis::Bucket bucket{.limit = &kTriedLimit, .key = ""};
  store.add_line(core::LineId{0}, {&bucket, 1});
  for (const core::AskId id : {core::AskId{1}, core::AskId{2}}) {
    events.clear();
    store.ask({.line = core::LineId{0}, .ask = id, .min = {1}, .max = {1}, .horizon = {}});
    store.flush();
    while (!has<core::PermitsAnswered>(events) && !has<core::PermitsFailed>(events) && turn()) {
    }
    if (has<core::PermitsAnswered>(events)) return true;
    while (store.status().nodes_up == 0 && turn()) {
    }
  }
  return false;
}

// Of a cluster every node must answer.
bool check_redis(const config::Config& config) {
  boost::asio::io_context io(1);
  core::Events events;
  std::string last;
  redis::StoreOptions options = redis_options(config, random_run_id());
  options.targets.clear();  // Only a permit is asked for.
  redis::Store store(
      io, std::move(options), events,
      [&](const Notice& notice) {
        if (notice.severity != Severity::debug) last = notice.detail;
      },
      [](Duration) {});
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(kPatience.us);
  const auto good = [&] {
    const redis::StoreStatus status = store.status();
    return status.up && status.nodes_up == status.nodes;
  };
  const auto turn = [&] {
    return std::chrono::steady_clock::now() < end && io.run_one_until(end) > 0;
  };
  while (!good() && turn()) {
  }
  const std::string where = where_redis_is(config.redis);
  std::string trouble;
  if (!good() || !grants(store, events, turn)) {
    trouble = store.status().trouble.empty() ? last : store.status().trouble;
    if (trouble.empty()) trouble = "no answer within 5 s";
    // It is told before it.
    if (trouble.starts_with(where + ": ")) trouble.erase(0, where.size() + 2);
  }
  return tell(where, trouble);
}

bool check_kafka_target(const config::Config& config, const config::Target& target,
                        std::shared_ptr<kafka::Login> login) {
  kafka::TargetOptions options = kafka_target_options(config, target, ShardNumber{});
  options.login = std::move(login);
  const auto attempt = [&] {
    std::string trouble = without_token(options.login);
    if (trouble.empty()) trouble = kafka::refused_scram({&options, 1}, kLoginPatience);
    return trouble.empty() ? kafka::reach(options, kPatience) : trouble;
  };
  return tell("target " + target.name + ", topic " + options.topic + " at " + options.brokers,
              trouble_of(attempt));
}

// By that URL. Nothing is sent: a request would be a delivery.
bool check_way(const std::string& name, const config::HttpUrl& url, http::TargetOptions options) {
  options.host = url.host;
  options.port = url.port;
  const http::ProxyOptions& proxy = options.proxy;
  const std::string by = proxy.host.empty()
                             ? ""
                             : " by the proxy " + to_text(config::HostPort{proxy.host, proxy.port});
  return tell(name + " at " + url.url + by, trouble_of([&] { return http::reach(options); }));
}

// But for hosts that only the records name.
bool check_http_target(const config::Config& config, const config::Target& target,
                       const config::HttpTarget& http) {
  const std::string name = "target " + target.name;
  http::TargetOptions options = target_options(config, target, ShardNumber{});
  options.timeout = kPatience;
  bool good = true;
  if (options.login.kind == http::LoginOptions::Kind::oauth2) {
    good = tell(name + ", token from " + options.login.token.host,
                trouble_of([&] { return http::without_token(options); }));
  }
  if (!http.host_template.empty()) return good;
  if (http.urls.empty()) {
    return check_way(name, {http.url, http.tls, http.host, http.port, http.path}, options) && good;
  }
  for (const config::HttpUrl& url : http.urls) good = check_way(name, url, options) && good;
  return good;
}

// Kafka would delete what has stood in the table for long.
std::string why_not_kept(const config::Config& config, const KafkaLogins& logins,
                         std::string& what) {
  kafka::SourceOptions options = source_options(config, ShardNumber{});
  options.login = logins.of_source();
  const std::string& topic = config.quotas->topic;
  const auto policy = kafka::cleanup_policy(options, topic, kPatience);
  if (!policy) what += ", its cleanup.policy unknown (has this login DESCRIBE_CONFIGS on it?)";
  if (!policy || *policy == "compact") return "";
  return "its cleanup.policy is " + *policy +
         ", so Kafka deletes quotas and pauses by their age; kafka-configs.sh --bootstrap-server " +
         options.brokers + " --alter --topic " + topic + " --add-config cleanup.policy=compact";
}

// For who only writes.
struct Deaf final : FleetTable::Listener {
  void reading() override {}
  void entry(std::string_view, std::optional<std::string_view>) override {}
  void whole() override {}
  void away(const std::string&) override {}
};

// Reading needs less than writing, and so does a replica. Of a topic nothing can be tried.
std::string why_not_written(const config::Config& config) {
  boost::asio::io_context io(1);
  Deaf listener;
  redis::HashTable table(io, redis_options(config, random_run_id()), listener);
  std::optional<std::string> trouble;
  table.try_write([&](const std::string& why) { trouble = why; });
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(kPatience.us);
  while (!trouble && std::chrono::steady_clock::now() < end) io.run_one_until(end);
  return trouble.value_or("no answer within 5 s");
}

// Reads the whole table, as a gate does before its first record. What was found is added to `what`.
std::string why_no_quotas(const config::Config& config, const KafkaLogins& logins,
                          std::string& what) {
  boost::asio::io_context io(1);
  const Clock clock;
  const Notify none = [](const Notice&) {};
  LimitValues values(config);
  FlowWeights weights;
  Steering steering(io, config, values, weights, clock,
                    {.notify = none, .paused = [](const Pauses&) {}, .ready = [] {}});
  steering.start([&](FleetTable::Listener& listener) {
    return make_table(io, config, logins, listener, none);
  });
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(kPatience.us);
  while (!steering.status().whole && std::chrono::steady_clock::now() < end) io.run_one_until(end);
  const Steering::Status status = steering.status();
  std::string trouble = status.whole ? "" : status.away;
  if (status.whole) {
    what += ": " + std::to_string(status.quotas) + " quotas, " + std::to_string(status.pauses) +
            " pauses";
    trouble = config.quotas->redis ? why_not_written(config) : why_not_kept(config, logins, what);
  }
  for (const auto& [key, why] : steering.refused(kMostRefusedTold)) {
    trouble += (trouble.empty() ? "" : "; ") + key + ": " + why;
  }
  return trouble;
}

bool check_quotas(const config::Config& config, const KafkaLogins& logins) {
  std::string what = "quotas and pauses in ";
  what += config.quotas->redis ? where_redis_is(config.redis) : "topic " + config.quotas->topic;
  // With properties that the Kafka library refuses there is no table.
  const std::string trouble = trouble_of([&] { return why_no_quotas(config, logins, what); });
  return tell(what, trouble);
}

// That it can be shown; nobody is asked for it.
bool check_certificate(const config::Admin& admin) {
  return !admin.tls || tell("certificate of the admin pages in " + admin.tls->cert_file,
                            refused_certificate(admin));
}

}  // namespace

int check_connections(const config::Config& config) {
  boost::asio::io_context io(1);
  KafkaLogins logins(io, config, [](const Notice&) {});
  logins.start();
  logins.wait(kPatience);
  bool good = check_certificate(config.admin);
  good = check_kafka(config, logins) && good;
  if (uses_dead_letters(config)) good = check_dead_letters(config, logins.of_source()) && good;
  const bool limits = !(uses_redis(config) || shadows_use_redis(config)) || check_redis(config);
  const bool table = !config.quotas || check_quotas(config, logins);
  if (needs_redis(config) && limits && (table || !config.quotas->redis)) warn_of_eviction(config);
  good = limits && table && good;
  for (std::size_t i = 0; i < config.targets.size(); ++i) {
    const config::Target& target = config.targets[i];
    const bool one = target.by_kind(
        [&](const config::HttpTarget& http) { return check_http_target(config, target, http); },
        [&](const config::KafkaTarget&) {
          return check_kafka_target(config, target, logins.of_target(i));
        });
    good = one && good;
  }
  if (config.tracing) {
    http::TargetOptions collector = collector_options(config);
    collector.timeout = kPatience;
    good = check_way("tracing", *config.tracing, std::move(collector)) && good;
  }
  return good ? kExitDone : kExitFailed;
}

}  // namespace einlass::app
