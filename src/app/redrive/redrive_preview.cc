#include "app/redrive/redrive_preview.h"

#include "text/shown.h"

namespace einlass::app {
namespace {

constexpr std::size_t kLongestName = 80;

// What stands in a header may be anything.
std::string plain(std::string_view text) {
  const std::string out = shown(text.substr(0, kLongestName));
  return out.empty() ? "-" : out;
}

std::string list(const char* title, const std::map<std::string, std::uint64_t>& counts) {
  if (counts.empty()) return "";
  std::string text = std::string("  by ") + title + ":";
  for (const auto& [name, count] : counts) {
    text += (text.back() == ':' ? " " : ", ") + name + " " + std::to_string(count);
  }
  return text + "\n";
}

}  // namespace

RedrivePreview::RedrivePreview(const RedriveChoice& choice, std::span<const RedriveRange> ranges,
                               std::uint64_t most_sent)
    : choice_(choice), most_sent_(most_sent) {
  for (const RedriveRange& range : ranges) {
    books_.emplace_back(range.read.number, range.read.start, range.finished);
    ranges_.push_back(range.read);
  }
}

void RedrivePreview::read(boost::asio::io_context& io, const Clock& clock,
                          kafka::TopicReader& reader, const std::function<bool()>& given_up) {
  constexpr int kMessagesPerTurn = 256;
  reader_ = &reader;
  reader.begin(ranges_);
  while (!reader.finished() && !given_up()) {
    if (!reader.has_more()) io.run_one();
    io.poll();
    reader.poll(clock.now(), kMessagesPerTurn, *this);
  }
}

void RedrivePreview::count(Counts& counts, std::string_view name) {
  const std::string key = plain(name);
  ++counts[counts.contains(key) || counts.size() < kMostNames ? key : "others"];
}

void RedrivePreview::take(const kafka::Message& message) {
  ++read_;
  if (books_[message.partition.value].knows(message.offset)) {
    ++skipped_;
    return;
  }
  const Choice choice = choice_.of(message.headers);
  if (choice.kind == Choice::Kind::leave) {
    ++left_;
    count(why_left_, choice.why);
    return;
  }
  if (choice.kind == Choice::Kind::skip) {
    ++skipped_;
    return;
  }
  ++send_;
  const DeadStory& story = choice.story;
  count(routes_, story.route);
  count(reasons_, story.reason);
  count(statuses_, story.status.empty() ? "none" : story.status);
  if (shown_.size() < kMostShown) {
    shown_.push_back("    " + std::string(message.topic) + "-" +
                     std::to_string(message.number.value) + "@" +
                     std::to_string(message.offset.value) + "  " + plain(story.reason) + "  " +
                     plain(story.status) + "  " + plain(story.error));
  }
  if (send_ == most_sent_) reader_->stop();
}

std::string RedrivePreview::text(const std::string& topic) const {
  std::string text = topic + ": read " + std::to_string(read_) + ", would send " +
                     std::to_string(send_) + ", skip " + std::to_string(skipped_) + ", leave " +
                     std::to_string(left_) + "; nothing was sent and nothing committed\n";
  text += list("route", routes_) + list("reason", reasons_) + list("status", statuses_) +
          list("what hinders them", why_left_);
  if (!shown_.empty()) text += "  the first to be sent (place, reason, status, error):\n";
  for (const std::string& line : shown_) text += line + "\n";
  return text;
}

}  // namespace einlass::app
