// Spans of the records that are traced: one for each record, from its arrival until it is finished,
// and below it one for each attempt to deliver it. Sent to a collector in the background.
//
// A record is traced if its `traceparent` says sampled; the others cost a look at their headers.
// The record's own context goes on to the target untouched, so what the target does stands beside
// these spans, below the producer's.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "adapters/http/target/target.h"
#include "app/record/record_store.h"
#include "app/tracing/spans.h"
#include "app/tracing/trace_context.h"
#include "config/model/config.h"
#include "core/contract/command.h"
#include "core/contract/event.h"

namespace einlass::app {

struct SpanCounts {
  // The collector has taken these, and will never have those: it refused them, was too slow, or the
  // gate has left.
  std::uint64_t exported = 0;
  std::uint64_t dropped = 0;
};

// REQUIRES: one thread; outlived by what the constructor is given.
class Tracing {
 public:
  // Spans that wait for the collector, at most; and how many go in one request, and for how long
  // the first of them may wait for others.
  static constexpr std::size_t kMostWaiting = 4'096;
  static constexpr std::size_t kMostInRequest = 512;
  static constexpr Duration kLinger = Duration::seconds(1);

  // A request that fails is tried so often, at growing distances: some half a minute in all.
  static constexpr int kMostTries = 6;

  // Throws std::runtime_error if the collector's file cannot be used. REQUIRES: config.tracing.
  Tracing(boost::asio::io_context& io, const config::Config& config, std::uint64_t seed,
          Notify notify);

  // A record has come in. If it is not traced, nothing else is to be told of it.
  void arrived(core::RecordId id, const StoredRecord& record);
  bool is_traced(core::RecordId id) const { return open_.contains(id); }

  // An attempt at it has ended. REQUIRES: is_traced(ended.record), which `record` is.
  void ended(const core::DeliveryEnded& ended, const StoredRecord& record, Instant now);

  // It goes to its dead letter topic, maybe without an attempt; and it is there.
  void dead_letter(core::RecordId id, std::string_view reason);
  void dead_lettered(core::RecordId id);

  // The last that is heard of it.
  void forgotten(core::RecordId id, const StoredRecord& record, Instant now);

  // Goes on under another configuration: with the same collector, and maybe with other headers.
  // REQUIRES: it outlives the next call, as that of the constructor outlives the first, for their
  // headers are compared.
  void reconfigure(const config::Config& config);

  // Sends what there is enough of, or waits long enough. Once a turn.
  void flush(Instant now);

  // Sends what there is, and runs `io` until the collector has it or `patience` is over. What it
  // has not by then, and what is still open, counts as dropped. The last call.
  void finish(Instant now, Duration patience);

  SpanCounts counts() const { return counts_; }

 private:
  // A traced record inside.
  struct Open {
    TraceContext context;
    std::string id;
    std::string outcome = "returned";
    std::string error;
  };

  void connect();
  void renew();
  std::string span_id();
  void put(const Span& span, Instant now);
  void take_answers(Instant now);
  void answered(const core::DeliveryEnded& ended, Instant now);
  void send(Instant now);
  void wake_at(Instant now, Instant at);

  boost::asio::io_context& io_;
  const config::Config* config_;
  const SpanRequest request_;
  std::mt19937_64 random_;
  core::Events events_;  // The collector's answers; the gate never sees them.
  const Notify notify_;
  std::unique_ptr<http::Target> collector_;
  bool stale_ = false;  // The collector is to be sent other headers.
  std::map<core::RecordId, Open> open_;
  std::vector<std::string> waiting_;  // As JSON.
  std::string body_;                  // Of the request under way, or to be tried again.
  std::size_t in_body_ = 0;           // Spans in it; 0: there is none.
  int tries_ = 0;                     // Of it that have failed.
  bool under_way_ = false;
  Instant send_at_ = kNever;  // When what there is goes, or is tried again.
  SpanCounts counts_;
  boost::asio::steady_timer wakeup_;
};

}  // namespace einlass::app
