// The tables of options against everything else that knows options.
#include "config/tables/options.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <set>

#include "config/file/changes.h"
#include "config/model/reading.h"
#include "config/tables/print_config.h"
#include "config/tables/schema.h"
#include "unit/config/files.h"
#include "unit/config/wrong_config.h"

namespace einlass::config::options_test {
namespace {

std::optional<Config> read(const std::string& text) {
  auto result = parse_config(text, "F", test_environment);
  auto* config = std::get_if<Config>(&result);
  if (config == nullptr) return std::nullopt;
  return std::move(*config);
}

std::string name_of(const Option& option) { return below(option.section, option.name); }

// Writes the value to where the path leads, through the first item of each list and of each map
// whose names are the user's. False where there is none.
bool put(YAML::Node node, std::string_view path, const std::string& value) {
  const std::string name(path.substr(0, path.find('.')));
  const std::string_view rest = path.substr(std::min(path.size(), name.size() + 1));
  const bool list = name.ends_with("[]");
  if (rest.empty()) {
    if (name.ends_with("_file")) node.remove(name.substr(0, name.size() - 5));
    node[name] = YAML::Load(value);
    return true;
  }
  YAML::Node below = name == "NAME" ? (node.size() > 0 ? node.begin()->second : YAML::Node())
                     : list         ? node[name.substr(0, name.size() - 2)]
                                    : node[name];
  if (list && below.IsSequence()) return put(below[0], rest, value);
  if (!below.IsDefined() || !below.IsMap()) return false;
  return put(below, rest, value);
}

// A file with that option written, too; empty where its section is not there.
std::string with(const std::string& text, const Option& option, const std::string& value) {
  YAML::Node file = YAML::Load(text);
  return put(file, name_of(option), value) ? YAML::Dump(file) : "";
}

std::string with_http(const std::string& text, const std::string& url = "https://h/") {
  return targets("{t: {http: {url: '" + url + "', " + text + "}, retry: {}, breaker: {}}}");
}

// For a key, and for a time of the week.
std::string others(const std::string& numbers) {
  return "overrides: {k: {" + numbers + "}}, schedule: {'08:00-18:00 Mon UTC': {" + numbers + "}}";
}

// Files in one of which each option may stand.
const std::vector<std::string>& files() {
  static const std::string kSections =
      "inside: {}\nlog: {}\nadmin: {tls: {cert_file: /a, key_file: /b}}\n"
      "kafka: {oauth: {token_url: https://h/, client_id: a, client_secret: b}}\n"
      "redis: {url: rediss://h/, cert_file: /a, key_file: /b, username: a, password: b,\n"
      "  sentinel: {addresses: [h], username: a, password: b}}\n"
      "tracing: {url: https://h/x}\nquotas: {topic: q}\n"
      "shares: {s: {by: topic, levels: {by: record_key, names: [a, b]}}}\n"
      "instances: 3\n";
  static const TemporaryFile kUrl{"http://h/x"};
  static const std::vector<std::string> kFiles = {
      targets("{t: {http: {url_file: " + kUrl.path() + "}}}"),
      kSections + log_limit("store: redis, key: topic, " + others("limit: 9")),
      "redis: {}\n" + log_limit("cost: header:c"),
      limit("algorithm: fixed_window, limit: 9, window: 1s, key: topic, " + others("limit: 8")),
      limit("algorithm: sliding_window, limit: 9, window: 1s, key: topic, " + others("limit: 8")),
      limit("algorithm: leaky_bucket, rate: 1/s, capacity: 1, key: topic, " +
            others("capacity: 3")),
      limit("algorithm: smooth, rate: 1/s, burst: 1, key: topic, " + others("burst: 3")),
      limit("algorithm: smooth, rate: 1/s, warm_up: 9s, key: topic, " + others("rate: 2/s")),
      limit("algorithm: token_bucket, rate: 1/s, burst: 1, key: topic, " + others("burst: 3")),
      limit("algorithm: concurrency, limit: 1, lease: 1m, key: topic, " + others("limit: 3")),
      kafka("topic: b, oauth: {token_url: https://h/, client_id: a, client_secret: b}"),
      kafka("topic: b"),
      "kafka: {security: aws_msk_iam}\n" + kafka("topic: b, brokers: h, security: aws_msk_iam"),
      with_http("cert_file: /a, key_file: /b, auth: {basic: {username: a, password: b}}"),
      with_http("auth: {bearer: a}, sign: {secret: whsec_b}"),
      with_http("auth: {oauth2: {token_url: http://h/, client_id: a, client_secret: b}}"),
      with_http("by_body: [{json: /a, equals: b, then: retry}]"),
      with_http("batch: {}"),
      with_http("allow_hosts: [a]", "https://{key}/{key}"),
      targets("{t: {http: {urls: [http://h/]}}}"),
      route("filter: [{by: topic, equals: z}]"),
      kLimits +
          routes("[{name: r, topics: [a], target: t, filter: [{by: topic, in: [z]}], else: s}, "
                 "{name: s, topics: [b], target: t}, {name: other, topics: [c], target: t}]"),
      route("filter: [{by: topic, in: [z]}]"),
      route("filter: [{by: topic, not_in: [z]}]"),
      route("filter: [{by: topic, exists: true}]"),
      route("dead_letter: d, not_before: 'header:n', expires: 'header:e'"),
      "shares: {s: {}}\ntargets: {t: {http: {url: http://h/}}, other: {http: {url: http://i/}}}\n" +
          kLimits +
          "routes: [{name: r, topics: [a], target: t, order: key, dead_letter: d, retry: {}, "
          "inside: {}}]\n",
  };
  return kFiles;
}

// What options of the kind NAME_file name.
struct Files {
  TemporaryFile secret{"whsec_other"};
  TemporaryFile proxy{"http://p:1"};
  TemporaryFile url{"https://h/p/q"};
};

// Values that an option may have, by its kind and by what it is called.
std::vector<std::string> samples(const Option& option, const Files& files) {
  const std::string name(option.name);
  const bool pem = name == "ca_file" || name == "cert_file" || name == "key_file";
  if (name == "proxy_file") return {files.proxy.path()};
  if (name == "url_file") return {files.url.path()};
  if (name.ends_with("_file") && !pem) return {files.secret.path()};
  switch (option.kind) {
    case OptionTraits::Kind::duration:
      return {"7ms", "700ms", "7s", "7m"};
    case OptionTraits::Kind::size:
      return {"7KiB", "7MiB"};
    case OptionTraits::Kind::rate:
      return {"7/13s"};
    case OptionTraits::Kind::share:
      return {"7%"};
    case OptionTraits::Kind::number:
      return {"7", "2"};
    case OptionTraits::Kind::truth:
      return {"true", "false"};
    case OptionTraits::Kind::choice:
      return {option.choices.begin(), option.choices.end()};
    case OptionTraits::Kind::secret:
      return {"whsec_hush", "hush"};
    case OptionTraits::Kind::map:
      return {"{X-A: b}", "{acme: 7}", "{a.b: c}"};
    case OptionTraits::Kind::list:
    case OptionTraits::Kind::list_or_text:
      return {"[c, d]", "[l]", "[X-A]", "['http://a/', 'http://b/']", "[202]", "['h:1', 'i:2']"};
    case OptionTraits::Kind::text:
      return {"other", "t", "s",     "header:x",   "/p/q",          "PUT",          "text/csv",
              "'h:1'", "7", "topic", "http://p:1", "https://h/p/q", "redis://h:1/2"};
    default:
      return {};
  }
}

bool prints_all(const Config& config) {
  return print_config(config).find("***") == std::string::npos;
}

// What the gate knows of a Kafka target's cluster is printed as if it had been written.
Config as_if_written(Config config) {
  for (Target& target : config.targets) {
    auto* kafka = std::get_if<KafkaTarget>(&target.kind);
    if (kafka == nullptr) continue;
    kafka->own_cluster = true;
    kafka->own_login = true;
  }
  return config;
}

void expect_reads_back(const Config& config, const std::string& why) {
  if (!prints_all(config)) return;
  const auto again = read(print_config(config));
  ASSERT_TRUE(again) << why << "\n" << mistakes_in(print_config(config));
  EXPECT_TRUE(as_if_written(*again) == as_if_written(config)) << why << "\n"
                                                              << print_config(config);
}

// The change of that option between the two, under NAME or NAME_file; none if it is not seen.
std::optional<Changed> change_of(const Option& option, const Config& from, const Config& to) {
  std::string name = "." + std::string(option.name);
  if (name.ends_with("_file")) name.resize(name.size() - 5);
  for (Changed& one : changes(from, to)) {
    if (("." + one.path).find(name) != std::string::npos) return one;
  }
  return std::nullopt;
}

// Each option has a reader, a member, a line in print-config, and its word on whether it may change
// while the gate runs: another value makes another configuration, which is seen as a change of that
// option and reads back to the same.
TEST(Options, EachIsReadKeptPrintedAndSeenToChange) {
  const Files named;
  std::vector<Config> without;
  for (const std::string& text : files()) {
    ASSERT_EQ(mistakes_in(text), "") << text;
    without.push_back(*read(text));
  }
  // With these something else changes too.
  const std::set<std::string> not_alone = {"targets.NAME.http.urls", "limits.NAME.algorithm",
                                           "routes[].name", "quotas.redis"};
  for (const Option& option : all_options()) {
    if (option.kind >= OptionTraits::Kind::section || not_alone.contains(name_of(option))) continue;
    bool seen = false;
    for (std::size_t i = 0; i < files().size() && !seen; ++i) {
      for (const std::string& value : samples(option, named)) {
        const std::string written = with(files()[i], option, value);
        const auto to = written.empty() ? std::nullopt : read(written);
        const auto change = to ? change_of(option, without[i], *to) : std::nullopt;
        if (!change) continue;
        EXPECT_FALSE(*to == without[i]) << name_of(option);
        EXPECT_TRUE(option.is_live || !change->needs_restart.empty()) << change->to_string();
        seen |= change->needs_restart.empty() == option.is_live;
        expect_reads_back(*to, name_of(option) + ": " + value);
      }
    }
    EXPECT_TRUE(seen) << name_of(option) << " makes no difference, or not while the gate runs";
  }
}

// Whatever is written together, the print-config of it is the same configuration.
TEST(Options, RandomConfigurationsArePrintedAsTheyAre) {
  const Files named;
  std::mt19937 dice(20261124);
  int taken = 0;
  for (int walk = 0; walk < 60; ++walk) {
    std::string text = files()[dice() % files().size()];
    for (int step = 0; step < 40; ++step) {
      const Option& option = all_options()[dice() % all_options().size()];
      const std::vector<std::string> values = samples(option, named);
      if (values.empty()) continue;
      const std::string next = with(text, option, values[dice() % values.size()]);
      const auto config = next.empty() ? std::nullopt : read(next);
      if (!config || !prints_all(*config)) continue;
      expect_reads_back(*config, next);
      text = next;
      ++taken;
    }
  }
  EXPECT_GT(taken, 200);
}

// What the page says of a default is the default: written out, it changes nothing where others that
// it may follow from are left out.
TEST(Options, DefaultsAreTrue) {
  for (const Option& option : all_options()) {
    const std::string& value = option.default_value;
    if (value.empty() || value == "required" || value == "see text" || value == "none") continue;
    bool holds = false;
    for (const std::string& text : files()) {
      const std::string written = with(text, option, value);
      holds |= !written.empty() && read(written) == read(text);
    }
    EXPECT_TRUE(holds) << name_of(option) << ": " << value;
  }
}

using Bounds = std::pair<std::int64_t, std::int64_t>;

// The least and the most that the gate takes of a number behind `text`; it takes 2.
Bounds taken(const std::string& text) {
  const auto takes = [&](std::int64_t number) {
    return read(limit(text + std::to_string(number))).has_value();
  };
  EXPECT_TRUE(takes(2)) << mistakes_in(limit(text + "2"));
  Bounds ends{2, 2};
  for (auto& [end, beyond] : {std::pair<std::int64_t&, std::int64_t>{ends.first, -1},
                              std::pair<std::int64_t&, std::int64_t>{ends.second, 9'999'999'999}}) {
    for (std::int64_t wrong = beyond; std::abs(wrong - end) > 1;) {
      const std::int64_t middle = std::midpoint(end, wrong);
      (takes(middle) ? end : wrong) = middle;
    }
  }
  return ends;
}

// An algorithm takes what the schema takes, and of each number some algorithm takes all of that.
TEST(Options, NumbersOfAlgorithmsAreToldAsTheyAreTaken) {
  const std::string few = ", window: 1h, limit: ";
  const std::string many = ", window: 1h, limit: 1000000000, burst: ";
  const std::vector<std::pair<std::string, std::vector<std::string>>> numbers = {
      {"limit",
       {"sliding_log" + few, "fixed_window" + few, "counter" + few, "sliding_window" + few,
        "concurrency, lease: 1h, limit: "}},
      {"burst",
       {"sliding_log, window: 1h, limit: 10000000, burst: ", "fixed_window" + many,
        "counter" + many, "sliding_window" + many, "token_bucket, rate: 1/s, burst: ",
        "gcra, rate: 1/s, burst: ", "smooth, rate: 1/s, burst: "}},
      {"capacity", {"leaky_bucket, rate: 1/s, capacity: "}},
      {"slices", {"sliding_window, window: 1h, limit: 9, slices: "}},
  };
  const auto schema = nlohmann::json::parse(json_schema());
  const auto& limits = schema["properties"]["limits"]["additionalProperties"]["properties"];
  for (const auto& [name, texts] : numbers) {
    Bounds widest{2, 2};
    for (const std::string& text : texts) {
      const Bounds ends = taken("algorithm: " + text);
      widest = {std::min(widest.first, ends.first), std::max(widest.second, ends.second)};
    }
    const auto& number = limits[name]["anyOf"][0];
    EXPECT_EQ(Bounds(number["minimum"], number["maximum"]), widest) << name;
  }
}

TEST(Options, AreAllInTheExampleOfEverything) {
  const std::string text = contents(project() / "config/everything.yaml");
  for (const Option& option : all_options()) {
    EXPECT_NE(text.find(std::string(option.name) + ":"), std::string::npos) << option.name;
  }
}

TEST(Options, AreEachThereOnce) {
  for (const Option& a : all_options()) {
    int found = 0;
    for (const Option& b : all_options()) found += a.section == b.section && a.name == b.name;
    EXPECT_EQ(found, 1) << name_of(a);
    EXPECT_TRUE(a.text.ends_with('.')) << a.name;
  }
}

// Write it anew with: EINLASS_WRITE_OPTIONS=1 build/debug/tests/unit_config
TEST(Options, PageIsCurrent) {
  const std::filesystem::path page = project() / "config/options.md";
  if (std::getenv("EINLASS_WRITE_OPTIONS") != nullptr) std::ofstream(page) << options_page();
  EXPECT_EQ(contents(page), options_page());
}

}  // namespace
}  // namespace einlass::config::options_test
