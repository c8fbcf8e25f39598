#include "adapters/log/log.h"

#include <spdlog/logger.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <utility>

#include "adapters/log/quote.h"
#include "adapters/log/sink.h"

namespace einlass::log {
namespace {

// What a line is made of fits kLineBytes even where all of it is long.
constexpr std::size_t kNameBytes = 128;
constexpr std::size_t kDetailBytes = 2048;
constexpr std::size_t kFieldBytes = 512;
constexpr std::size_t kBodyBytes = kLineBytes - 128;  // The rest is for time, level and count.

spdlog::level::level_enum level_of(Severity severity) {
  switch (severity) {
    case Severity::info:
      return spdlog::level::info;
    case Severity::warning:
      return spdlog::level::warn;
    case Severity::error:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

void append_field(std::string& line, std::string_view key, std::string_view value) {
  if (line.size() + key.size() + kFieldBytes > kBodyBytes) return;
  line += ' ';
  line += key;
  line += '=';
  append_value(line, value, kFieldBytes);
}

// An event of which a line was written lately.
struct Recent {
  Severity severity = Severity::info;
  std::string body;            // As it was written then.
  std::uint64_t repeated = 0;  // Further ones that were not.
  Instant due;                 // The next line may be written.
};

}  // namespace

struct Log::State {
  State(Severity least, std::string name, int descriptor)
      : instance{std::move(name)}, sink{std::make_shared<Sink>(descriptor)}, logger{"", sink} {
    logger.set_level(level_of(least));
  }

  std::string body(std::string_view what, std::string_view detail,
                   std::initializer_list<Field> fields) const;
  void emit(Severity severity, const std::string& text, Instant now);
  void emit_repeated(Recent& recent, Instant now);
  void make_room(Instant now);

  mutable std::mutex mutex;
  const std::string instance;
  const std::shared_ptr<Sink> sink;
  spdlog::logger logger;
  std::map<std::string, Recent> recents;  // By event and detail; at most kDistinct.
  Instant next_tick = kNever;
  Instant last_now;
};

std::string Log::State::body(std::string_view what, std::string_view detail,
                             std::initializer_list<Field> fields) const {
  std::string line = "event=";
  append_value(line, what, kNameBytes);
  line += " detail=";
  append_value(line, detail, kDetailBytes);
  append_field(line, "instance", instance);
  for (const Field& field : fields) append_field(line, field.key, field.value);
  return line;
}

void Log::State::emit(Severity severity, const std::string& text, Instant now) {
  const spdlog::log_clock::time_point time{std::chrono::microseconds(now.us)};
  if (const std::size_t dropped = sink->ready() ? sink->take_dropped() : 0; dropped > 0) {
    const std::string detail = std::to_string(dropped) + " lines could not be written";
    logger.log(time, {}, spdlog::level::warn, body("log_lines_dropped", detail, {}));
  }
  logger.log(time, {}, level_of(severity), text);
}

void Log::State::emit_repeated(Recent& recent, Instant now) {
  emit(recent.severity, recent.body + " repeated=" + std::to_string(recent.repeated), now);
  recent.repeated = 0;
  recent.due = now + kQuiet;
}

void Log::State::make_room(Instant now) {
  if (recents.size() < kDistinct) return;
  const auto oldest =
      std::min_element(recents.begin(), recents.end(),
                       [](const auto& a, const auto& b) { return a.second.due < b.second.due; });
  if (oldest->second.repeated > 0) emit_repeated(oldest->second, now);
  recents.erase(oldest);
}

Log::Log(Severity least, std::string instance, int descriptor)
    : state_{std::make_unique<State>(least, std::move(instance), descriptor)} {}

Log::~Log() {
  for (auto& [key, recent] : state_->recents) {
    if (recent.repeated > 0) state_->emit_repeated(recent, state_->last_now);
  }
}

void Log::write(Severity severity, std::string_view what, std::string_view detail, Instant now,
                std::initializer_list<Field> fields) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->logger.should_log(level_of(severity))) return;
  state_->last_now = now;
  std::string key(what.substr(0, kNameBytes));
  key += '\n';
  key += detail.substr(0, kDetailBytes);
  const auto found = state_->recents.find(key);
  if (found != state_->recents.end()) {
    Recent& recent = found->second;
    ++recent.repeated;
    if (now >= recent.due) state_->emit_repeated(recent, now);
    return;
  }
  state_->make_room(now);
  std::string text = state_->body(what, detail, fields);
  state_->emit(severity, text, now);
  state_->recents.emplace(std::move(key), Recent{severity, std::move(text), 0, now + kQuiet});
  state_->next_tick = std::min(state_->next_tick, now + kQuiet);
}

void Log::set_least(Severity least) {
  const std::lock_guard lock(state_->mutex);
  state_->logger.set_level(level_of(least));
}

void Log::write(const Notice& notice, Instant now) {
  const Field example{"example", notice.example};
  if (notice.example.empty()) return write(notice.severity, notice.what, notice.detail, now);
  write(notice.severity, notice.what, notice.detail, now, {example});
}

void Log::tick(Instant now) {
  const std::lock_guard lock(state_->mutex);
  if (now < state_->next_tick) return;
  state_->last_now = now;
  state_->next_tick = kNever;
  for (auto it = state_->recents.begin(); it != state_->recents.end();) {
    Recent& recent = it->second;
    if (now >= recent.due && recent.repeated == 0) {
      it = state_->recents.erase(it);
      continue;
    }
    if (now >= recent.due) state_->emit_repeated(recent, now);
    state_->next_tick = std::min(state_->next_tick, recent.due);
    ++it;
  }
}

Instant Log::next_tick() const {
  const std::lock_guard lock(state_->mutex);
  return state_->next_tick;
}

}  // namespace einlass::log
