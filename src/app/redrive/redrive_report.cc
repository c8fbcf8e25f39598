#include "app/redrive/redrive_report.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace einlass::app {
namespace {

std::uint64_t finished_of(const RedriveView& view) {
  return view.books.delivered + view.books.dead_lettered + view.books.filtered;
}

// Letters with which nothing more will happen now.
std::uint64_t done_of(const RedriveView& view) {
  return finished_of(view) + view.counts.skipped + view.counts.left;
}

std::uint64_t unfinished_of(const RedriveView& view) {
  return view.counts.sent - std::min(view.counts.sent, finished_of(view));
}

// What only some routes have is only told where there is some of it.
std::string filtered(const RedriveView& view, const char* before) {
  if (view.books.filtered == 0) return "";
  return before + ("filtered " + std::to_string(view.books.filtered));
}

std::string time_to_go(const RedriveView& view, Duration since_start) {
  const std::uint64_t ahead =
      view.offsets - std::min(view.offsets, view.counts.offsets) + view.books.inside;
  const double seconds = static_cast<double>(since_start.us) / 1e6;
  const auto done = static_cast<double>(done_of(view));
  if (ahead == 0) return "done";
  if (done < 1 || seconds <= 0) return "time to go unknown";
  char text[48];
  std::snprintf(text, sizeof text, "about %.0f s to go",
                static_cast<double>(ahead) * seconds / done);
  return text;
}

}  // namespace

std::uint64_t left_of(const RedriveView& view) { return view.counts.left + unfinished_of(view); }

// The gate counts on its own what it was given and what became of it. It may be one short for each
// partition that was read in the turn of the stop: that letter was turned away uncounted.
bool books_close(const RedriveView& view) {
  const RedriveCounts& counts = view.counts;
  return view.books.closed() && counts.read == counts.sent + counts.skipped + counts.left &&
         view.books.received <= counts.sent && finished_of(view) <= view.books.received;
}

std::string redrive_books(const RedriveView& view) {
  char text[512];
  std::snprintf(text, sizeof text,
                "%s: read %" PRIu64 " = delivered %" PRIu64 " + dead again %" PRIu64
                "%s + skipped %" PRIu64 " + left %" PRIu64 "\n",
                view.topic.c_str(), view.counts.read, view.books.delivered,
                view.books.dead_lettered, filtered(view, " + ").c_str(), view.counts.skipped,
                left_of(view));
  std::string all = text;
  if (const std::uint64_t unfinished = unfinished_of(view); unfinished > 0) {
    all += "  " + std::to_string(unfinished) +
           " of the left were not finished: the next redrive begins with them\n";
  }
  if (view.counts.left > 0) {
    all += "  " + std::to_string(view.counts.left) +
           " of the left could not be sent (the log names the first): they stay in the topic, and "
           "`--from beginning` reads them again\n";
  }
  if (view.counts.finished > 0) {
    all += "  " + std::to_string(view.counts.finished) +
           " of the skipped had been finished by an earlier redrive: `--from beginning` would send "
           "them again\n";
  }
  if (view.counts.skipped > view.counts.finished) {
    all += "  " + std::to_string(view.counts.skipped - view.counts.finished) +
           " of the skipped were not chosen: they stay in the topic; the next redrive begins after "
           "them, unless you give it `--from beginning`\n";
  }
  if (view.gone > 0) {
    all += "  " + std::to_string(view.gone) + " were deleted from Kafka before they were read\n";
  }
  return all;
}

std::string redrive_line(const RedriveView& view, double rate, Duration since_start) {
  const double share = view.offsets == 0 ? 100
                                         : 100 * static_cast<double>(view.counts.offsets) /
                                               static_cast<double>(view.offsets);
  char text[320];
  std::snprintf(
      text, sizeof text,
      "redrive %s: %" PRIu64 " of %" PRIu64 " read (%.0f %%), %.1f/s, delivered %" PRIu64
      ", dead again %" PRIu64 "%s, skipped %" PRIu64 ", left %" PRIu64 ", inside %" PRIu64 ", %s",
      view.topic.c_str(), view.counts.offsets, view.offsets, share, rate, view.books.delivered,
      view.books.dead_lettered, filtered(view, ", ").c_str(), view.counts.skipped, view.counts.left,
      view.books.inside, time_to_go(view, since_start).c_str());
  return text;
}

void RedriveScreen::show(const RedriveView& view, Instant now) {
  if (now < next_) return;
  const Duration since = now - (next_ - interval());
  next_ = now + interval();
  const std::uint64_t done = done_of(view);
  const double rate =
      static_cast<double>(done - std::min(done, last_done_)) * 1e6 / static_cast<double>(since.us);
  last_done_ = done;
  const std::string line = redrive_line(view, rate, now - start_);
  if (terminal_) {
    // Cut at the terminal's edge: of one that went on below only the last row would be cleared.
    std::fprintf(stderr, "\r\x1b[2K\x1b[?7l%s\x1b[?7h", line.c_str());
    drawn_ = true;
  } else {
    std::fprintf(stderr, "%s\n", line.c_str());
  }
  std::fflush(stderr);
}

void RedriveScreen::clear() {
  if (!drawn_) return;
  std::fprintf(stderr, "\r\x1b[2K");
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace einlass::app
