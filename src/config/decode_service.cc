#include "config/address.h"
#include "config/decode.h"
#include "config/names.h"

namespace einlass::config {
namespace {

constexpr Bounds<Duration> kDrainTimeout{{0}, Duration::seconds(3600)};
constexpr Bounds<std::int64_t> kInstances{1, 10'000};
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

Parsed<int> parse_shards(const Scalar& scalar) {
  const auto number = parse_whole(scalar.text, {1, 1024});
  if (refused(number)) return std::get<Refusal>(number);
  if (std::get<std::int64_t>(number) == 1) return 1;
  return Refusal{"is not in this version, which runs one shard; write 1 and start more gates"};
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
  top.read("shards", config.shards, parse_shards);
  std::int64_t instances = 0;
  if (top.read_whole("instances", instances, kInstances)) {
    config.instances = static_cast<int>(instances);
  }
  top.read_duration("drain_timeout", config.drain_timeout, kDrainTimeout);
  decode_inside(top, "inside", kRecords, kBytes, config.inside);

  Section log(top.reading(), top.find("log"), "log", "log");
  log.refuse_unknown_keys();
  log.read("level", config.log_level, parse_level);

  Section admin(top.reading(), top.find("admin"), "admin", "admin");
  admin.refuse_unknown_keys();
  HostPort listen;
  const auto parse = [](const Scalar& s) { return parse_host_port(s.text, std::nullopt); };
  if (admin.read("listen", listen, parse)) {
    config.admin = {std::move(listen.host), listen.port};
  }
}

}  // namespace einlass::config
