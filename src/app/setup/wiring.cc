#include "app/setup/wiring.h"

#include <algorithm>
#include <boost/algorithm/string/join.hpp>
#include <variant>

#include "adapters/log/log.h"
#include "app/setup/flow_names.h"
#include "config/options/route_topics.h"
#include "limits/permits/state.h"
#include "units/check.h"
#include "units/keyed_hash.h"

namespace einlass::app {
namespace {

std::string joined(const std::vector<std::string>& brokers) {
  return boost::algorithm::join(brokers, ",");
}

core::RouteOptions route_options(const config::Config& config, const config::Route& route) {
  core::RouteOptions options;
  options.target = core::TargetId{static_cast<std::uint16_t>(route.target)};
  options.order = route.order;
  options.limit_count = static_cast<std::uint8_t>(route.limits.size());
  options.retry_initial = route.retry.initial;
  options.retry_max = route.retry.max;
  options.attempts = route.retry.attempts;
  options.leads_on = !route.otherwise.empty();
  options.dead_letter = !route.dead_letter.empty();
  options.inside_records = route.inside.records;
  options.inside_bytes = route.inside.bytes;
  if (route.share) {
    const config::Share& share = config.shares[*route.share];
    options.share.levels = static_cast<std::uint8_t>(level_names(share).size());
    if (share.levels) options.share.keep = static_cast<std::uint8_t>(share.levels->keep);
    std::string names;
    for (const std::string& name : named_flows(share)) names += name + '\n';
    options.flow_names = keyed_hash(names);
  }
  // All limits of a route are decided in one call, so the shortest of each span holds for all.
  for (std::size_t i = 0; i < route.limits.size(); ++i) {
    const config::Limit& limit = limit_of(config, route, i);
    options.store = limit.store == config::Store::memory ? kMemoryStore
                    : may_stand_in(config, route)        ? kRedisOrStandIn
                                                         : kRedisStore;
    options.horizon = i == 0 ? limit.horizon : std::min(options.horizon, limit.horizon);
    options.use_within = i == 0 ? limit.use_within : std::min(options.use_within, limit.use_within);
    options.limits.at(i) = core::LimitId{static_cast<std::uint16_t>(route.limits[i])};
    if (limit.key.kind == config::KeySource::Kind::none) options.keyless_limits |= 1u << i;
    if (limits::traits(limit.limit.parameters).held) options.held_limits |= 1u << i;
    options.cost_varies |= limit.limit.cost_from_record;
    if (limit.share) options.fleet_limits |= 1u << i;
  }
  options.stood_in_for = may_stand_in(config, route);
  options.slot = std::min(core::kSlot, options.use_within / 8);
  return options;
}

bool any_limit(const config::Config& config, config::Store store) {
  for (const config::Route& route : config.routes) {
    for (std::size_t i = 0; i < route.limits.size(); ++i) {
      if (limit_of(config, route, i).store == store) return true;
    }
  }
  return false;
}

// Those with a route that has limits in Redis, and that can say for how long they are to be left
// alone: with a Kafka target it is this gate's own trouble that holds it.
std::vector<redis::SharedTarget> shared_targets(const config::Config& config) {
  std::vector<redis::SharedTarget> shared;
  for (std::uint16_t i = 0; i < config.targets.size(); ++i) {
    const auto uses = [&](const config::Route& route) {
      return route.target == i && !route.limits.empty() &&
             limit_of(config, route, 0).store == config::Store::redis;
    };
    const bool can_say =
        config.targets[i].by_kind([](const config::HttpTarget&) { return true; },
                                  [](const config::KafkaTarget&) { return false; });
    if (can_say && std::any_of(config.routes.begin(), config.routes.end(), uses)) {
      shared.push_back({core::TargetId{i}, config.targets[i].name});
    }
  }
  return shared;
}

}  // namespace

const config::Limit& limit_of(const config::Config& config, const config::Route& route,
                              std::size_t index) {
  return config.limits[route.limits[index]];
}

bool may_stand_in(const config::Config& config, const config::Route& route) {
  return !route.limits.empty() &&
         std::all_of(route.limits.begin(), route.limits.end(), [&](std::size_t i) {
           const config::Limit& limit = config.limits[i];
           return limit.store == config::Store::redis && limit.on_outage != config::OnOutage::hold;
         });
}

bool waits_for_redis(const config::Config& config, const config::Route& route) {
  return !route.limits.empty() &&
         config.limits[route.limits.front()].store == config::Store::redis &&
         !may_stand_in(config, route);
}

bool uses_redis(const config::Config& config) { return any_limit(config, config::Store::redis); }
bool uses_memory(const config::Config& config) { return any_limit(config, config::Store::memory); }

bool shadows_use_redis(const config::Config& config) {
  const auto in_redis = [&](std::size_t i) {
    return config.limits[i].store == config::Store::redis;
  };
  return std::any_of(config.routes.begin(), config.routes.end(), [&](const config::Route& route) {
    return std::any_of(route.shadow_limits.begin(), route.shadow_limits.end(), in_redis);
  });
}

bool needs_redis(const config::Config& config) {
  return uses_redis(config) || shadows_use_redis(config) || (config.quotas && config.quotas->redis);
}

bool uses_dead_letters(const config::Config& config) {
  return std::any_of(config.routes.begin(), config.routes.end(),
                     [](const config::Route& route) { return !route.dead_letter.empty(); });
}

namespace {

// A transaction takes what has gathered while the last one was under way.
constexpr core::BatchOptions kTransaction{.records = 1'000, .bytes = Bytes{4 << 20}, .linger = {}};

core::BatchOptions batch_options(const config::HttpTarget& http) {
  if (!http.batch) return {};
  return {http.batch->records, http.batch->bytes, http.batch->linger, http.head_bytes};
}
core::BatchOptions batch_options(const config::KafkaTarget& kafka) {
  return kafka.exactly_once ? kTransaction : core::BatchOptions{};
}

Bytes at_once(const config::HttpTarget& http) {
  return Bytes{http.gzip ? static_cast<std::int64_t>(http::kCompressedATurn) : 0};
}
Bytes at_once(const config::KafkaTarget&) { return {}; }

// Where records name the hosts, each host has one instead (adapters/http/target/origins.h). Each of
// several `urls` has one beside it, by the same numbers: that says which server rests, and this one
// when nothing is sent to any of them.
bool has_breaker(const config::Target& target) { return !target.records_name_hosts(); }

// Of a limit that lines share, one line may hold all permits that come due within its horizon: as
// long nothing is heard of the others, and as long again until their next permits are used.
constexpr Duration kLongestHorizon = Duration::seconds(1);  // A dead target is to be noticed.

Duration shared_horizon(const config::Config& config, const config::Target& target) {
  Duration longest;
  for (const config::Route& route : config.routes) {
    if (config.targets[route.target].name != target.name) continue;
    const core::RouteOptions options = route_options(config, route);
    if (options.keyless_limits != 0) longest = std::max(longest, options.horizon);
  }
  return std::min(longest, kLongestHorizon);
}

}  // namespace

core::BreakerOptions breaker_options(const config::Config& config, const config::Target& target) {
  core::BreakerOptions options{target.breaker.failures, target.breaker.wait,
                               target.breaker.max_wait};
  options.silence = options.silence + shared_horizon(config, target) * 2;
  return options;
}

ProcessOptions process_options(const config::Config& config) {
  return {.instance = config.instance,
          .least = config.log.level,
          .format = config.log.format == config::LogFormat::json ? log::Format::json
                                                                 : log::Format::logfmt,
          .watchdog = config.watchdog,
          .drain_timeout = config.drain_timeout};
}

std::vector<ShardNumber> shard_numbers(const config::Config& config) {
  std::vector<ShardNumber> shards;
  for (int i = 0; i < config.shards; ++i) shards.push_back({i, config.shards});
  return shards;
}

core::GateOptions gate_options(const config::Config& config, ShardNumber shard,
                               std::uint64_t seed) {
  core::GateOptions options;
  for (const config::Route& route : config.routes) {
    options.routes.push_back(route_options(config, route));
  }
  for (const config::Target& target : config.targets) {
    const std::int64_t most =
        target.exactly_once() ? 1 : shard.part(static_cast<std::int64_t>(target.max_in_flight()));
    options.targets.push_back(
        {.max_in_flight = static_cast<std::uint32_t>(most),
         .batch = target.by_kind([](const auto& one) { return batch_options(one); }),
         .transactional = target.exactly_once(),
         .breaker = has_breaker(target) ? breaker_options(config, target) : core::BreakerOptions{},
         .retry_share = target.retry.budget,
         .at_once = target.by_kind([](const auto& one) { return at_once(one); })});
  }
  options.stores = kStores;
  options.commit_interval = config.kafka.commit_interval;
  options.commit_records = static_cast<std::uint32_t>(config.kafka.commit_records);
  options.inside_records = shard.part(config.inside.records);
  options.inside_bytes = Bytes{shard.part(config.inside.bytes.value)};
  options.seed = seed;
  return options;
}

kafka::OffsetReset offset_reset(const config::Config& config) {
  switch (config.kafka.auto_offset_reset) {
    case config::OffsetReset::error:
      return kafka::OffsetReset::error;
    case config::OffsetReset::earliest:
      return kafka::OffsetReset::earliest;
    case config::OffsetReset::latest:
      return kafka::OffsetReset::latest;
  }
  CHECK(false);
}

kafka::SourceOptions source_options(const config::Config& config, ShardNumber shard) {
  kafka::SourceOptions options;
  options.brokers = joined(config.kafka.brokers);
  options.group = config.kafka.group;
  if (config.kafka.static_membership) options.instance = shard.member(config.instance);
  for (std::size_t i = 0; i < config.routes.size(); ++i) {
    const core::RouteId route{static_cast<std::uint16_t>(i)};
    for (const std::string& topic : config.routes[i].topics) {
      options.topics.push_back({topic, route});
    }
    if (!config.routes[i].dead_letter.empty()) {
      options.dead_letters.push_back(config.routes[i].dead_letter);
    }
  }
  options.left_out = config::left_out_of_patterns(config);
  options.properties = config.kafka.properties;
  options.revoke_timeout = config.kafka.revoke_timeout;
  options.auto_offset_reset = offset_reset(config);
  return options;
}

kafka::DeadLettersOptions dead_letters_options(const config::Config& config) {
  return {joined(config.kafka.brokers), config.kafka.properties};
}

kafka::TopicTableOptions quotas_options(const config::Config& config) {
  return {.brokers = joined(config.kafka.brokers),
          .topic = config.quotas->topic,
          .properties = config.kafka.properties};
}

kafka::TargetOptions kafka_target_options(const config::Config& config,
                                          const config::Target& target, ShardNumber shard) {
  const auto& kafka = std::get<config::KafkaTarget>(target.kind);
  kafka::TargetOptions options{.name = target.name,
                               .topic = kafka.topic,
                               .brokers = joined(kafka.brokers),
                               .properties = kafka.properties,
                               .same_partition = kafka.same_partition,
                               .timeout = kafka.timeout};
  // Whoever comes back under this name ends what it has left open.
  if (kafka.exactly_once) {
    options.transactional_id =
        "einlass:" + config.kafka.group + ":" + shard.member(config.instance) + ":" + target.name;
  }
  return options;
}

std::vector<redis::Bucket> redis_buckets(
    std::span<const config::Limit* const> limits, std::span<const std::string_view> keys,
    std::span<const std::shared_ptr<const limits::Limit>> values) {
  std::vector<redis::Bucket> buckets;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const bool own = values.empty() || !values[i];
    buckets.push_back({own ? &limits[i]->limit : values[i].get(), std::string(keys[i]),
                       limits[i]->spread, limits[i]->horizon});
  }
  return buckets;
}

redis::StoreOptions redis_options(const config::Config& config, const RunId& run) {
  redis::StoreOptions options;
  options.store = kRedisStore;
  options.host = config.redis.host;
  options.port = config.redis.port;
  if (const auto& sentinel = config.redis.sentinel) {
    for (const config::HostPort& one : sentinel->addresses) {
      options.sentinels.push_back({one.host, one.port});
    }
    options.sentinel_name = sentinel->name;
    options.sentinel_login = {sentinel->username, sentinel->password.value,
                              sentinel->password.file};
  }
  options.cluster = config.redis.cluster;
  options.wait_replicas = config.redis.wait_replicas;
  options.tls = config.redis.tls;
  options.tls_files = {config.redis.ca_file, config.redis.cert_file, config.redis.key_file};
  options.server_name = config.redis.server_name;
  options.login = {config.redis.username, config.redis.password.value, config.redis.password.file};
  options.database = config.redis.database;
  options.name_space = config.redis.name_space;
  options.timeout = config.redis.timeout;
  options.run = run;
  options.targets = shared_targets(config);
  return options;
}

}  // namespace einlass::app
