#include "config/print_config.h"

#include <string_view>

#include "config/address.h"
#include "config/answers.h"
#include "config/names.h"
#include "config/parameters.h"
#include "config/record_sources.h"
#include "config/values.h"
#include "config/yaml_text.h"

namespace einlass::config {
namespace {

// Quoted, for a star alone would be something else in YAML.
constexpr std::string_view kHidden = "\"***\"";

// One line after the other, each at the depth of the sections that are open; and beside the text
// every option with its path.
class Page {
 public:
  // A section's name; what `fill` writes stands below it.
  template <class Fill>
  void section(const std::string& name, Fill fill) {
    line(name + ":");
    indent_ += 2;
    path_.push_back(name);
    fill();
    path_.pop_back();
    indent_ -= 2;
  }
  // An item of a list: the first line that `fill` writes stands behind its dash. In paths it goes
  // by its name.
  template <class Fill>
  void item(const std::string& name, Fill fill) {
    dash_ = true;
    indent_ += 2;
    path_.push_back(name);
    fill();
    path_.pop_back();
    indent_ -= 2;
  }
  // `value` is YAML already.
  void option(const std::string& name, const std::string& value) { add(name, value, value); }
  // What is shown may leave a secret out, which `hidden` has.
  void text_hiding(const std::string& name, const std::string& shown, const std::string& hidden) {
    add(name, yaml_value(shown), shown + " " + hidden);
  }
  void list_hiding(const std::string& name, const std::vector<std::string>& shown,
                   const std::string& hidden) {
    add(name, yaml_list(shown), yaml_list(shown) + " " + hidden);
  }
  // What is shown hides the value.
  void secret(const std::string& name, const std::string& value) {
    add(name, std::string(kHidden), value);
  }
  // One that stands in a file is shown by its path.
  void secret(const std::string& name, const FileSecret& secret_of) {
    if (secret_of.file.empty()) return secret(name, secret_of.value);
    text_hiding(name + "_file", secret_of.file, secret_of.value);
  }
  void text(const std::string& name, std::string_view value) { option(name, yaml_value(value)); }
  void number(const std::string& name, std::int64_t value) { option(name, std::to_string(value)); }
  // Nothing for an option that is not there.
  void text_if_any(const std::string& name, std::string_view value) {
    if (!value.empty()) text(name, value);
  }

  std::string take() { return std::move(text_); }
  std::vector<WrittenOption> take_options() { return std::move(options_); }

 private:
  void add(const std::string& name, const std::string& shown, const std::string& value) {
    line(name + ": " + shown);
    options_.push_back({path_, shown, value});
    options_.back().path.push_back(name);
  }
  void line(const std::string& content) {
    text_ += std::string(indent_ - (dash_ ? 2 : 0), ' ') + (dash_ ? "- " : "") + content + "\n";
    dash_ = false;
  }

  std::string text_;
  std::vector<WrittenOption> options_;
  std::vector<std::string> path_;  // Of the sections that are open.
  std::size_t indent_ = 0;
  bool dash_ = false;
};

template <class Pairs>
void print_texts(Page& page, const std::string& name, const Pairs& pairs) {
  if (pairs.empty()) return page.option(name, "{}");
  page.section(name, [&] {
    for (const auto& [key, value] : pairs) {
      if (is_secret_name(key)) {
        page.secret(yaml_key(key), value);
      } else {
        page.text(yaml_key(key), value);
      }
    }
  });
}

void print_inside(Page& page, const Inside& inside) {
  page.section("inside", [&] {
    page.number("records", inside.records);
    page.option("bytes", to_text(inside.bytes));
  });
}

void print_service(Page& page, const Config& config) {
  page.text("instance", config.instance);
  page.number("shards", config.shards);
  if (config.instances > 0) page.number("instances", config.instances);
  page.option("drain_timeout", to_text(config.drain_timeout));
  page.option("watchdog", to_text(config.watchdog));
  print_inside(page, config.inside);
  page.section("log", [&] { page.text("level", config.log_level); });
  page.section("admin", [&] {
    page.text("listen", to_text(HostPort{config.admin.host, config.admin.port}));
  });
}

void print_kafka(Page& page, const Kafka& kafka) {
  static constexpr std::string_view kResets[] = {"error", "earliest", "latest"};
  page.section("kafka", [&] {
    page.option("brokers", yaml_list(kafka.brokers));
    page.text("group", kafka.group);
    page.option("static_membership", kafka.static_membership ? "true" : "false");
    page.option("commit_interval", to_text(kafka.commit_interval));
    page.option("revoke_timeout", to_text(kafka.revoke_timeout));
    page.text("auto_offset_reset", kResets[static_cast<std::size_t>(kafka.auto_offset_reset)]);
    print_texts(page, "properties", kafka.properties);
  });
}

// What stands in a file may be another one by now.
void print_password(Page& page, const std::string& password, const std::string& file) {
  page.text_if_any("password_file", file);
  if (file.empty() && !password.empty()) page.secret("password", password);
}

void print_sentinel(Page& page, const Redis& redis) {
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

void print_redis(Page& page, const Redis& redis) {
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

void print_limit(Page& page, const Limit& limit) {
  static constexpr std::string_view kOutages[] = {"hold", "pass", "local_share"};
  page.section(yaml_key(limit.limit.name), [&] {
    for (const Written& one : written(limit.limit.parameters)) {
      page.option(std::string(one.name), one.value);
    }
    page.text("store", limit.store == Store::redis ? "redis" : "memory");
    page.text("key", to_text(limit.key));
    page.text("cost", to_text(limit.cost, limit.limit.cost));
    if (limit.limit.cost_from_record) page.number("default_cost", limit.default_cost.value);
    page.text("bad_key", limit.bad_key == BadKey::dead_letter ? "dead_letter" : "default");
    page.option("spread", limit.spread ? "true" : "false");
    page.option("horizon", to_text(limit.horizon));
    page.option("use_within", to_text(limit.use_within));
    page.text("on_outage", kOutages[static_cast<std::size_t>(limit.on_outage)]);
  });
}

void print_auth(Page& page, const HttpAuth& auth) {
  switch (auth.kind) {
    case HttpAuth::Kind::none:
      return;
    case HttpAuth::Kind::basic:
      return page.section("basic", [&] {
        page.text("username", auth.username);
        page.secret("password", auth.secret);
      });
    case HttpAuth::Kind::bearer:
      return page.secret("bearer", auth.secret);
    case HttpAuth::Kind::oauth2:
      return page.section("oauth2", [&] {
        page.text_hiding("token_url", auth.token_url.url, auth.token_url.path);
        page.text("client_id", auth.client_id);
        page.secret("client_secret", auth.secret);
        page.text_if_any("scope", auth.scope);
        page.text_if_any("audience", auth.audience);
      });
  }
}

// As they would be written: with doubled braces, but for secrets.
std::vector<std::pair<std::string, std::string>> written_headers(const HttpTarget& http) {
  auto headers = http.headers;
  for (auto& [name, value] : headers) {
    if (!is_secret_name(name)) value = to_text(Template{{TemplatePiece::Kind::text, value}});
  }
  for (const auto& [name, parts] : http.header_templates)
    headers.emplace_back(name, to_text(parts));
  return headers;
}

void print_answers(Page& page, const HttpTarget& http) {
  static constexpr std::string_view kNames[] = {"accept", "retry", "refuse"};
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    std::vector<std::string> written;
    for (const StatusMeans& rule : http.by_status) {
      if (rule.means == static_cast<AnswerMeans>(i)) written.push_back(to_text(rule));
    }
    const bool none = i == 0 && http.accept_written;
    if (none || !written.empty()) page.option(std::string(kNames[i]), yaml_list(written));
  }
  if (http.by_body.empty()) return;
  page.section("by_body", [&] {
    for (std::size_t i = 0; i < http.by_body.size(); ++i) {
      const BodyMeans& rule = http.by_body[i];
      page.item(std::to_string(i), [&] {
        page.text("json", rule.pointer);
        page.text("equals", rule.equals);
        page.text("then", kNames[static_cast<std::size_t>(rule.means)]);
      });
    }
  });
}

void print_proxy(Page& page, const HttpProxy& proxy) {
  if (proxy.host.empty()) return;
  const bool login = !proxy.username.empty() || !proxy.password.empty();
  page.text_hiding(
      "proxy",
      std::string("http://") + (login ? "***@" : "") + to_text(HostPort{proxy.host, proxy.port}),
      proxy.username + ":" + proxy.password);
}

void print_login(Page& page, const HttpTarget& http) {
  print_proxy(page, http.proxy);
  page.text_if_any("cert_file", http.cert_file);
  page.text_if_any("key_file", http.key_file);
  page.option("verify", http.verify ? "true" : "false");
  if (http.auth.kind != HttpAuth::Kind::none) {
    page.section("auth", [&] { print_auth(page, http.auth); });
  }
  if (http.sign.secret.value.empty()) return;
  page.section("sign", [&] {
    page.secret("secret", http.sign.secret);
    const FileSecret& previous = http.sign.previous_secret;
    if (!previous.value.empty()) page.secret("previous_secret", previous);
  });
}

void print_urls(Page& page, const HttpTarget& http) {
  std::vector<std::string> urls;
  std::string hidden;
  for (const HttpUrl& url : http.urls) {
    urls.push_back(url.url);
    hidden += " " + url.path;
  }
  if (urls.empty()) {
    page.text_hiding("url", http.url, http.path);
  } else {
    page.list_hiding("urls", urls, hidden);
    page.text("balance", http.balance == Balance::by_key ? "key" : "round_robin");
  }
  if (http.host_template.empty()) return;
  page.option("allow_hosts", yaml_list(http.allow_hosts));
  page.option("allow_private", http.allow_private ? "true" : "false");
}

void print_http_target(Page& page, const HttpTarget& http) {
  static constexpr std::string_view kHttp2[] = {"auto", "always", "never"};
  page.section("http", [&] {
    print_urls(page, http);
    page.text("method", http.method_template.empty() ? http.method : to_text(http.method_template));
    page.option("timeout", to_text(http.timeout));
    page.number("max_in_flight", static_cast<std::int64_t>(http.max_in_flight));
    print_texts(page, "headers", written_headers(http));
    page.option("forward_headers", yaml_list(http.forward_headers));
    page.text("content_type", http.content_type);
    page.text_if_any("ca_file", http.ca_file);
    page.text_if_any("server_name", http.server_name);
    print_login(page, http);
    print_answers(page, http);
    page.text("compress", http.gzip ? "gzip" : "none");
    page.text("http2", kHttp2[static_cast<std::size_t>(http.http2)]);
  });
}

void print_kafka_target(Page& page, const KafkaTarget& kafka) {
  page.section("kafka", [&] {
    page.text("topic", kafka.topic);
    page.option("brokers", yaml_list(kafka.brokers));
    print_texts(page, "properties", kafka.properties);
    page.text("partition", kafka.same_partition ? "same" : "key");
    page.number("max_in_flight", static_cast<std::int64_t>(kafka.max_in_flight));
    page.option("timeout", to_text(kafka.timeout));
  });
}

void print_target(Page& page, const Target& target) {
  page.section(yaml_key(target.name), [&] {
    if (target.kafka) {
      print_kafka_target(page, *target.kafka);
    } else {
      print_http_target(page, target.http);
    }
    page.section("retry", [&] {
      page.option("initial", to_text(target.retry.initial));
      page.option("max", to_text(target.retry.max));
      page.option("budget", std::to_string(target.retry_share) + "%");
    });
    page.section("breaker", [&] {
      page.number("failures", target.breaker.failures);
      page.option("wait", to_text(target.breaker.wait));
      page.option("max_wait", to_text(target.breaker.max_wait));
    });
  });
}

void print_route(Page& page, const Config& config, const Route& route) {
  static constexpr std::string_view kOrders[] = {"partition", "key", "none"};
  std::vector<std::string> limits;
  for (const std::size_t limit : route.limits) limits.push_back(config.limits[limit].limit.name);
  page.item(route.name, [&] {
    page.text("name", route.name);
    page.option("topics", yaml_list(route.topics));
    page.text("target", config.targets[route.target].name);
    page.option("limits", yaml_list(limits));
    page.text("order", kOrders[static_cast<std::size_t>(route.order)]);
    page.section("retry", [&] {
      page.option("initial", to_text(route.retry.initial));
      page.option("max", to_text(route.retry.max));
      page.number("attempts", route.attempts);
    });
    page.text_if_any("dead_letter", route.dead_letter);
    print_inside(page, route.inside);
  });
}

Page page_of(const Config& config) {
  Page page;
  print_service(page, config);
  print_kafka(page, config.kafka);
  print_redis(page, config.redis);
  page.section("limits", [&] {
    for (const Limit& limit : config.limits) print_limit(page, limit);
  });
  page.section("targets", [&] {
    for (const Target& target : config.targets) print_target(page, target);
  });
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
