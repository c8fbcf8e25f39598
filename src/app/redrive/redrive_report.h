// How a redrive goes on and how it ended, for people.
#pragma once

#include <cstdint>
#include <string>

#include "app/redrive/redrive_source.h"
#include "app/views/books.h"
#include "units/time.h"

namespace einlass::app {

struct RedriveView {
  std::string topic;
  RedriveCounts counts;
  Books books;                // Of the gate.
  std::uint64_t offsets = 0;  // To be passed in all.
  std::uint64_t gone = 0;     // Of them: deleted from Kafka meanwhile.
};

// Read, but neither sent to its end nor passed over: what an interruption left, and what could not
// be sent at all.
std::uint64_t left_of(const RedriveView& view);

// Nothing that was read is unaccounted for.
bool books_close(const RedriveView& view);

// The books at the end, a few lines.
std::string redrive_books(const RedriveView& view);

// Says on stderr how far it is: on a terminal one line again and again, elsewhere a line now and
// then.
class RedriveScreen {
 public:
  RedriveScreen(bool terminal, Instant start)
      : terminal_(terminal), start_(start), next_(start + interval()) {}

  // When show() has something to do.
  Instant next() const { return next_; }

  void show(const RedriveView& view, Instant now);

  // Makes room for another line.
  void clear();

 private:
  Duration interval() const { return Duration::seconds(terminal_ ? 1 : 10); }

  const bool terminal_;
  const Instant start_;
  Instant next_;
  std::uint64_t last_done_ = 0;
  bool drawn_ = false;
};

// The text of one such line. `rate`: letters a second.
std::string redrive_line(const RedriveView& view, double rate, Duration since_start);

}  // namespace einlass::app
