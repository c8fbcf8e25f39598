#include "config/print_config.h"

#include <string_view>

#include "config/address.h"
#include "config/answers.h"
#include "config/names.h"
#include "config/parameters.h"
#include "config/printed_page.h"
#include "config/record_sources.h"
#include "config/values.h"
#include "config/yaml_text.h"

namespace einlass::config {
namespace {

void print_inside(PrintedPage& page, const Inside& inside) {
  page.section("inside", [&] {
    page.number("records", inside.records);
    page.option("bytes", to_text(inside.bytes));
  });
}

void print_service(PrintedPage& page, const Config& config) {
  page.text("instance", config.instance);
  page.number("shards", config.shards);
  if (config.instances > 0) page.number("instances", config.instances);
  page.option("drain_timeout", to_text(config.drain_timeout));
  page.option("watchdog", to_text(config.watchdog));
  print_inside(page, config.inside);
  page.section("log", [&] { page.text("level", config.log_level); });
  page.section("admin", [&] {
    page.text("listen", to_text(HostPort{config.admin.host, config.admin.port}));
    if (!config.admin.token.value.empty()) page.secret("token", config.admin.token);
    if (!config.admin.tls()) return;
    page.section("tls", [&] {
      page.text("cert_file", config.admin.cert_file);
      page.text("key_file", config.admin.key_file);
    });
  });
}

void print_kafka(PrintedPage& page, const Kafka& kafka) {
  static constexpr std::string_view kResets[] = {"error", "earliest", "latest"};
  page.section("kafka", [&] {
    page.option("brokers", yaml_list(kafka.brokers));
    page.text("group", kafka.group);
    page.option("static_membership", kafka.static_membership ? "true" : "false");
    page.option("commit_interval", to_text(kafka.commit_interval));
    page.option("commit_records", std::to_string(kafka.commit_records));
    page.option("revoke_timeout", to_text(kafka.revoke_timeout));
    page.text("auto_offset_reset", kResets[static_cast<std::size_t>(kafka.auto_offset_reset)]);
    print_texts(page, "properties", kafka.properties, is_secret_name);
    if (kafka.oauth) print_kafka_oauth(page, *kafka.oauth);
  });
}

// What stands in a file may be another one by now.
void print_password(PrintedPage& page, const std::string& password, const std::string& file) {
  page.text_if_any("password_file", file);
  if (file.empty() && !password.empty()) page.secret("password", password);
}

void print_sentinel(PrintedPage& page, const Redis& redis) {
  std::vector<std::string> addresses;
  for (const HostPort& address : redis.sentinels) addresses.push_back(to_text(address));
  page.section("sentinel", [&] {
    page.option("addresses", yaml_list(addresses));
    page.text("name", redis.sentinel_name);
    page.text_if_any("username", redis.sentinel_username);
    print_password(page, redis.sentinel_password, redis.sentinel_password_file);
  });
}

// Without its login.
std::string redis_url(const Redis& redis) {
  const std::string database = std::to_string(redis.database);
  if (redis.host.starts_with('/'))
    return "unix://" + percent_encoded(redis.host) + "?db=" + database;
  return (redis.tls ? "rediss://" : "redis://") + to_text(HostPort{redis.host, redis.port}) + "/" +
         database;
}

void print_redis(PrintedPage& page, const Redis& redis) {
  page.section("redis", [&] {
    page.text("url", redis_url(redis));
    page.text_if_any("username", redis.username);
    print_password(page, redis.password, redis.password_file);
    page.text("namespace", redis.name_space);
    page.option("timeout", to_text(redis.timeout));
    page.text_if_any("ca_file", redis.ca_file);
    page.text_if_any("cert_file", redis.cert_file);
    page.text_if_any("key_file", redis.key_file);
    page.text_if_any("server_name", redis.server_name);
    if (!redis.sentinels.empty()) print_sentinel(page, redis);
    page.option("cluster", redis.cluster ? "true" : "false");
    page.number("wait_replicas", redis.wait_replicas);
  });
}

void print_limit(PrintedPage& page, const Limit& limit) {
  static constexpr std::string_view kOutages[] = {"hold", "pass", "local_share"};
  page.section(yaml_key(limit.limit.name), [&] {
    limits::Parameters parameters = limit.limit.parameters;
    if (limit.strict) lengthen_window(parameters, Duration{} - kStrictUse);
    for (const Written& one : written(parameters)) {
      page.option(std::string(one.name), one.value);
    }
    if (limit.burst.value > 0) page.number("burst", limit.burst.value);
    page.text("store", limit.store == Store::redis ? "redis" : "memory");
    page.text("key", to_text(limit.key));
    page.text("cost", to_text(limit.cost, limit.limit.cost));
    if (limit.limit.cost_from_record) page.number("default_cost", limit.default_cost.value);
    page.text("bad_key", limit.bad_key == BadKey::dead_letter ? "dead_letter" : "default");
    page.option("spread", limit.spread ? "true" : "false");
    page.option("horizon", to_text(limit.horizon));
    if (!limit.strict) page.option("use_within", to_text(limit.use_within));
    page.option("strict", limit.strict ? "true" : "false");
    page.text("on_outage", kOutages[static_cast<std::size_t>(limit.on_outage)]);
    page.option("shadow", limit.shadow ? "true" : "false");
  });
}

void print_route(PrintedPage& page, const Config& config, const Route& route) {
  static constexpr std::string_view kOrders[] = {"partition", "key", "none"};
  std::vector<std::string> limits;
  for (const auto* list : {&route.limits, &route.shadow_limits}) {
    for (const std::size_t limit : *list) {
      if (!config.limits[limit].is_pace) limits.push_back(config.limits[limit].limit.name);
    }
  }
  page.item(route.name, [&] {
    page.text("name", route.name);
    page.option("topics", yaml_list(route.topics));
    page.text("target", config.targets[route.target].name);
    page.option("limits", yaml_list(limits));
    page.text("order", kOrders[static_cast<std::size_t>(route.order)]);
    if (route.share) page.text("share", config.shares[*route.share].name);
    page.section("retry", [&] {
      page.option("initial", to_text(route.retry.initial));
      page.option("max", to_text(route.retry.max));
      page.number("attempts", route.attempts);
    });
    page.text_if_any("dead_letter", route.dead_letter);
    print_inside(page, route.inside);
  });
}

void print_share(PrintedPage& page, const Share& share) {
  page.section(yaml_key(share.name), [&] {
    page.text("by", to_text(share.by));
    page.section("weight", [&] {
      page.number("default", share.default_weight);
      for (const auto& [flow, weight] : share.weights) page.number(yaml_key(flow), weight);
    });
    if (share.levels.empty()) return;
    page.section("levels", [&] {
      page.text("by", to_text(share.level_by));
      page.option("names", yaml_list(share.levels));
      page.option("keep", std::to_string(share.keep) + "%");
    });
  });
}

void print_tracing(PrintedPage& page, const HttpTarget& collector) {
  page.section("tracing", [&] {
    page.text_hiding("url", collector.url, collector.path);
    const auto headers = [&] {
      for (const auto& [name, value] : collector.headers) page.secret(yaml_key(name), value);
    };
    if (!collector.headers.empty()) page.section("headers", headers);
    page.text_if_any("ca_file", collector.ca_file);
  });
}

PrintedPage page_of(const Config& config) {
  PrintedPage page;
  print_service(page, config);
  if (config.tracing) print_tracing(page, *config.tracing);
  print_kafka(page, config.kafka);
  print_redis(page, config.redis);
  page.section("limits", [&] {
    for (const Limit& limit : config.limits) {
      if (!limit.is_pace) print_limit(page, limit);
    }
  });
  page.section("targets", [&] {
    for (const Target& target : config.targets) print_target(page, target);
  });
  if (!config.shares.empty()) {
    page.section("shares", [&] {
      for (const Share& share : config.shares) print_share(page, share);
    });
  }
  page.section("routes", [&] {
    for (const Route& route : config.routes) print_route(page, config, route);
  });
  return page;
}

}  // namespace

std::string print_config(const Config& config) { return page_of(config).take(); }

std::vector<WrittenOption> written_options(const Config& config) {
  return page_of(config).take_options();
}

}  // namespace einlass::config
