// `einlass redrive --dry-run`: reads what would be sent, sends nothing, commits nothing.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "adapters/clock/clock.h"
#include "adapters/kafka/reader/topic_reader.h"
#include "app/redrive/redrive_choice.h"
#include "app/redrive/redrive_source.h"

namespace einlass::app {

class RedrivePreview final : public kafka::MessageSink {
 public:
  RedrivePreview(const RedriveChoice& choice, std::span<const RedriveRange> ranges,
                 std::uint64_t most_sent);

  // Reads to the end, and waits for Kafka as long as that takes, or until it is `given_up`.
  void read(boost::asio::io_context& io, const Clock& clock, kafka::TopicReader& reader,
            const std::function<bool()>& given_up);

  // One letter, which read() hands on.
  void take(const kafka::Message& message) override;

  // Counts by route, reason and status, and the first letters.
  std::string text(const std::string& topic) const;

 private:
  static constexpr std::size_t kMostShown = 10;   // Letters, one a line.
  static constexpr std::size_t kMostNames = 100;  // Different ones of a kind; then "others".

  using Counts = std::map<std::string, std::uint64_t>;

  static void count(Counts& counts, std::string_view name);

  const RedriveChoice& choice_;
  const std::uint64_t most_sent_;
  std::vector<RedriveBook> books_;  // By the reader's PartitionId.
  std::vector<kafka::ReadRange> ranges_;
  kafka::TopicReader* reader_ = nullptr;
  std::uint64_t read_ = 0, send_ = 0, skipped_ = 0, left_ = 0;
  Counts routes_, reasons_, statuses_, why_left_;
  std::vector<std::string> shown_;
};

}  // namespace einlass::app
