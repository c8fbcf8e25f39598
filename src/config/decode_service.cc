#include "config/decode.h"
#include "config/names.h"

namespace einlass::config {
namespace {

constexpr Bounds<Duration> kDrainTimeout{{0}, Duration::seconds(3600)};
constexpr Bounds<std::int64_t> kInstances{1, 10'000};
constexpr Bounds<std::int64_t> kShards{1, 64};
constexpr Bounds<Duration> kWatchdog{Duration::seconds(1), Duration::seconds(3600)};
constexpr Bounds<std::int64_t> kRecords{1, 10'000'000};
constexpr Bounds<Bytes> kBytes{{1 << 10}, {std::int64_t{1} << 40}};

void decode_instance(Section& top, const Environment& environment, std::string& instance) {
  if (top.has("instance")) {
    top.read_name("instance", instance);
    return;
  }
  const auto host = environment("HOSTNAME");
  if (!host || host->empty()) return;
  const auto name = parse_kafka_name({*host, {}, "", false, Scalar::Shown::no_variable});
  if (refused(name)) {
    top.reading().wrong({}, "instance",
                        "HOSTNAME cannot be this gate's name; write instance: NAME with the "
                        "characters a-z A-Z 0-9 . _ -");
  } else {
    instance = *host;
  }
}

// Each part of what is split must be as large as the whole may be at least.
void refuse_unsplit(Section& top, const Config& config, const std::string& option,
                    std::int64_t parts) {
  if (parts >= config.shards) return;
  top.reading().wrong(top.place_of("shards"), "shards",
                      "'" + std::to_string(config.shards) + "' is too many for " + option +
                          ", which is split between the shards; write at most " +
                          std::to_string(parts) + ", or raise that");
}

// As often asked for as not: 0 is for never, and less than a second would be a mistake.
Parsed<Duration> parse_watchdog(const Scalar& scalar) {
  const auto duration = parse_duration(scalar.text, {{0}, kWatchdog.most});
  if (refused(duration) || std::get<Duration>(duration) == Duration{}) return duration;
  return parse_duration(scalar.text, kWatchdog);
}

Parsed<std::string> parse_level(const Scalar& scalar) {
  const auto choice = parse_choice(scalar.text, {"info", "warning", "error"});
  if (refused(choice)) return std::get<Refusal>(choice);
  return scalar.text;
}

}  // namespace

void decode_inside(Section& parent, std::string_view table, Bounds<std::int64_t> records,
                   Bounds<Bytes> bytes, Inside& inside) {
  Section section(parent.reading(), parent.find("inside"), parent.path_of("inside"), table);
  section.refuse_unknown_keys();
  section.read_whole("records", inside.records, records);
  section.read_size("bytes", inside.bytes, bytes);
}

void decode_service(Section& top, const Environment& environment, Config& config) {
  decode_instance(top, environment, config.instance);
  top.read_whole("shards", config.shards, kShards);
  top.read_whole("instances", config.instances, kInstances);
  top.read_duration("drain_timeout", config.drain_timeout, kDrainTimeout);
  top.read("watchdog", config.watchdog, parse_watchdog);
  decode_inside(top, "inside", kRecords, kBytes, config.inside);

  Section log(top.reading(), top.find("log"), "log", "log");
  log.refuse_unknown_keys();
  log.read("level", config.log_level, parse_level);

  decode_admin(top, config.admin);
}

void check_shards(Section& top, const Config& config) {
  refuse_unsplit(top, config, "inside.records", config.inside.records);
  refuse_unsplit(top, config, "inside.bytes", config.inside.bytes.value / kBytes.least.value);
  for (const Target& target : config.targets) {
    refuse_unsplit(top, config, "targets." + target.name + "." + target.kind() + ".max_in_flight",
                   static_cast<std::int64_t>(target.max_in_flight()));
  }
}

}  // namespace einlass::config
