#include <algorithm>
#include <map>
#include <set>

#include "config/decode.h"
#include "config/names.h"
#include "config/route_topics.h"
#include "units/topic_pattern.h"

namespace einlass::config {
namespace {

constexpr std::size_t kMostRoutes = 1'000;
constexpr std::size_t kMostTopics = 1'000;
constexpr Bounds<std::int64_t> kRecords{1, 1'000'000};
constexpr Bounds<Bytes> kBytes{{1 << 10}, {std::int64_t{16} << 30}};
constexpr Bounds<std::int64_t> kAttempts{0, 1'000'000};

// What all routes of a file share.
class Routes {
 public:
  Routes(Reading& reading, const Sound& sound_limits, Config& config)
      : reading_(reading), sound_limits_(sound_limits), config_(config) {}

  void decode(const Node& node, const std::string& path) {
    Section section(reading_, &node, path, "routes[]");
    section.refuse_unknown_keys();
    Route route;
    decode_name(section, route);
    decode_topics(section, route);
    target_known_ = false;
    decode_target(section, route);
    refuse_round(section, route);
    decode_route_limits(section, sound_limits_, config_,
                        target_known_ ? &config_.targets[route.target] : nullptr, route);
    section.read("order", route.order, parse_order);
    decode_route_share(section, config_, route);
    decode_retry(section, route);
    decode_dead_letter(section, route);
    decode_inside(section, "routes[].inside", kRecords, kBytes, route.inside);
    ends_.push_back({written_to(route), section.place_of("target"), section.path_of("target")});
    config_.routes.push_back(std::move(route));
  }

  // Records that routes hand on to each other come back to the first, for ever.
  void refuse_rounds() {
    for (std::size_t first = 0; first < ends_.size(); ++first) {
      std::string way = name_of(first);
      std::size_t at = first;
      for (std::size_t steps = 0; steps < ends_.size(); ++steps) {
        const int next = ends_[at].topic.empty() ? -1 : reader_of(config_.routes, ends_[at].topic);
        if (next < 0 || next < static_cast<int>(first)) break;  // Said where it begins.
        way += " -> " + ends_[at].topic + " -> " + name_of(static_cast<std::size_t>(next));
        at = static_cast<std::size_t>(next);
        if (at == first && steps > 0) {
          reading_.wrong(ends_[first].place, ends_[first].path,
                         "its records would go round for ever: " + way);
        }
        if (at == first) break;
      }
    }
  }

 private:
  // What a route writes to where it may be read again.
  struct End {
    std::string topic;  // Empty: nothing, or the target is not known.
    Place place;        // Of the route's target.
    std::string path;
  };

  std::string written_to(const Route& route) const {
    if (!target_known_) return "";
    const Target& target = config_.targets[route.target];
    return on_the_same_cluster(config_.kafka, target) ? target.kafka->topic : "";
  }

  static std::string name_of(std::size_t route) { return "routes[" + std::to_string(route) + "]"; }

  static Parsed<std::string> parse_topic(const Scalar& scalar) {
    if (!TopicPattern::is_one(scalar.text)) return parse_kafka_name(scalar);
    const std::string refusal = TopicPattern::refusal(scalar.text);
    if (!refusal.empty()) return Refusal{refusal};
    return parse_text(scalar);
  }

  static Parsed<Order> parse_order(const Scalar& scalar) {
    const auto choice = parse_choice(scalar.text, {"partition", "key", "none"});
    if (refused(choice)) return std::get<Refusal>(choice);
    return static_cast<Order>(std::get<std::size_t>(choice));
  }

  void decode_name(Section& section, Route& route) {
    if (!section.require("name", "write name: NAME")) return;
    section.read("name", route.name, [&](const Scalar& scalar) -> Parsed<std::string> {
      auto name = parse_kafka_name(scalar);
      if (refused(name) || names_.insert(scalar.text).second) return name;
      return Refusal{"is another route's name already"};
    });
  }

  void decode_topics(Section& section, Route& route) {
    if (!section.require("topics", "write topics: [TOPIC]")) return;
    const std::string path = section.path_of("topics");
    const Node* list = section.find("topics");
    const auto items = list_items(reading_, list, path, kMostTopics);
    if (list->kind == Node::Kind::list && list->items.empty()) {
      reading_.wrong(list->place, path, "no topic; write at least one");
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto scalar = reading_.scalar(*items[i], path + "[" + std::to_string(i) + "]");
      if (!scalar) continue;
      const auto topic = parse_topic(*scalar);
      if (const auto* refusal = std::get_if<Refusal>(&topic)) {
        reading_.wrong(*scalar, refusal->text);
      } else {
        take_topic(*scalar, route);
      }
    }
  }

  // A topic is read once: its records' offsets belong to one route.
  void take_topic(const Scalar& scalar, Route& route) {
    const auto [known, is_new] = topics_.emplace(scalar.text, config_.routes.size());
    if (!is_new && known->second == config_.routes.size()) {
      reading_.wrong(scalar, "is written twice; keep one of them");
    } else if (!is_new) {
      reading_.wrong(scalar, "is read by routes[" + std::to_string(known->second) +
                                 "] already; a topic belongs to one route");
    }
    route.topics.push_back(scalar.text);
  }

  void decode_target(Section& section, Route& route) {
    if (!section.require("target", "write target: NAME")) return;
    std::vector<std::string_view> known;
    for (const Target& target : config_.targets) known.push_back(target.name);
    target_known_ = section.read("target", route.target, [&](const Scalar& scalar) {
      return parse_reference(scalar, "target", known);
    });
  }

  // What is written to a topic that the route reads comes back, for ever.
  void refuse_round(Section& section, const Route& route) {
    const std::string topic = written_to(route);
    if (std::find(route.topics.begin(), route.topics.end(), topic) == route.topics.end()) return;
    reading_.wrong(section.place_of("target"), section.path_of("target"),
                   "writes to " + quoted(topic) +
                       ", which this route reads, so records would go round for ever");
  }

  void decode_retry(Section& parent, Route& route) {
    Section section(reading_, parent.find("retry"), parent.path_of("retry"), "routes[].retry");
    section.refuse_unknown_keys();
    if (target_known_) route.retry = config_.targets[route.target].retry;
    decode_retry_waits(section, route.retry);
    section.read_whole("attempts", route.attempts, kAttempts);
    if (route.attempts > 0 && !parent.has("dead_letter")) {
      reading_.wrong(section.place_of("attempts"), section.path_of("attempts"),
                     "after these a record needs somewhere to go, for nothing is thrown away; "
                     "write dead_letter: TOPIC, or attempts: 0");
    }
  }

  static void decode_dead_letter(Section& section, Route& route) {
    section.read("dead_letter", route.dead_letter, [&](const Scalar& s) -> Parsed<std::string> {
      const auto& topics = route.topics;
      if (std::find(topics.begin(), topics.end(), s.text) == topics.end()) {
        return parse_kafka_name(s);
      }
      return Refusal{"is one of the route's own topics, so records would go round for ever"};
    });
  }

  Reading& reading_;
  const Sound& sound_limits_;
  Config& config_;
  std::set<std::string> names_;
  std::map<std::string, std::size_t> topics_;  // And the route that reads them.
  std::vector<End> ends_;                      // Of each route.
  bool target_known_ = false;                  // The one of the route being read.
};

}  // namespace

void decode_routes(Section& top, const Sound& sound_limits, Config& config) {
  Reading& reading = top.reading();
  if (!top.require("routes", "write at least one, with name, topics and target")) return;
  const Node* list = top.find("routes");
  const auto items = list_items(reading, list, "routes", kMostRoutes);
  if (list->kind == Node::Kind::list && list->items.empty()) {
    reading.wrong(list->place, "routes", "no route; write at least one");
  }
  Routes routes(reading, sound_limits, config);
  for (std::size_t i = 0; i < items.size(); ++i) {
    routes.decode(*items[i], "routes[" + std::to_string(i) + "]");
  }
  routes.refuse_rounds();
}

}  // namespace einlass::config
