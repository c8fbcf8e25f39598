#include <algorithm>
#include <optional>

#include "config/decode.h"
#include "config/names.h"
#include "config/suggest.h"
#include "limits/refusal.h"

namespace einlass::config {
namespace {

constexpr Bounds<std::int64_t> kPermits{1, 1'000'000'000};
constexpr Bounds<std::int64_t> kLogPermits{1, limits::kMostLogEntries};
constexpr Bounds<Duration> kWindow{{1}, Duration::seconds(366 * 86'400)};
constexpr Bounds<Duration> kHorizon{{0}, Duration::seconds(3600)};
// A permit must be given back while its limiter still knows what it is worth.
constexpr Bounds<Duration> kUseWithin{{1}, Duration::seconds(5)};

enum class Algorithm { sliding_log, token_bucket };

const std::vector<std::string_view> kAlgorithms = {"sliding_log", "token_bucket"};
const std::vector<std::string_view> kLaterAlgorithms = {"fixed_window", "counter", "sliding_window",
                                                        "leaky_bucket", "smooth",  "concurrency"};

bool is_in(std::string_view text, const std::vector<std::string_view>& texts) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

Parsed<Algorithm> parse_algorithm(const Scalar& scalar) {
  if (is_in(scalar.text, kLaterAlgorithms)) {
    return Refusal{"is not in this version; use sliding_log or token_bucket"};
  }
  const auto choice = parse_choice(scalar.text, kAlgorithms);
  if (refused(choice)) return std::get<Refusal>(choice);
  return static_cast<Algorithm>(std::get<std::size_t>(choice));
}

Parsed<Store> parse_store(const Scalar& scalar) {
  const auto choice = parse_choice(scalar.text, {"memory", "redis"});
  if (refused(choice)) return std::get<Refusal>(choice);
  return static_cast<Store>(std::get<std::size_t>(choice));
}

// RFC 6901: each part begins with a slash; a tilde is written ~0 and a slash ~1.
bool is_json_pointer(std::string_view text) {
  if (!text.starts_with('/')) return false;
  for (std::size_t at = 0; (at = text.find('~', at)) != text.npos; ++at) {
    if (at + 1 == text.size() || (text[at + 1] != '0' && text[at + 1] != '1')) return false;
  }
  return true;
}

Parsed<KeySource> parse_key(const Scalar& scalar) {
  using Kind = KeySource::Kind;
  const std::string_view text = scalar.text;
  static const std::vector<std::string_view> kKinds = {"none", "record_key", "topic", "partition"};
  const auto kind = std::find(kKinds.begin(), kKinds.end(), text);
  if (kind != kKinds.end()) return KeySource{static_cast<Kind>(kind - kKinds.begin()), ""};
  const std::size_t colon = text.find(':');
  const std::string name(colon == text.npos ? "" : text.substr(colon + 1));
  if (text.starts_with("header:")) {
    if (name.empty()) return Refusal{"names no header; write header:NAME"};
    return KeySource{Kind::header, name};
  }
  if (text.starts_with("json:")) {
    if (is_json_pointer(name)) return KeySource{Kind::json, name};
    return Refusal{"is not a JSON pointer; write json:/field, or json:/outer/inner"};
  }
  return Refusal{"is not a key; " +
                 suggestion(text, kKinds)
                     .value_or("write none, record_key, topic, partition, header:NAME or "
                               "json:/pointer")};
}

Parsed<std::int64_t> parse_cost(const Scalar& scalar) {
  const std::string_view text = scalar.text;
  if (text == "bytes" || text.starts_with("header:") || text.starts_with("json:")) {
    return Refusal{"is not in this version; write a whole number, as 1"};
  }
  return parse_whole(text, kPermits);
}

Parsed<bool> parse_on_outage(const Scalar& scalar) {
  if (scalar.text == "hold") return true;
  if (scalar.text == "pass" || scalar.text == "local_share") {
    return Refusal{"is not in this version; write hold, or leave it out"};
  }
  return Refusal{"is not known here; write hold"};
}

// Says that parameters of another algorithm mean nothing here.
bool refuse_parameters(Section& section, const std::vector<std::string_view>& names,
                       std::string_view advice) {
  bool sound = true;
  for (const std::string_view name : names) {
    if (!section.has(name)) continue;
    section.reading().wrong(section.place_of(name), section.path_of(name), std::string(advice));
    sound = false;
  }
  return sound;
}

using Parameters = std::optional<limits::Parameters>;

Parameters decode_sliding_log(Section& section) {
  std::int64_t limit = 0;
  Duration window;
  bool sound = refuse_parameters(section, {"rate", "burst"},
                                 "belongs to token_bucket; sliding_log takes limit and window");
  sound &= section.require("limit", "write limit: 100") &&
           section.read_whole("limit", limit, kLogPermits);
  sound &= section.require("window", "write window: 1s") &&
           section.read_duration("window", window, kWindow);
  if (!sound) return std::nullopt;
  return limits::SlidingLogParameters{Permits{limit}, window};
}

Parameters decode_token_bucket(Section& section) {
  limits::Rate rate;
  std::int64_t burst = 0;
  const auto parse = [](const Scalar& s) { return parse_rate(s.text); };
  bool sound = refuse_parameters(section, {"limit", "window"},
                                 "belongs to sliding_log; token_bucket takes rate and burst");
  sound &= section.require("rate", "write rate: 100/s") && section.read("rate", rate, parse);
  sound &=
      section.require("burst", "write burst: 100") && section.read_whole("burst", burst, kPermits);
  if (!sound) return std::nullopt;
  return limits::TokenBucketParameters{rate, Permits{burst}};
}

// A cost that the limit can never pay, and numbers that cannot be counted exactly.
bool check_parameters(Section& section, const limits::Limit& limit) {
  const bool log = std::holds_alternative<limits::SlidingLogParameters>(limit.parameters);
  const Permits most = log ? std::get<limits::SlidingLogParameters>(limit.parameters).limit
                           : std::get<limits::TokenBucketParameters>(limit.parameters).burst;
  std::string_view name = "cost";
  std::optional<std::string> trouble = limits::refusal(limit.parameters, limit.cost);
  if (limit.cost > most) {
    trouble = "'" + std::to_string(limit.cost.value) + "' is more than " +
              (log ? "limit" : "burst") + " (" + std::to_string(most.value) +
              "), so nothing would ever be delivered";
  } else if (trouble && !trouble->starts_with(name)) {
    name = log ? "limit" : "burst";
  }
  if (!trouble) return true;
  section.reading().wrong(section.place_of(name), section.path_of(name), std::move(*trouble));
  return false;
}

// True if there was nothing wrong with the limit.
bool decode_limit(Section& section, Limit& limit) {
  Algorithm algorithm{};
  bool sound = section.require("algorithm", "write sliding_log or token_bucket");
  const bool known = sound && section.read("algorithm", algorithm, parse_algorithm);
  // The parameters of an algorithm that we do not have are not known here either.
  if (known || !section.has("algorithm")) section.refuse_unknown_keys();
  std::int64_t cost = 1;
  bool holds = true;
  sound &= section.read("store", limit.store, parse_store) || !section.has("store");
  sound &= section.read("key", limit.key, parse_key) || !section.has("key");
  sound &= section.read("cost", cost, parse_cost) || !section.has("cost");
  limit.limit.cost = Permits{cost};
  section.read_duration("horizon", limit.horizon, kHorizon);
  section.read_duration("use_within", limit.use_within, kUseWithin);
  section.read("on_outage", holds, parse_on_outage);
  if (!known) return false;
  const Parameters parameters = algorithm == Algorithm::sliding_log ? decode_sliding_log(section)
                                                                    : decode_token_bucket(section);
  if (!parameters) return false;
  limit.limit.parameters = *parameters;
  return sound && check_parameters(section, limit.limit);
}

}  // namespace

Sound decode_limits(Section& top, std::vector<Limit>& limits) {
  Reading& reading = top.reading();
  Sound sound;
  for (const Entry* entry : map_entries(reading, top.find("limits"), "limits")) {
    const std::string path = below("limits", entry->name);
    refuse_bad_key(reading, *entry, path);
    Limit& limit = limits.emplace_back();
    limit.limit.name = entry->name;
    Section section(reading, entry->value, path, "limits.NAME");
    sound.push_back(decode_limit(section, limit));
  }
  return sound;
}

}  // namespace einlass::config
