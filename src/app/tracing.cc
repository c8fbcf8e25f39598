#include "app/tracing.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "app/wiring.h"

namespace einlass::app {
namespace {

constexpr Duration kLongestWait = Duration::seconds(30);

// The only request that is ever under way.
constexpr core::RecordId kRequest{};

}  // namespace

Tracing::Tracing(boost::asio::io_context& io, const config::Config& config, std::uint64_t seed,
                 Notify notify)
    : io_(io),
      config_(&config),
      request_(config.instance),
      random_(seed),
      collector_(io, collector_options(config), events_, std::move(notify)),
      wakeup_(io) {
  collector_.start({});
}

// ---- records ----

Tracing::Open* Tracing::open(core::RecordId id, const StoredRecord& record) {
  const auto found = open_.find(id);
  if (found != open_.end()) return &found->second;
  auto context = trace_context_of(record);
  if (!context || !context->sampled) return nullptr;
  Open& opened = open_[id];
  opened.context = std::move(*context);
  opened.id = span_id();
  return &opened;
}

std::string Tracing::span_id() {
  static constexpr char kHex[] = "0123456789abcdef";
  std::uint64_t bits = random_() | 1;  // All zeros would be none.
  std::string id;
  for (int i = 0; i < 16; ++i, bits >>= 4) id += kHex[bits & 15];
  return id;
}

void Tracing::sent(core::RecordId id, const StoredRecord& record) { open(id, record); }

void Tracing::ended(const core::DeliveryEnded& ended, const StoredRecord& record, Instant now) {
  Open& traced = open_.at(ended.record);
  const config::Route& route = config_->routes[record.route.value];
  Span span{.trace = traced.context.trace,
            .id = span_id(),
            .parent = traced.id,
            .name = {},
            .began = record.last_attempt,
            .ended = now,
            .attributes = {{"einlass.attempt", std::int64_t{ended.attempt.value}}},
            .error = {}};
  add_target(span, config_->targets[route.target]);
  if (ended.outcome == core::Outcome::accepted) {
    traced.outcome = "delivered";
  } else {
    const unsigned status = record.last_status;
    span.error = record.last_error.empty() ? "not accepted" : record.last_error;
    span.attributes.emplace_back("error.type", status == 0 ? "_OTHER" : std::to_string(status));
    if (status != 0)
      span.attributes.emplace_back("http.response.status_code", std::int64_t{status});
  }
  put(span, now);
}

// What each record writes itself is left out.
void Tracing::add_target(Span& span, const config::Target& target) const {
  span.attributes.emplace_back("einlass.target", target.name);
  if (target.kafka) {
    span.kind = SpanKind::producer;
    span.name = "send " + target.kafka->topic;
    span.attributes.emplace_back("messaging.system", "kafka");
    span.attributes.emplace_back("messaging.operation.name", "send");
    span.attributes.emplace_back("messaging.operation.type", "send");
    span.attributes.emplace_back("messaging.destination.name", target.kafka->topic);
    return;
  }
  const config::HttpTarget& http = target.http;
  span.kind = SpanKind::client;
  span.name = http.method_template.empty() ? http.method : "HTTP";
  if (http.method_template.empty()) {
    span.attributes.emplace_back("http.request.method", http.method);
  }
  if (!http.host_template.empty() || !http.urls.empty()) return;
  span.attributes.emplace_back("server.address", http.host);
  span.attributes.emplace_back("server.port", std::int64_t{http.port});
}

void Tracing::dead_letter(core::RecordId id, const StoredRecord& record, std::string_view reason) {
  if (Open* traced = open(id, record)) traced->error = reason;
}

void Tracing::dead_lettered(core::RecordId id) {
  if (is_traced(id)) open_.at(id).outcome = "dead_lettered";
}

void Tracing::forgotten(core::RecordId id, const StoredRecord& record, Instant now) {
  const auto found = open_.find(id);
  if (found == open_.end()) return;
  const Open& traced = found->second;
  Span span{
      .trace = traced.context.trace,
      .id = traced.id,
      .parent = traced.context.parent,
      .name = "process " + std::string(record.topic()),
      .kind = SpanKind::consumer,
      .began = record.arrived,
      .ended = now,
      .attributes = {{"messaging.system", "kafka"},
                     {"messaging.operation.name", "process"},
                     {"messaging.operation.type", "process"},
                     {"messaging.destination.name", std::string(record.topic())},
                     {"messaging.destination.partition.id", std::to_string(record.number.value)},
                     {"messaging.kafka.offset", record.offset.value},
                     {"messaging.consumer.group.name", config_->kafka.group},
                     {"einlass.route", config_->routes[record.route.value].name},
                     {"einlass.outcome", traced.outcome},
                     {"einlass.attempts", std::int64_t{record.attempts}}},
      .error = traced.error};
  if (!record.value()) span.attributes.emplace_back("messaging.kafka.message.tombstone", true);
  put(span, now);
  open_.erase(found);
}

// ---- the collector ----

void Tracing::put(const Span& span, Instant now) {
  if (waiting_.size() == kMostWaiting) {
    ++counts_.dropped;
    return;
  }
  waiting_.push_back(to_json(span));
  if (send_at_ == kNever) wake_at(now, now + kLinger);
}

void Tracing::wake_at(Instant now, Instant at) {
  send_at_ = at;
  wakeup_.expires_after(std::chrono::microseconds((at - now).us));
  wakeup_.async_wait([](const boost::system::error_code&) {});  // The turn that it begins flushes.
}

void Tracing::flush(Instant now) {
  take_answers(now);
  if (under_way_) return;
  const bool enough = in_body_ == 0 && waiting_.size() >= kMostInRequest;
  if (enough || now >= send_at_) send(now);
}

void Tracing::send(Instant now) {
  if (in_body_ == 0) {
    in_body_ = std::min(waiting_.size(), kMostInRequest);
    if (in_body_ == 0) return;
    body_ = request_.body(std::span(waiting_).first(in_body_));
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(in_body_));
  }
  send_at_ = kNever;
  under_way_ = true;
  collector_.send({.record = kRequest,
                   .attempt = {1},
                   .id = {},
                   .content_type = {},
                   .headers = {},
                   .body = body_});
  if (!waiting_.empty()) wake_at(now, now + kLinger);
}

void Tracing::take_answers(Instant now) {
  for (const core::Event& event : std::exchange(events_, {})) {
    const auto* ended = std::get_if<core::DeliveryEnded>(&event);
    if (ended == nullptr) continue;
    under_way_ = false;
    if (ended->outcome == core::Outcome::retry) {
      wake_at(now, now + std::max(wait_, ended->hold_target.value_or(Duration{})));
      wait_ = std::min(wait_ * 2, kLongestWait);
      continue;
    }
    (ended->outcome == core::Outcome::accepted ? counts_.exported : counts_.dropped) += in_body_;
    in_body_ = 0;
    wait_ = kLinger;
    if (!waiting_.empty() && send_at_ == kNever) wake_at(now, now + kLinger);
  }
}

void Tracing::finish(Instant now, Duration patience) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(patience.us);
  take_answers(now);
  while (std::chrono::steady_clock::now() < end) {
    if (!under_way_ && in_body_ + waiting_.size() == 0) return;
    if (!under_way_ && wait_ > kLinger) return;  // It did not take the last one.
    if (!under_way_) send(now);
    io_.run_one_until(end);
    take_answers(now);
  }
}

}  // namespace einlass::app
