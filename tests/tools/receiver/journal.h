// Everything the receiver was sent, and what it answered.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tools/receiver/request.h"

namespace einlass::tools {

class Journal {
 public:
  using Index = std::size_t;

  // Notes a request; its answer is 0 until answered() says otherwise.
  Index arrived(const Request& request, std::int64_t now_us);
  void answered(Index index, int status, std::int64_t now_us);

  // From now on the whole of every request is kept too, up to kMaxFullBytes.
  void keep_full(bool on) { full_ = on; }

  // Forgets everything. Answers to requests from before are not noted.
  void clear();

  // Forgets all but which records were accepted: that is a bit for each, also after months. Only
  // while no answer is due: one to a request from before would not count.
  void forget();

  // {"requests":..,"accepted":..,"distinct":..,"unanswered":..,"strange":..,...} as JSON.
  std::string summary() const;

  // One line a request, from that one on:
  // arrived_us answered_us status admitted_us partition offset attempt hash permit topic gate
  std::string lines(std::size_t from) const;

  // The requests kept whole, as JSON lines {"head": HEX, "body": HEX}.
  std::string full_lines() const;

 private:
  struct Entry {
    std::int64_t arrived_us = 0, answered_us = 0, admitted_us = 0, offset = 0;
    std::uint64_t hash = 0;
    std::int32_t partition = 0;
    std::uint32_t attempt = 0;
    std::uint16_t status = 0, topic = 0, gate = 0;
    std::array<char, 36> permit{};
  };
  struct Full {
    std::string head, body;
  };

  static constexpr std::size_t kMaxFullBytes = 512u << 20;

  std::uint16_t intern(std::string_view name);
  void check(const Request& request);
  void count_accepted(const Entry& entry);

  std::vector<Entry> entries_;
  std::vector<std::string> names_{""};
  std::map<std::string, std::uint16_t, std::less<>> numbers_{{"", 0}};
  std::map<std::pair<std::uint16_t, std::int32_t>, std::vector<bool>> accepted_offsets_;
  std::vector<Full> fulls_;
  std::size_t full_bytes_ = 0;
  bool full_ = false;
  std::uint64_t generation_ = 0;
  std::uint64_t accepted_ = 0, distinct_ = 0, answered_ = 0, strange_ = 0;
  std::int64_t last_us_ = 0;
  std::string first_strange_;
};

}  // namespace einlass::tools
