#include "app/demo/demo_screen.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <utility>

namespace einlass::app {
namespace {

constexpr int kBarWidth = 30;  // With all that stands around it, it fits 80 columns.
constexpr int kBlockLines = 6;

// Around the block: a line that is longer than the terminal is wide ends at its edge. If it went on
// below, the block would be higher than the cursor goes back, and stand lower each time.
constexpr char kCutLines[] = "\x1b[?7l";
constexpr char kWrapLines[] = "\x1b[?7h";

std::string bar(std::size_t amount, int whole) {
  const int filled = std::min(kBarWidth, static_cast<int>(amount) * kBarWidth / std::max(whole, 1));
  return std::string(static_cast<std::size_t>(filled), '#') +
         std::string(static_cast<std::size_t>(kBarWidth - filled), '.');
}

const char* what_it_waits_for(const DemoView& view) {
  if (view.held) return "the receiver asked for a pause (Retry-After)";
  if (view.books.inside == 0) return "nothing to wait for";
  return "records wait for a permit";
}

void line(const char* label, const std::string& text) {
  std::printf("\x1b[2K  %-10s %s\n", label, text.c_str());
}

const char* tick(bool good) { return good ? "yes" : "NO"; }

}  // namespace

void DemoScreen::draw(const DemoView& view) {
  if (view.books.received == 0) {
    if (!std::exchange(said_joining_, true)) std::printf("  Joining the consumer group ...\n");
    std::fflush(stdout);
    return;
  }
  if (terminal_) return draw_block(view);
  held_ |= view.held;
  if (view.seconds < last_line_ + 1) return;
  last_line_ = view.seconds;
  DemoView second = view;
  second.held = std::exchange(held_, false);
  draw_line(second);
}

void DemoScreen::draw_block(const DemoView& view) {
  if (drawn_) std::printf("\x1b[%dA", kBlockLines);
  drawn_ = true;
  std::printf("%s", kCutLines);
  using core::Cause;
  const core::CauseCounts& waiting = view.waiting.records;
  char text[200];
  std::snprintf(text, sizeof text, "%4.1f s   %s", view.seconds, what_it_waits_for(view));
  line("time", text);
  std::snprintf(text, sizeof text, "%ld produced, %" PRIu64 " received by the gate", view.produced,
                view.books.received);
  line("kafka", text);
  std::snprintf(text, sizeof text,
                "%" PRIu64 " records: limit %" PRIu64 ", order %" PRIu64 ", target %" PRIu64
                ", retry %" PRIu64 ", in flight %" PRIu64,
                view.books.inside, waiting[Cause::limit], waiting[Cause::order],
                waiting[Cause::target], waiting[Cause::retry], waiting[Cause::in_flight]);
  line("waiting", text);
  std::snprintf(text, sizeof text, "[%s] %zu of %d in the last second",
                bar(view.seen.last_window, view.limit).c_str(), view.seen.last_window, view.limit);
  line("admitted", text);
  std::snprintf(text, sizeof text, "%zu in any second, allowed %d", view.seen.worst_window,
                view.limit);
  line("worst", text);
  std::snprintf(text, sizeof text, "%" PRIu64 " delivered, %" PRIu64 " turned away and tried again",
                view.books.delivered, view.seen.turned_away);
  line("receiver", text);
  std::printf("%s", kWrapLines);
  std::fflush(stdout);
}

void DemoScreen::draw_line(const DemoView& view) {
  std::printf("%5.1f s  produced %ld  received %" PRIu64 "  waiting %" PRIu64
              "  admitted/s %zu of %d  worst %zu  delivered %" PRIu64 "  (%s)\n",
              view.seconds, view.produced, view.books.received, view.books.inside,
              view.seen.last_window, view.limit, view.seen.worst_window, view.books.delivered,
              what_it_waits_for(view));
  std::fflush(stdout);
}

bool print_demo_books(const DemoView& view) {
  const Books& books = view.books;
  const bool closed = books.closed();
  const bool kept = view.seen.worst_window <= static_cast<std::size_t>(view.limit);
  const bool all_came = books.delivered > 0 && static_cast<long>(books.delivered) == view.produced;
  const bool all_there = view.seen.distinct == books.delivered && (view.interrupted || all_came);
  const bool in_order = view.seen.out_of_order == 0;
  std::printf("\nThe books\n");
  std::printf("  received %" PRIu64 " = delivered %" PRIu64 " + returned %" PRIu64
              " + inside %" PRIu64 "   closed: %s\n",
              books.received, books.delivered, books.returned, books.inside, tick(closed));
  std::printf(
      "  produced %ld, arrived at the receiver %" PRIu64 ", twice %" PRIu64 "   nothing lost: %s\n",
      view.produced, view.seen.distinct, view.seen.accepted - view.seen.distinct, tick(all_there));
  std::printf("  worst second %zu, allowed %d   limit kept: %s\n", view.seen.worst_window,
              view.limit, tick(kept));
  std::printf("  out of order %" PRIu64 "   order kept: %s\n", view.seen.out_of_order,
              tick(in_order));
  std::printf(
      "\nNext: docs/getting_started.md of the sources, ten minutes with a real Kafka and Redis\n");
  return closed && kept && all_there && in_order;
}

}  // namespace einlass::app
