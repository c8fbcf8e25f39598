#include "config/address.h"
#include "config/decode.h"
#include "config/names.h"
#include "config/secrets.h"

namespace einlass::config {
namespace {

constexpr Bounds<Duration> kTimeout{Duration::millis(1), Duration::seconds(60)};
constexpr std::uint16_t kPort = 6379;
constexpr std::uint16_t kSentinelPort = 26379;
constexpr std::size_t kMostSentinels = 100;
constexpr Bounds<std::int64_t> kReplicas{0, 100};
constexpr std::size_t kMostSocketPath = 107;       // What the kernel takes: unix(7).
constexpr std::int64_t kMostDatabase = 1'000'000;  // Servers allow 16 by default.

const Refusal kNotAUrl{
    "is not a Redis URL; write redis://[user:password@]HOST[:PORT][/DATABASE], rediss:// for TLS, "
    "or unix:///PATH[?db=DATABASE]"};

// USER:PASSWORD, each percent-encoded; either may be empty.
bool read_login(std::string_view login, Redis& redis) {
  const std::size_t colon = login.find(':');
  const auto user = percent_decoded(login.substr(0, colon));
  const auto password = percent_decoded(colon == login.npos ? "" : login.substr(colon + 1));
  if (!user || !password) return false;
  redis.username = *user;
  redis.password = *password;
  return true;
}

bool read_database(std::string_view text, Redis& redis) {
  const auto database = parse_whole(text, {0, kMostDatabase});
  if (refused(database)) return false;
  redis.database = static_cast<int>(std::get<std::int64_t>(database));
  return true;
}

// unix://[USER:PASSWORD@]/PATH[?db=DATABASE], as other clients of Redis write it.
std::optional<Refusal> read_socket(const Url& url, Redis& redis) {
  constexpr std::string_view kDatabase = "db=";
  const auto path = percent_decoded(url.path);
  if (!url.address.empty() || !path || path->size() < 2) return kNotAUrl;
  if (path->size() > kMostSocketPath) {
    return Refusal{"has a path that is longer than the " + std::to_string(kMostSocketPath) +
                   " bytes that a Unix socket may have"};
  }
  if (url.query && !url.query->starts_with(kDatabase)) return kNotAUrl;
  if (url.query && !read_database(url.query->substr(kDatabase.size()), redis)) {
    return Refusal{"has a database that is no number; write ?db=0 at its end"};
  }
  redis.host = *path;
  redis.port = 0;
  return std::nullopt;
}

std::optional<Refusal> read_server(const Url& url, Redis& redis) {
  if ((url.scheme != "redis" && url.scheme != "rediss") || url.query) return kNotAUrl;
  const auto address = parse_host_port(url.address, kPort);
  if (refused(address)) return std::get<Refusal>(address);
  redis.tls = url.scheme == "rediss";
  redis.host = std::get<HostPort>(address).host;
  redis.port = std::get<HostPort>(address).port;
  if (url.path.size() > 1 && !read_database(url.path.substr(1), redis)) {
    return Refusal{"has a database that is no number; write /0 at its end"};
  }
  return std::nullopt;
}

Parsed<Redis> parse_redis_url(const std::string& text, Redis redis) {
  const auto url = split_url(text);
  if (!url || url->fragment) return kNotAUrl;
  const auto refusal = url->scheme == "unix" ? read_socket(*url, redis) : read_server(*url, redis);
  if (refusal) return *refusal;
  if (url->login && !read_login(*url->login, redis)) {
    return Refusal{
        "has a login that is not percent-encoded as URLs are; use username and password"};
  }
  return redis;
}

// A name without a password is no login.
void check_username(Section& section, const std::string& username, const std::string& password) {
  const bool given = section.has("password") || section.has("password_file");
  if (username.empty() || !password.empty() || given) return;
  section.reading().wrong(section.place_of(section.has("username") ? "username" : "url"),
                          section.path_of("username"),
                          "has no password beside it; write password_file");
}

void decode_login(Section& section, Redis& redis) {
  Reading& reading = section.reading();
  const bool in_url = !redis.username.empty() || !redis.password.empty();
  for (const std::string_view name : {"username", "password", "password_file"}) {
    if (in_url && section.has(name)) {
      reading.wrong(section.place_of(name), section.path_of(name),
                    "the URL has a login too; keep one of them");
      return;
    }
  }
  section.read_text("username", redis.username);
  if (read_secret(section, "password", redis.password)) {
    section.read_text("password_file", redis.password_file);
  }
  check_username(section, redis.username, redis.password);
}

void read_sentinel(Section& section, std::vector<HostPort>& out) {
  Reading& reading = section.reading();
  const std::string path = section.path_of("addresses");
  const Node* node = section.find("addresses");
  const auto items = list_items(reading, node, path, kMostSentinels);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto scalar = reading.scalar(*items[i], path + "[" + std::to_string(i) + "]");
    if (!scalar) continue;
    auto address = parse_host_port(scalar->text, kSentinelPort);
    if (const auto* refusal = std::get_if<Refusal>(&address)) {
      reading.wrong(*scalar, refusal->text);
    } else {
      out.push_back(std::get<HostPort>(std::move(address)));
    }
  }
  if (node->kind == Node::Kind::list && node->items.empty()) {
    reading.wrong(node->place, path, "no sentinel; write at least one, as [127.0.0.1:26379]");
  }
}

void decode_sentinel(Section& redis_section, Redis& redis) {
  if (!redis_section.has("sentinel")) return;
  Section section(redis_section.reading(), redis_section.find("sentinel"), "redis.sentinel",
                  "redis.sentinel");
  section.refuse_unknown_keys();
  if (section.require("addresses", "write addresses: [127.0.0.1:26379]")) {
    read_sentinel(section, redis.sentinels);
  }
  section.read_name("name", redis.sentinel_name);
  section.read_text("username", redis.sentinel_username);
  if (read_secret(section, "password", redis.sentinel_password)) {
    section.read_text("password_file", redis.sentinel_password_file);
  }
  check_username(section, redis.sentinel_username, redis.sentinel_password);
}

// Sentinel and Cluster each find the server that holds the keys, in ways of their own.
void decode_servers(Section& section, Redis& redis) {
  Reading& reading = section.reading();
  decode_sentinel(section, redis);
  section.read_boolean("cluster", redis.cluster);
  section.read_whole("wait_replicas", redis.wait_replicas, kReplicas);
  if (!redis.cluster) return;
  if (redis.host.starts_with('/')) {
    reading.wrong(section.place_of("cluster"), section.path_of("cluster"),
                  "the nodes of a cluster are reached over TCP; write a redis:// URL");
  }
  if (section.has("sentinel")) {
    reading.wrong(section.place_of("cluster"), section.path_of("cluster"),
                  "stands beside sentinel, but a cluster looks after its own primaries; keep one "
                  "of them");
  }
  if (redis.database != 0) {
    reading.wrong(section.place_of("url"), section.path_of("url"),
                  "names database " + std::to_string(redis.database) +
                      ", but a cluster has only 0; leave the number out");
  }
}

// `sound`: what the URL says of TLS is known.
void decode_tls(Section& section, Redis& redis, bool sound) {
  Reading& reading = section.reading();
  const std::pair<std::string_view, std::string*> texts[] = {{"ca_file", &redis.ca_file},
                                                             {"cert_file", &redis.cert_file},
                                                             {"key_file", &redis.key_file},
                                                             {"server_name", &redis.server_name}};
  for (const auto& [name, text] : texts) {
    section.read_text(name, *text);
    if (text->empty() || !sound || redis.tls) continue;
    reading.wrong(section.place_of(name), section.path_of(name),
                  "means nothing without TLS; write a rediss:// URL, or leave it out");
  }
  if (redis.cert_file.empty() == redis.key_file.empty()) return;
  const bool certificate = redis.key_file.empty();
  const std::string_view name = certificate ? "cert_file" : "key_file";
  reading.wrong(section.place_of(name), section.path_of(name),
                std::string("stands alone; write ") + (certificate ? "key_file" : "cert_file") +
                    " beside it");
}

}  // namespace

void decode_redis(Section& top, Redis& redis) {
  Section section(top.reading(), top.find("redis"), "redis", "redis");
  section.refuse_unknown_keys();
  const auto parse = [&](const Scalar& s) { return parse_redis_url(s.text, redis); };
  const Node* url = section.find("url");
  const bool secret = url != nullptr && may_hold_secret(url->text);
  const bool sound = section.read("url", redis, parse, secret) || url == nullptr;
  decode_login(section, redis);
  decode_servers(section, redis);
  section.read_name("namespace", redis.name_space);
  section.read_duration("timeout", redis.timeout, kTimeout);
  decode_tls(section, redis, sound);
}

}  // namespace einlass::config
