// Writes what an operator should know to stderr, one line an event:
//
//   2026-11-21T07:00:00.123Z level=warning event=kafka_unknown_topic detail="..." instance=gate-1
//
// or the same as a JSON object. A line never holds a control byte or invalid UTF-8, whatever is
// handed over, and is at most 4 KiB long, so that lines of several processes on one pipe do not
// mix. Writing does not wait: a line that stderr cannot take now is dropped and counted, and the
// count is told when it can again.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "adapters/log/format.h"
#include "units/notice.h"
#include "units/time.h"

namespace einlass::log {

// One more thing to know about an event. The key is a plain word of ours: a to z, 0 to 9 and _.
struct Field {
  std::string_view key;
  std::string_view value;
};

// May be used from any thread; calls take turns. `now` never goes back on one thread.
class Log {
 public:
  // The same event with the same detail is written at most once in this time.
  static constexpr Duration kQuiet = Duration::seconds(1);
  // So many different events are told apart; beyond them the oldest is forgotten early.
  static constexpr std::size_t kDistinct = 256;
  // And so many at `debug` are written in kQuiet: of further ones only the number.
  static constexpr std::size_t kDebugLines = 100;

  // Events below `least` are not written. Every line says `instance`. `descriptor` stays the
  // caller's; it is stderr but in tests.
  Log(Severity least, Format format, std::string instance, int descriptor = 2);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // From here on events below `least` are not written, and lines are in that format.
  void set(Severity least, Format format);

  // Writes the event now; or, within kQuiet after a line with the same `what` and `detail`, only
  // counts it. The count comes as `repeated=N` on the next such line: N events since the last,
  // with the fields of the first.
  void write(Severity severity, std::string_view what, std::string_view detail, Instant now,
             std::initializer_list<Field> fields = {});
  void write(const Notice& notice, Instant now);

  // Writes the counts whose time has come. To be called at next_tick() or later; cheap before it.
  void tick(Instant now);

  // When tick() has something to do; kNever if nothing is held back.
  Instant next_tick() const;

  // Writes all counts that are still held back, as the destructor does: for who ends the process
  // without it.
  void flush();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace einlass::log
