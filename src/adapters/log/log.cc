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
    case Severity::debug:
      return spdlog::level::debug;
    case Severity::info:
      return spdlog::level::info;
    case Severity::warning:
      return spdlog::level::warn;
    case Severity::error:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

// What stands between the time and the count of a line, field by field.
class Body {
 public:
  explicit Body(Format format) : format_(format) {}

  void add(std::string_view key, std::string_view value, std::size_t most = kFieldBytes) {
    if (text_.size() + key.size() + most > kBodyBytes) return;
    if (format_ == Format::json) {
      text_ += ",\"" + std::string(key) + "\":";
      append_json(text_, value, most);
    } else {
      text_ += ' ' + std::string(key) + '=';
      append_value(text_, value, most);
    }
  }
  std::string take() { return std::move(text_); }

 private:
  const Format format_;
  std::string text_;
};

// An event of which a line was written lately.
struct Recent {
  Severity severity = Severity::info;
  std::string body;            // As it was written then.
  std::uint64_t repeated = 0;  // Further ones that were not.
  Instant due;                 // The next line may be written.
};

}  // namespace

struct Log::State {
  State(Severity least, Format line_format, std::string name, int descriptor)
      : format{line_format},
        instance{std::move(name)},
        sink{std::make_shared<Sink>(descriptor)},
        logger{"", sink} {
    logger.set_level(level_of(least));
    sink->write_as(format);
  }

  std::string body(std::string_view what, std::string_view detail,
                   std::initializer_list<Field> fields) const;
  void emit(Severity severity, const std::string& text, Instant now);
  void emit_repeated(Recent& recent, Instant now);
  void make_room(Instant now);
  bool takes_debug(Instant now);
  void tell_left_out(Instant now);

  mutable std::mutex mutex;
  Format format;
  const std::string instance;
  const std::shared_ptr<Sink> sink;
  spdlog::logger logger;
  std::map<std::string, Recent> recents;  // By event and detail; at most kDistinct.
  std::size_t debug_lines = 0;            // Written until debug_until,
  std::uint64_t left_out = 0;             // and not, for there were enough.
  Instant debug_until;
  Instant next_tick = kNever;
  Instant last_now;
};

std::string Log::State::body(std::string_view what, std::string_view detail,
                             std::initializer_list<Field> fields) const {
  Body line(format);
  line.add("event", what, kNameBytes);
  line.add("detail", detail, kDetailBytes);
  line.add("instance", instance);
  for (const Field& field : fields) line.add(field.key, field.value);
  return line.take();
}

void Log::State::emit(Severity severity, const std::string& text, Instant now) {
  const spdlog::log_clock::time_point time{std::chrono::microseconds(now.us)};
  if (const std::size_t dropped = sink->ready() ? sink->take_dropped() : 0; dropped > 0) {
    const std::string detail = std::to_string(dropped) + " lines could not be written";
    // With what is at errors only, this would be the next line that nobody sees.
    const Severity told = std::max(Severity::warning, severity);
    logger.log(time, {}, level_of(told), body("log_lines_dropped", detail, {}));
    // A disk that is full is ready, and takes nothing.
    if (sink->take_dropped() > 0) sink->give_back_dropped(dropped);
  }
  logger.log(time, {}, level_of(severity), text);
}

void Log::State::emit_repeated(Recent& recent, Instant now) {
  const std::string count = std::to_string(recent.repeated);
  const std::string field =
      format == Format::json ? ",\"repeated\":" + count : " repeated=" + count;
  emit(recent.severity, recent.body + field, now);
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

// Whether one more at `debug` may be written.
bool Log::State::takes_debug(Instant now) {
  if (now >= debug_until) {
    tell_left_out(now);
    debug_lines = 0;
    debug_until = now + kQuiet;
  }
  if (debug_lines == kDebugLines) {
    ++left_out;
    next_tick = std::min(next_tick, debug_until);
    return false;
  }
  ++debug_lines;
  return true;
}

void Log::State::tell_left_out(Instant now) {
  if (left_out == 0) return;
  const std::string detail = std::to_string(std::exchange(left_out, 0)) +
                             " lines at debug were left out: of different ones at most " +
                             std::to_string(kDebugLines) + " a second are written";
  emit(Severity::debug, body("log_lines_left_out", detail, {}), now);
}

Log::Log(Severity least, Format format, std::string instance, int descriptor)
    : state_{std::make_unique<State>(least, format, std::move(instance), descriptor)} {}

Log::~Log() { flush(); }

void Log::flush() {
  const std::lock_guard lock(state_->mutex);
  for (auto& [key, recent] : state_->recents) {
    if (recent.repeated > 0) state_->emit_repeated(recent, state_->last_now);
  }
  state_->tell_left_out(state_->last_now);
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
  if (severity == Severity::debug && !state_->takes_debug(now)) return;
  state_->make_room(now);
  std::string text = state_->body(what, detail, fields);
  state_->emit(severity, text, now);
  state_->recents.emplace(std::move(key), Recent{severity, std::move(text), 0, now + kQuiet});
  state_->next_tick = std::min(state_->next_tick, now + kQuiet);
}

void Log::set(Severity least, Format format) {
  const std::lock_guard lock(state_->mutex);
  state_->logger.set_level(level_of(least));
  if (state_->format == format) return;
  // What was written in the other is counted on no more.
  for (auto& [key, recent] : state_->recents) {
    if (recent.repeated > 0) state_->emit_repeated(recent, state_->last_now);
  }
  state_->recents.clear();
  state_->format = format;
  state_->sink->write_as(format);
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
  if (now >= state_->debug_until) state_->tell_left_out(now);
  if (state_->left_out > 0) {
    state_->next_tick = std::min(state_->next_tick, state_->debug_until);
  }
}

Instant Log::next_tick() const {
  const std::lock_guard lock(state_->mutex);
  return state_->next_tick;
}

}  // namespace einlass::log
