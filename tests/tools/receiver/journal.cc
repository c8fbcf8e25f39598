#include "tools/receiver/journal.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>

#include "tools/kafka_tool/hex.h"

namespace einlass::tools {
namespace {

constexpr int kGenerationShift = 40;
constexpr std::int64_t kMaxOffset = 100'000'000;

// FNV-1a over words of eight bytes, the last one filled up with zeros; and the length.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ull;
  const auto mix = [&hash](std::uint64_t word) { hash = (hash ^ word) * 1099511628211ull; };
  for (std::size_t at = 0; at < text.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, std::min<std::size_t>(8, text.size() - at));
    mix(word);
  }
  mix(text.size());
  return hash;
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash != (text[i] == '-') ||
        (!dash && !std::isxdigit(static_cast<unsigned char>(text[i])))) {
      return false;
    }
  }
  return true;
}

template <typename Number>
void append(std::string& out, Number number) {
  std::array<char, 24> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  out.append(text.data(), end);
  out += ' ';
}

}  // namespace

Journal::Index Journal::arrived(const Request& request, std::int64_t now_us) {
  check(request);
  Entry entry;
  entry.arrived_us = last_us_ = now_us;
  entry.admitted_us = request.admitted_at;
  entry.offset = request.offset;
  entry.hash = hash_of(request.body);
  entry.partition = static_cast<std::int32_t>(request.partition);
  entry.attempt = request.attempt;
  entry.topic = intern(request.topic);
  entry.gate = intern(request.gate);
  if (is_uuid(request.permit)) std::copy_n(request.permit.data(), 36, entry.permit.begin());
  entries_.push_back(entry);
  if (full_ && full_bytes_ < kMaxFullBytes) {
    fulls_.push_back({std::string(request.head), std::string(request.body)});
    full_bytes_ += request.head.size() + request.body.size();
  }
  return (generation_ << kGenerationShift) | (entries_.size() - 1);
}

void Journal::answered(Index index, int status, std::int64_t now_us) {
  if ((index >> kGenerationShift) != generation_) return;
  Entry& entry = entries_[index & ((1ull << kGenerationShift) - 1)];
  entry.status = static_cast<std::uint16_t>(status);
  entry.answered_us = now_us;
  ++answered_;
  if (status >= 200 && status < 300) count_accepted(entry);
}

void Journal::count_accepted(const Entry& entry) {
  ++accepted_;
  if (entry.offset < 0 || entry.offset > kMaxOffset) return;
  auto& seen = accepted_offsets_[{entry.topic, entry.partition}];
  const auto offset = static_cast<std::size_t>(entry.offset);
  if (seen.size() <= offset) seen.resize(std::max(offset + 1, seen.size() * 2));
  if (!seen[offset]) ++distinct_;
  seen[offset] = true;
}

// What every delivery must carry; the end-to-end tests want none strange.
void Journal::check(const Request& request) {
  std::string expected = "\"";
  expected.append(request.topic).append("-").append(std::to_string(request.partition));
  expected.append("-").append(std::to_string(request.offset)).append("\"");
  if (request.idempotency_key == expected && request.attempt > 0 && is_uuid(request.permit) &&
      request.admitted_at > 0) {
    return;
  }
  if (strange_++ == 0) first_strange_ = std::string(request.head);
}

void Journal::clear() {
  const bool full = full_;
  const auto generation = generation_ + 1;
  *this = Journal();
  full_ = full;
  generation_ = generation;
}

std::uint16_t Journal::intern(std::string_view name) {
  const auto found = numbers_.find(name);
  if (found != numbers_.end()) return found->second;
  if (names_.size() >= 60'000) return 0;
  names_.emplace_back(name);
  const auto number = static_cast<std::uint16_t>(names_.size() - 1);
  numbers_.emplace(name, number);
  return number;
}

void Journal::forget() {
  entries_.clear();
  fulls_.clear();
  full_bytes_ = 0;
  answered_ = 0;
  ++generation_;
}

std::string Journal::summary() const {
  const auto dump = [](const nlohmann::json& json) {
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  return dump({{"requests", entries_.size()},
               {"accepted", accepted_},
               {"distinct", distinct_},
               {"unanswered", entries_.size() - answered_},
               {"last_us", last_us_},
               {"strange", strange_},
               {"first_strange", first_strange_}});
}

std::string Journal::lines(std::size_t from) const {
  std::string out;
  out.reserve(entries_.size() * 140);
  for (std::size_t i = from; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    append(out, entry.arrived_us);
    append(out, entry.answered_us);
    append(out, entry.status);
    append(out, entry.admitted_us);
    append(out, entry.partition);
    append(out, entry.offset);
    append(out, entry.attempt);
    append(out, entry.hash);
    out.append(entry.permit[0] == '\0' ? std::string_view("-")
                                       : std::string_view(entry.permit.data(), 36));
    out.append(" ").append(names_[entry.topic].empty() ? "-" : names_[entry.topic]);
    out.append(" ").append(names_[entry.gate].empty() ? "-" : names_[entry.gate]).append("\n");
  }
  return out;
}

std::string Journal::full_lines() const {
  std::string out;
  for (const Full& full : fulls_) {
    out.append("{\"head\": \"").append(to_hex(full.head.data(), full.head.size()));
    out.append("\", \"body\": \"").append(to_hex(full.body.data(), full.body.size()));
    out.append("\"}\n");
  }
  return out;
}

}  // namespace einlass::tools
