// The top of the file, and what is of the gate itself: its bounds, its log, its admin pages.
#include "config/options/route_topics.h"
#include "config/tables/tables.h"
#include "text/ascii.h"

namespace einlass::config {
namespace {

const Rows<Inside> kInside = all_live<Inside>({
    {"records", number(&Inside::records, 1, 10'000'000), "Records of all partitions together."},
    {"bytes", size(&Inside::bytes, kLeastInside, {std::int64_t{1} << 40}),
     "Memory that the records of all partitions use together."},
});

const Rows<Log> kLog = all_live<Log>({
    {"level", choice(&Log::level, {"debug", "info", "warning", "error"}),
     "Lowest severity that is logged. `debug` adds each step of the records, summarised."},
    {"format", choice(&Log::format, {"logfmt", "json"}),
     "How a line is written: `key=value` pairs, or a JSON object with the same keys."},
});

const Rows<AdminTls> kTls = {
    {"cert_file", path(&AdminTls::cert_file).required("PATH"),
     "Certificate with its chain, PEM; read again when it changes."},
    {"key_file", path(&AdminTls::key_file).required("PATH"),
     "Private key, PEM, without a passphrase; read again when it changes."},
};

void check_tls(Section& section, AdminTls& tls) {
  for (const auto& [name, file] :
       {std::pair("cert_file", tls.cert_file), std::pair("key_file", tls.key_file)}) {
    if (section.sound({name}) && file.empty()) section.wrong(name, "names no file");
  }
}

// What fits into the head of a request, with Basic too.
constexpr std::size_t kLongestToken = 4096;

std::string trouble_with_token(const std::string& token) {
  if (token.empty()) {
    return "is empty, and would keep nobody out; leave it out if everybody may see the pages";
  }
  if (token.size() > kLongestToken) return "is longer than 4096 characters";
  if (is_visible(token)) return "";
  return "has a blank, a line break or another character that no token may have";
}

Parsed<HostPort> parse_listen(const Scalar& scalar) {
  return parse_host_port(scalar.text, std::nullopt);
}

const Rows<Admin> kAdmin = {
    {"listen",
     value(Kind::text, "HOST:PORT", &Admin::listen, parse_listen,
           [](const HostPort& address) { return to_text(address); }),
     "Address of the admin server: the live page, `/metrics`, `/healthz`, `/readyz` and "
     "`/v1/status`."},
    {"token", secret(&Admin::token, trouble_with_token).live(),
     "Token that all pages except `/healthz` and `/readyz` require, as a Bearer token or as the "
     "Basic password."},
    {"token_file", secret_file<Admin>().live(),
     "A file that holds it; read again when it changes."},
    {"tls", section(&Admin::tls, kTls, check_tls), "Serve these pages over TLS only."},
};

void take_name_of_host(Section& top, std::string& instance) {
  const auto host = top.reading().environment()("HOSTNAME");
  if (!host || host->empty()) return;
  const auto name = parse_kafka_name({*host, {}, "", false, Scalar::Shown::no_variable});
  if (!refused(name)) {
    instance = *host;
    return;
  }
  top.reading().wrong({}, "instance",
                      "HOSTNAME cannot be this gate's name; write instance: NAME with the "
                      "characters a-z A-Z 0-9 . _ -");
}

// Each part of what is split must be as large as the whole may be at least.
void refuse_unsplit(Section& top, const Config& config, const std::string& option,
                    std::int64_t parts) {
  if (parts >= config.shards) return;
  top.wrong("shards", "'" + std::to_string(config.shards) + "' is too many for " + option +
                          ", which is split between the shards; write at most " +
                          std::to_string(parts) + ", or raise that");
}

const Rows<Quotas> kQuotas = {
    {"topic", name(&Quotas::topic),
     "A compacted topic of the same brokers: key `LIMIT/KEY`, value JSON. It is read from its "
     "beginning at the start, and followed."},
    {"redis", truth(&Quotas::redis), "Keep them in a hash of the Redis in `redis` instead."},
};

void check_quotas(Section& section, Quotas& quotas) {
  if (!section.sound()) return;
  if (quotas.redis && !quotas.topic.empty()) {
    section.wrong("redis", "stands beside topic; keep one of them");
  }
  if (!quotas.redis) section.require("topic", "write topic: NAME, or redis: true");
}

// What else would be done with the topic; empty: nothing. A pattern passes it over by itself.
std::string other_use_of(const std::string& topic, const Config& config) {
  for (const Route& route : config.routes) {
    if (reads(route, topic)) return "is also read by route " + route.name;
    if (route.dead_letter == topic) return "is also the dead_letter of route " + route.name;
  }
  for (const Target& target : config.targets) {
    if (on_the_same_cluster(config.kafka, target) && target.kafka()->topic == topic) {
      return "is also written by target " + target.name;
    }
  }
  return "";
}

// Its records are quotas to every gate, and Kafka keeps only the newest of a key.
void refuse_shared_topic(Section& top, const Config& config) {
  if (!config.quotas || config.quotas->topic.empty()) return;
  const std::string& topic = config.quotas->topic;
  const std::string use = other_use_of(topic, config);
  if (use.empty()) return;
  top.opened("quotas").wrong(
      "topic", in_quotes(topic) + " " + use + "; give the quotas a topic of their own");
}

// A wrong number is not a missing one too, to limits that need one.
void take_for_written(Section& section, Config& config) {
  if (section.find() != nullptr && config.instances == 0) config.instances = 1;
}

}  // namespace

void check_config(Section& top, Config& config) {
  refuse_shared_topic(top, config);
  if (!top.has("instance")) take_name_of_host(top, config.instance);
  refuse_unsplit(top, config, "inside.records", config.inside.records);
  refuse_unsplit(top, config, "inside.bytes", config.inside.bytes.value / kLeastInside.value);
  for (const Target& target : config.targets) {
    refuse_unsplit(top, config,
                   "targets." + target.name + "." + target.kind_name() + ".max_in_flight",
                   static_cast<std::int64_t>(target.max_in_flight()));
  }
}

const Rows<Config> kConfig = {
    {"instance", name(&Config::instance).defaults_to("see text"),
     "This gate's name, unique in the fleet. Default: the host's name (`HOSTNAME`), or `gate-1` if "
     "there is none."},
    {"shards", number(&Config::shards, 1, 64),
     "Threads, each with its own consumer and connections; `max_in_flight` and the gate's `inside` "
     "are divided among them."},
    {"instances", number(&Config::instances, 1, 10'000).live().then(take_for_written),
     "The number of gates that share the limits, by which `on_outage: local_share` divides; not to "
     "be confused with `instance`, this gate's name."},
    {"drain_timeout", duration(&Config::drain_timeout, {}, hours(1)).live(),
     "How long a stopping gate waits for attempts that are in flight. Records that wait are given "
     "back to Kafka at once."},
    {"watchdog", duration_or_never(&Config::watchdog, seconds(1), hours(1)).live(),
     "Exit with status 1, so that the supervisor restarts the process, when an event loop has been "
     "stuck this long; 0 = never."},
    {"inside", section(&Config::inside, kInside),
     "The most that may be in the gate, over all partitions."},
    {"log", section(&Config::log, kLog), "The log on stderr."},
    {"admin", section(&Config::admin, kAdmin), "The server for metrics, health and status."},
    {"kafka", section(&Config::kafka, kKafka, check_kafka), "Where records come from."},
    {"redis", section(&Config::redis, kRedis, check_redis),
     "Where limits with `store: redis` are kept."},
    {"quotas", section(&Config::quotas, kQuotas, check_quotas),
     "Where the fleet's quotas by key and its pauses are kept, which `einlass quota` and `einlass "
     "pause` write."},
    {"tracing", section(&Config::tracing, kTracing), "Where spans of traced records are sent."},
    {"shares", by_name(&Config::shares, kShare),
     "How records divide a limit by weight and level, each under a name of your own."},
    {"limits", by_name(&Config::limits, kLimit, check_limit).then(add_bursts),
     "The limits, each under a name of your own."},
    {"targets",
     by_name(&Config::targets, kTarget, check_target)
         .required("write at least one, as targets: {NAME: {http: {url: ...}}}"),
     "The targets, each under a name of your own."},
    {"routes",
     list_of("list", &Config::routes, 1'000, kRoute, check_route, "no route; write at least one")
         .required("write at least one, with name, topics and target")
         .then(check_ways),
     "Which topics go to which target, under which limits."},
};

}  // namespace einlass::config
