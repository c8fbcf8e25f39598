// redis: one server, or those that Sentinels or a cluster name.
#include "config/model/address.h"
#include "config/tables/tables.h"

namespace einlass::config {
namespace {

constexpr std::uint16_t kPort = 6379;
constexpr std::uint16_t kSentinelPort = 26379;
constexpr std::size_t kMostSentinels = 100;
constexpr std::size_t kMostSocketPath = 107;       // What the kernel takes: unix(7).
constexpr std::int64_t kMostDatabase = 1'000'000;  // Servers allow 16 by default.

const Refusal kNotAUrl{
    "is not a Redis URL; write redis://[user:password@]HOST[:PORT][/DATABASE], rediss:// for TLS, "
    "or unix:///PATH[?db=DATABASE]"};

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
  if (!url->login) return redis;
  const auto login = split_login(*url->login);
  if (!login) {
    return Refusal{
        "has a login that is not percent-encoded as URLs are; use username and password"};
  }
  redis.username = login->username;
  redis.password.value = login->password;
  return redis;
}

void read_url(Section& section, Redis& redis) {
  section.read_url(redis, [&](const Scalar& s) { return parse_redis_url(s.text, redis); });
  if (redis.username.empty() && redis.password.value.empty()) return;
  for (const std::string_view login : {"username", "password", "password_file"}) {
    if (section.has(login)) {
      return section.wrong(login, "the URL has a login too; keep one of them");
    }
  }
}

// Without its login.
void print_url(PrintedPage& page, const Redis& redis) {
  const std::string database = std::to_string(redis.database);
  if (redis.host.starts_with('/')) {
    return page.text("unix://" + percent_encoded(redis.host) + "?db=" + database);
  }
  page.text((redis.tls ? "rediss://" : "redis://") + to_text(HostPort{redis.host, redis.port}) +
            "/" + database);
}

// A name without a password is no login.
void check_login(Section& section, const std::string& username, const FileSecret& password) {
  const bool given = section.has(section.written_as("password"));
  if (username.empty() || !password.value.empty() || given) return;
  section.reading().wrong(section.position_of(section.has("username") ? "username" : "url"),
                          section.path_of("username"),
                          "has no password beside it; write password_file");
}

void read_sentinels(Section& section, Sentinel& sentinel) {
  const auto take = [&](const Scalar& item) {
    auto address = parse_host_port(item.text, kSentinelPort);
    if (const auto* refusal = std::get_if<Refusal>(&address)) return refusal->text;
    sentinel.addresses.push_back(std::get<HostPort>(std::move(address)));
    return std::string();
  };
  section.read_list(kMostSentinels, take, "no sentinel; write at least one, as [127.0.0.1:26379]");
}

void print_sentinels(PrintedPage& page, const Sentinel& sentinel) {
  std::vector<std::string> addresses;
  for (const HostPort& address : sentinel.addresses) addresses.push_back(to_text(address));
  page.list(addresses);
}

void check_sentinel(Section& section, Sentinel& sentinel) {
  check_login(section, sentinel.username, sentinel.password);
}

const Rows<Sentinel> kSentinel = {
    {"addresses",
     custom<Sentinel>(Kind::list, "list of HOST:PORT", read_sentinels, print_sentinels)
         .required("[127.0.0.1:26379]"),
     "The Sentinels, or some of them; port 26379 may be left out."},
    {"name", name(&Sentinel::name), "The Sentinels' name for the primary."},
    {"username", text(&Sentinel::username), "The user to log in as at the Sentinels."},
    {"password", password(&Sentinel::password), "The Sentinels' password."},
    {"password_file", secret_file<Sentinel>(),
     "A file that holds that password; read for each new connection."},
};

// Sentinel and Cluster each find the server that holds the keys, in ways of their own.
void check_cluster(Section& section, const Redis& redis) {
  if (redis.host.starts_with('/')) {
    section.wrong("cluster", "the nodes of a cluster are reached over TCP; write a redis:// URL");
  }
  if (section.has("sentinel")) {
    section.wrong("cluster",
                  "stands beside sentinel, but a cluster looks after its own primaries; keep one "
                  "of them");
  }
  if (redis.database != 0) {
    section.wrong("url", "names database " + std::to_string(redis.database) +
                             ", but a cluster has only 0; leave the number out");
  }
}

Field<Redis> of_tls(Field<Redis> field) {
  return std::move(field).only_where(
      [](const Redis& redis) { return redis.tls; }, {"url"},
      "means nothing without TLS; write a rediss:// URL, or leave it out");
}

}  // namespace

const Rows<Redis> kRedis = {
    {"url", custom<Redis>(Kind::text, "redis://, rediss:// or unix:// URL", read_url, print_url),
     "The server, as `redis://[user:password@]HOST[:PORT][/DATABASE]`; `rediss` for TLS; "
     "`unix:///PATH[?db=DATABASE]` for a Unix socket."},
    {"username", text(&Redis::username), "The user to log in as, if not in the URL."},
    {"password", password(&Redis::password), "The password, if not in the URL."},
    {"password_file", secret_file<Redis>(),
     "A file that holds the password; read for each new connection."},
    {"namespace", name(&Redis::name_space),
     "Prefix of every key. Limits, targets and quotas of the same name in one namespace are one: "
     "give each fleet its own."},
    {"timeout", duration(&Redis::timeout, millis(1), seconds(60)),
     "A call that is not answered in this time counts as an outage."},
    {"ca_file", of_tls(path(&Redis::ca_file)),
     "CA certificates to trust instead of the system's; only with `rediss`. This file and the next "
     "two are read for each new connection."},
    {"cert_file", of_tls(path(&Redis::cert_file)),
     "Client certificate with its chain; only with `rediss`."},
    {"key_file", of_tls(path(&Redis::key_file)), "The key to `cert_file`."},
    {"server_name", of_tls(text(&Redis::server_name)),
     "Name that the server's certificate must have, if not the URL's host; only with `rediss`."},
    {"sentinel", section(&Redis::sentinel, kSentinel, check_sentinel),
     "Ask these Sentinels which server is the primary; of `url` only TLS, the login and the "
     "database are then used."},
    {"cluster", truth(&Redis::cluster),
     "The servers are a Redis Cluster, and `url` is one of its nodes."},
    {"wait_replicas", number(&Redis::wait_replicas, 0, 100),
     "A permit counts only once this many replicas have it, so that a failover loses none."},
};

void check_redis(Section& section, Redis& redis) {
  if (section.sound({"username"})) check_login(section, redis.username, redis.password);
  if (redis.cluster) check_cluster(section, redis);
  if (redis.cert_file.empty() == redis.key_file.empty()) return;
  const bool certificate = redis.key_file.empty();
  section.wrong(certificate ? "cert_file" : "key_file",
                std::string("stands alone; write ") + (certificate ? "key_file" : "cert_file") +
                    " beside it");
}

}  // namespace einlass::config
