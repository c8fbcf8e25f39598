#include "app/targets/batch_request.h"

#include <array>
#include <charconv>

#include "units/fnv1a.h"

namespace einlass::app {
namespace {

// In hexadecimal: tells requests apart that begin with the same record.
std::string fingerprint(std::string_view text) {
  std::array<char, 16> digits;
  const auto end = std::to_chars(digits.begin(), digits.end(), fnv1a(text), 16).ptr;
  return {digits.begin(), end};
}

std::size_t digits_of(std::int64_t number) { return std::to_string(number).size(); }

}  // namespace

// TOPIC-PARTITION-FIRST..LAST and a comma with its blank; of 1,000 records the last may have three
// digits more.
std::uint16_t listed_size(config::BatchFormat format, const StoredRecord& record) {
  if (!BatchBody::unfit(format, record).empty()) return 0;
  const std::size_t size = record.topic().size() + digits_of(record.number.value) +
                           2 * digits_of(record.offset.value) + 9;
  return static_cast<std::uint16_t>(size);
}

Bytes body_size(config::BatchFormat format, const StoredRecord& record) {
  if (!BatchBody::unfit(format, record).empty()) return {};
  const auto value = record.value();
  const auto size = static_cast<std::int64_t>(value ? value->size() : 0);
  switch (format) {
    case config::BatchFormat::json:
      return Bytes{(value ? size : 4) + 2};  // null is a tombstone; with one bracket.
    case config::BatchFormat::lines:
      return Bytes{size + 1};
    case config::BatchFormat::length_prefixed:
      return Bytes{size + 4};
  }
  return {};
}

void BatchRequest::begin() {
  finished_ = in_run_ = false;
  fit_ = 0;
  body_.clear();
  members_.clear();
  records_.clear();
  first_.clear();
  headers_.clear();
}

void BatchRequest::add(const StoredRecord& record, const core::Send& send) {
  if (finished_) begin();
  members_.push_back({send.record, send.attempt, std::string(body_.add(record))});
  if (!members_.back().unfit.empty()) return;
  ++fit_;
  name(record);
}

// Records of a partition whose offsets follow one another are one entry.
void BatchRequest::name(const StoredRecord& record) {
  const bool follows = in_run_ && record.topic() == run_topic_ &&
                       record.number.value == run_partition_ &&
                       record.offset.value == run_last_ + 1;
  if (!follows) {
    end_run();
    run_topic_ = record.topic();
    run_partition_ = record.number.value;
    run_first_ = record.offset.value;
    if (!in_run_) first_ = entry();
    in_run_ = true;
  }
  run_last_ = record.offset.value;
}

std::string BatchRequest::entry() const {
  return run_topic_ + "-" + std::to_string(run_partition_) + "-" + std::to_string(run_first_);
}

void BatchRequest::end_run() {
  if (!in_run_) return;
  if (!records_.empty()) records_ += ", ";
  records_ += entry();
  if (run_last_ > run_first_) records_ += ".." + std::to_string(run_last_);
}

const http::Request& BatchRequest::finish() {
  end_run();
  finished_ = true;
  count_ = std::to_string(fit_);
  id_ = "\"" + first_ + "+" + count_ + "-" + fingerprint(records_) + "\"";
  headers_.push_back({"Idempotency-Key", id_});
  headers_.push_back({"Einlass-Batch", count_});
  headers_.push_back({"Einlass-Records", records_});
  request_ = http::Request{};
  request_.record = members_.front().record;
  request_.attempt = members_.front().attempt;
  request_.members = members_;
  request_.id = std::string_view(id_).substr(1, id_.size() - 2);
  request_.headers = headers_;
  if (fit_ > 0) request_.body = body_.finish();
  return request_;
}

}  // namespace einlass::app
