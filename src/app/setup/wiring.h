// From the configuration to what each part is told: every part has a small options struct of its
// own, and only the composition root knows both sides.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/http/aws/options.h"
#include "adapters/http/client/target_options.h"
#include "adapters/http/server/server.h"
#include "adapters/kafka/client/options.h"
#include "adapters/kafka/table/topic_table.h"
#include "adapters/log/format.h"
#include "adapters/redis/client/store_options.h"
#include "app/process/run_id.h"
#include "app/process/shard_number.h"
#include "config/model/config.h"
#include "core/contract/options.h"
#include "units/notice.h"
#include "units/time.h"

namespace einlass::app {

// The stores by number. A gate always knows both; the Redis one is only connected to where a limit
// of some route is kept there.
inline constexpr core::StoreId kMemoryStore{0};
inline constexpr core::StoreId kRedisStore{1};
// Redis, for routes for which something stands in while it is down: to the gate it never is.
inline constexpr core::StoreId kRedisOrStandIn{2};
inline constexpr std::uint8_t kStores = 3;

// What stands around the shards.
struct ProcessOptions {
  std::string instance;
  Severity least = Severity::info;  // What is worth a line of the log.
  log::Format format = log::Format::logfmt;
  Duration watchdog;
  Duration drain_timeout;
};
ProcessOptions process_options(const config::Config& config);

std::vector<ShardNumber> shard_numbers(const config::Config& config);
core::GateOptions gate_options(const config::Config& config, ShardNumber shard, std::uint64_t seed);
kafka::OffsetReset offset_reset(const config::Config& config);
// Without the tokens that it may log in with: see KafkaLogins; so are the next.
kafka::SourceOptions source_options(const config::Config& config, ShardNumber shard);
kafka::DeadLettersOptions dead_letters_options(const config::Config& config);
// REQUIRES: the configuration has quotas in a topic.
kafka::TopicTableOptions quotas_options(const config::Config& config);
// Of a target, or of each of its servers.
core::BreakerOptions breaker_options(const config::Config& config, const config::Target& target);
// REQUIRES: the target is of that kind.
http::TargetOptions target_options(const config::Config& config, const config::Target& target,
                                   ShardNumber shard);
kafka::TargetOptions kafka_target_options(const config::Config& config,
                                          const config::Target& target, ShardNumber shard);
// Of the collector of spans. REQUIRES: config.tracing.
http::TargetOptions collector_options(const config::Config& config);
redis::StoreOptions redis_options(const config::Config& config, const RunId& run);
// What a line stands for there; `keys` has one for each limit, and `values`, where there are any,
// the limit as it is for that key, or null. All of it outlives the line.
std::vector<redis::Bucket> redis_buckets(
    std::span<const config::Limit* const> limits, std::span<const std::string_view> keys,
    std::span<const std::shared_ptr<const limits::Limit>> values = {});

net::SecretOptions secret_options(const config::FileSecret& secret);
http::LoginOptions login_options(const config::HttpAuth& auth);
// As whom a token for Kafka is asked for, and whom its server must be known by.
struct KafkaLoginOptions {
  http::LoginOptions login;
  http::TlsOptions certificates;
};
KafkaLoginOptions kafka_login_options(const config::HttpAuth& oauth);
// Where a cluster of Amazon MSK is, and with what its tokens are signed.
struct MskLoginOptions {
  std::string region;
  http::AwsOptions credentials;
};
// Throws as aws_options() does, whose environment is the process's.
MskLoginOptions msk_login_options(const std::string& region);
// Without who is told of its certificate.
http::ServerOptions admin_options(const config::Admin& admin);

// The limit of a route's list, by its index there.
const config::Limit& limit_of(const config::Config& config, const config::Route& route,
                              std::size_t index);

// True if the route's limits are in Redis and none of them says to hold.
bool may_stand_in(const config::Config& config, const config::Route& route);
// True if the route's limits are in Redis and some of them says to hold while it is down.
bool waits_for_redis(const config::Config& config, const config::Route& route);
// True if some limit of some route is kept in Redis.
bool uses_redis(const config::Config& config);
bool uses_memory(const config::Config& config);
// The same of the limits that nobody obeys.
bool shadows_use_redis(const config::Config& config);
// True if anything at all is kept there: such limits, or the fleet's quotas and pauses.
bool needs_redis(const config::Config& config);
bool uses_dead_letters(const config::Config& config);

}  // namespace einlass::app
