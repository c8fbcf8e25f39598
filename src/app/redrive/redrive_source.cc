#include "app/redrive/redrive_source.h"

#include <utility>

namespace einlass::app {
namespace {

// How many letters that could not be sent are told one by one.
constexpr std::uint64_t kMostTold = 10;

bool same(const kafka::Progress& a, const kafka::Progress& b) {
  return a.next == b.next && a.metadata == b.metadata;
}

}  // namespace

RedriveSource::RedriveSource(kafka::TopicReader& reader, std::span<const RedriveRange> ranges,
                             const RedriveChoice& choice, std::uint64_t most_sent,
                             core::Events& events, kafka::MessageSink& sink, Notify notify)
    : reader_(reader),
      choice_(choice),
      most_sent_(most_sent),
      events_(events),
      sink_(sink),
      notify_(std::move(notify)) {
  std::vector<kafka::ReadRange> read;
  for (const RedriveRange& range : ranges) {
    read.push_back(range.read);
    const kafka::Progress none{range.read.number, Offset{-1}, {}};
    partitions_.push_back({range.read,
                           RedriveBook(range.read.number, range.read.start, range.finished), none,
                           0, false});
  }
  reader_.begin(read);
}

void RedriveSource::stop() { reader_.stop(); }

RedriveCounts RedriveSource::counts() const {
  RedriveCounts counts = counts_;
  for (std::size_t i = 0; i < partitions_.size(); ++i) {
    const core::PartitionId id{static_cast<std::uint32_t>(i)};
    counts.offsets +=
        static_cast<std::uint64_t>(reader_.position(id).value - partitions_[i].range.start.value);
  }
  return counts;
}

void RedriveSource::poll(Instant now, int budget) {
  reader_.poll(now, budget, *this);
  if (const auto kept = reader_.take_commit_result()) {
    if (*kept) {
      for (const kafka::Progress& one : in_commit_) {
        for (Partition& partition : partitions_) {
          if (partition.range.number == one.number) partition.kept = one;
        }
      }
    }
    events_.push_back(
        core::CommitEnded{*kept ? core::CommitResult::committed : core::CommitResult::failed});
  }
}

// ---- letters ----

void RedriveSource::take(const kafka::Message& message) {
  Partition& partition = partitions_[message.partition.value];
  ++counts_.read;
  if (partition.book.knows(message.offset)) {
    ++counts_.skipped;
    ++counts_.finished;
    return;
  }
  const Choice choice = choice_.of(message.headers);
  switch (choice.kind) {
    case Choice::Kind::skip:
      ++counts_.skipped;
      return;
    case Choice::Kind::leave:
      return leave(message, choice.why);
    case Choice::Kind::send:
      break;
  }
  hand_on(message, choice);
  if (counts_.sent == most_sent_) reader_.stop();
}

void RedriveSource::leave(const kafka::Message& message, const std::string& why) {
  if (++counts_.left > kMostTold) return;
  notify_({Severity::warning, "redrive_left_alone",
           "the dead letter " + std::string(message.topic) + "-" +
               std::to_string(message.number.value) + "@" + std::to_string(message.offset.value) +
               " was not sent: " + why +
               (counts_.left == kMostTold ? " (others like it are only counted)" : "")});
}

core::PartitionId RedriveSource::assignment_of(const kafka::Message& message, core::RouteId route) {
  const core::PartitionId fresh{static_cast<std::uint32_t>(assignments_.size())};
  const auto [found, is_new] = ids_.try_emplace({message.partition, route}, fresh);
  if (is_new) {
    assignments_.push_back({message.partition, false});
    events_.push_back(core::PartitionAssigned{fresh, route, message.offset});
  }
  return found->second;
}

void RedriveSource::hand_on(const kafka::Message& message, const Choice& choice) {
  const DeadStory& story = choice.story;
  ++counts_.sent;
  headers_.clear();
  for (const kafka::Header& header : message.headers) {
    if (!is_story_header(header.name)) headers_.push_back(header);
  }
  const core::PartitionId id = assignment_of(message, choice.route);
  Partition& partition = partitions_[message.partition.value];
  partition.book.take(message.offset, id);
  if (partition.book.full(Offset{message.offset.value + 1})) {
    partition.full = true;
    reader_.hold(message.partition);
  }
  sink_.take({.partition = id,
              .read_at = message.offset,
              .offset = story.offset,
              .timestamp_ms = story.timestamp_ms,
              .topic = story.topic,
              .number = story.number,
              .key = message.key,
              .value = message.value,
              .headers = headers_,
              .earlier = story.attempts,
              .moved = true});
}

// ---- what the gate wants ----

void RedriveSource::hold(core::PartitionId id) {
  Assignment& assignment = assignments_[id.value];
  if (std::exchange(assignment.held, true)) return;
  ++partitions_[assignment.partition.value].holds;
  reader_.hold(assignment.partition);
}

void RedriveSource::read(core::PartitionId id) {
  Assignment& assignment = assignments_[id.value];
  if (!std::exchange(assignment.held, false)) return;
  --partitions_[assignment.partition.value].holds;
  read_if_free(assignment.partition);
}

void RedriveSource::read_if_free(core::PartitionId id) {
  const Partition& partition = partitions_[id.value];
  if (partition.holds == 0 && !partition.full) reader_.read(id);
}

void RedriveSource::commit(std::span<const core::CommitEntry> entries) {
  for (const core::CommitEntry& entry : entries) {
    const core::PartitionId id = assignments_[entry.partition.value].partition;
    Partition& partition = partitions_[id.value];
    partition.book.finish(entry);
    if (partition.full && !partition.book.full(reader_.position(id))) {
      partition.full = false;
      read_if_free(id);
    }
  }
  in_commit_ = new_progress();
  if (in_commit_.empty()) {
    events_.push_back(core::CommitEnded{core::CommitResult::committed});
  } else {
    reader_.commit(in_commit_);
  }
}

std::vector<kafka::Progress> RedriveSource::new_progress() const {
  std::vector<kafka::Progress> progress;
  for (std::size_t i = 0; i < partitions_.size(); ++i) {
    const core::PartitionId id{static_cast<std::uint32_t>(i)};
    kafka::Progress one = partitions_[i].book.progress(reader_.position(id));
    if (!same(one, partitions_[i].kept)) progress.push_back(std::move(one));
  }
  return progress;
}

// What was passed over behind the last one that was sent is in no commit of the gate's.
void RedriveSource::close(Duration patience) {
  progress_is_kept_ = reader_.commit_and_wait(new_progress(), patience);
}

std::string RedriveSource::name_of(core::PartitionId id) const {
  const Partition& partition = partitions_[assignments_[id.value].partition.value];
  return "dead letter partition " + std::to_string(partition.range.number.value);
}

const std::string& RedriveSource::topic_of(core::PartitionId) const {
  static const std::string kNone;  // Nobody pauses it.
  return kNone;
}

kafka::SourceStatus RedriveSource::status() const {
  kafka::SourceStatus status;
  status.joined = true;
  status.trouble = reader_.trouble();
  return status;
}

}  // namespace einlass::app
