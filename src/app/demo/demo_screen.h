// The demo's live progress: a block that is drawn over itself on a terminal, plain lines elsewhere.
#pragma once

#include <cstdint>
#include <string>

#include "app/demo/demo_receiver.h"
#include "app/views/books.h"
#include "core/contract/stats.h"

namespace einlass::app {

struct DemoView {
  double seconds = 0;  // Since the start.
  long produced = 0;
  Books books;
  core::Waiting waiting;
  DemoReceiver::Seen seen;
  int limit = 0;
  bool interrupted = false;  // By the user, before everything was delivered.
  bool held = false;         // The receiver asked for a pause (Retry-After).
};

class DemoScreen {
 public:
  explicit DemoScreen(bool terminal) : terminal_(terminal) {}

  // Draws it once the first records have come; on anything but a terminal at most once a second.
  void draw(const DemoView& view);

 private:
  void draw_block(const DemoView& view);
  void draw_line(const DemoView& view);

  const bool terminal_;
  bool said_joining_ = false;
  bool drawn_ = false;
  double last_line_ = -1;
  bool held_ = false;  // At any time since the last line.
};

// The books at the end, and whether they close.
bool print_demo_books(const DemoView& view);

}  // namespace einlass::app
