#include "app/tracing/tracing.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>
#include <variant>

#include "app/setup/wiring.h"
#include "text/ascii.h"
#include "units/check.h"

namespace einlass::app {
namespace {

// The only request that is ever under way.
constexpr core::RecordId kRequest{};

// As the protocol has it: https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes
bool may_be_tried_again(unsigned status) {
  return status == 0 || status == 429 || status == 502 || status == 503 || status == 504;
}

void add_target(Span& span, const config::KafkaTarget& kafka) {
  span.kind = SpanKind::producer;
  span.name = "send " + kafka.topic;
  span.attributes.emplace_back("messaging.system", "kafka");
  span.attributes.emplace_back("messaging.operation.name", "send");
  span.attributes.emplace_back("messaging.operation.type", "send");
  span.attributes.emplace_back("messaging.destination.name", kafka.topic);
}

// What each record writes itself is left out.
void add_target(Span& span, const config::HttpTarget& http) {
  span.kind = SpanKind::client;
  span.name = http.method_template.empty() ? http.method : "HTTP";
  if (http.method_template.empty()) {
    span.attributes.emplace_back("http.request.method", http.method);
  }
  if (!http.host_template.empty() || !http.urls.empty()) return;
  span.attributes.emplace_back("server.address", http.host);
  span.attributes.emplace_back("server.port", std::int64_t{http.port});
}

}  // namespace

Tracing::Tracing(boost::asio::io_context& io, const config::Config& config, std::uint64_t seed,
                 Notify notify)
    : io_(io),
      config_(&config),
      request_(config.instance),
      random_(seed),
      notify_(std::move(notify)),
      wakeup_(io) {
  connect();
}

void Tracing::connect() {
  auto made = std::make_unique<http::Target>(io_, collector_options(*config_), events_, notify_);
  made->start({});
  collector_ = std::move(made);
}

void Tracing::reconfigure(const config::Config& config) {
  stale_ |= config.tracing->headers != config_->tracing->headers;
  config_ = &config;
}

// While nothing is under way.
void Tracing::renew() {
  stale_ = false;
  try {
    connect();
  } catch (const std::exception& error) {
    notify_({Severity::error, "tracing",
             std::string("goes on with the headers that it had: ") + error.what()});
  }
}

// ---- records ----

void Tracing::arrived(core::RecordId id, const StoredRecord& record) {
  auto context = trace_context_of(record);
  if (!context || !context->sampled) return;
  Open& opened = open_[id];
  opened.context = std::move(*context);
  opened.id = span_id();
}

std::string Tracing::span_id() {
  const std::uint64_t bits = random_() | 1;  // All zeros would be none.
  std::string id;
  append_hex(id, {reinterpret_cast<const char*>(&bits), sizeof bits});
  return id;
}

void Tracing::ended(const core::DeliveryEnded& ended, const StoredRecord& record, Instant now) {
  const auto found = open_.find(ended.record);
  CHECK(found != open_.end());
  Open& traced = found->second;
  const config::Route& route = config_->routes[record.route.value];
  Span span{.trace = traced.context.trace,
            .id = span_id(),
            .parent = traced.id,
            .name = {},
            .began = record.last_attempt,
            .ended = now,
            .attributes = {{"einlass.attempt", std::int64_t{record.attempts}}},
            .error = {}};
  const config::Target& target = config_->targets[route.target];
  span.attributes.emplace_back("einlass.target", target.name);
  target.by_kind([&](const auto& one) { add_target(span, one); });
  if (ended.outcome == core::Outcome::accepted) {
    traced.outcome = "delivered";
  } else {
    // Not what the answer says, nor a reason with a host of the record's: they may hold some of it.
    const unsigned status = record.last_status;
    if (status != 0) {
      span.error = "status " + std::to_string(status);
    } else if (!target.records_name_hosts()) {
      span.error = record.last_error;
    }
    if (span.error.empty()) span.error = "not accepted";
    span.attributes.emplace_back("error.type", status == 0 ? "_OTHER" : std::to_string(status));
    if (status != 0)
      span.attributes.emplace_back("http.response.status_code", std::int64_t{status});
  }
  put(span, now);
}

void Tracing::dead_letter(core::RecordId id, std::string_view reason) {
  if (is_traced(id)) open_.at(id).error = reason;
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
  if (stale_) renew();
  send_at_ = kNever;
  under_way_ = true;
  collector_->send({.record = kRequest,
                    .attempt = {1},
                    .id = {},
                    .content_type = {},
                    .headers = {},
                    .body = body_});
  if (!waiting_.empty()) wake_at(now, now + kLinger);
}

void Tracing::take_answers(Instant now) {
  for (const core::Event& event : std::exchange(events_, {})) {
    if (const auto* ended = std::get_if<core::DeliveryEnded>(&event)) answered(*ended, now);
  }
}

void Tracing::answered(const core::DeliveryEnded& ended, Instant now) {
  under_way_ = false;
  if (ended.outcome == core::Outcome::retry && may_be_tried_again(ended.status) &&
      ++tries_ < kMostTries) {
    const Duration wait = kLinger * (std::int64_t{1} << (tries_ - 1));
    return wake_at(now, now + std::max(wait, ended.hold_target.value_or(Duration{})));
  }
  (ended.outcome == core::Outcome::accepted ? counts_.exported : counts_.dropped) += in_body_;
  in_body_ = 0;
  tries_ = 0;
  if (!waiting_.empty() && send_at_ == kNever) wake_at(now, now + kLinger);
}

// Without asking the collector again what it has just not taken.
void Tracing::finish(Instant now, Duration patience) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(patience.us);
  take_answers(now);
  for (const int tried = tries_; tries_ <= tried && std::chrono::steady_clock::now() < end;) {
    if (!under_way_ && in_body_ + waiting_.size() == 0) break;
    if (!under_way_) send(now);
    io_.run_one_until(end);
    take_answers(now);
  }
  // Of records that are left in the middle there is no end to tell of.
  counts_.dropped += in_body_ + waiting_.size() + open_.size();
  in_body_ = 0;
  waiting_.clear();
  open_.clear();
}

}  // namespace einlass::app
