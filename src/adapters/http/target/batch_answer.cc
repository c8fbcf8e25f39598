#include "adapters/http/target/batch_answer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "text/utf8.h"

namespace einlass::http {
namespace {

using Json = nlohmann::json;

constexpr unsigned kLowestStatus = 100, kHighestStatus = 599;

bool is_whole(const Json& object, const char* name, std::uint64_t least, std::uint64_t most) {
  const auto it = object.find(name);
  if (it == object.end() || !it->is_number_unsigned()) return false;
  const auto number = it->get<std::uint64_t>();
  return number >= least && number <= most;
}

// Empty if the entry was taken.
std::string take(const Json& entry, std::size_t records, std::vector<FailedRecord>& failed) {
  if (!entry.is_object()) return "an entry of failed is no object";
  if (!is_whole(entry, "index", 0, records - 1)) {
    return "an entry of failed has no index from 0 to " + std::to_string(records - 1);
  }
  if (!is_whole(entry, "status", kLowestStatus, kHighestStatus)) {
    return "an entry of failed has no status from 100 to 599";
  }
  FailedRecord& one = failed.emplace_back();
  one.index = entry["index"].get<std::size_t>();
  one.status = entry["status"].get<unsigned>();
  const auto error = entry.find("error");
  if (error != entry.end() && error->is_string()) one.error = error->get<std::string>();
  return {};
}

}  // namespace

BatchAnswer read_batch_answer(std::string_view body, std::size_t records) {
  BatchAnswer answer;
  if (body.starts_with(kByteOrderMark)) body.remove_prefix(kByteOrderMark.size());
  const std::size_t first = body.find_first_not_of(" \t\r\n");
  if (first == body.npos || body[first] != '{') return answer;
  const Json page = Json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (page.is_discarded()) {
    answer.trouble =
        body.size() < kMostBatchAnswer ? "its body is not JSON" : "its body is longer than 64 KiB";
    return answer;
  }
  const auto list = page.find("failed");
  if (list == page.end() || list->is_null()) return answer;  // Some write an empty list so.
  if (!list->is_array() || list->size() > records) {
    answer.trouble = "failed is no list of at most " + std::to_string(records) + " entries";
    return answer;
  }
  for (const Json& entry : *list) {
    answer.trouble = take(entry, records, answer.failed);
    if (!answer.trouble.empty()) return answer;
  }
  const auto by_index = [](const FailedRecord& a, const FailedRecord& b) {
    return a.index < b.index;
  };
  std::sort(answer.failed.begin(), answer.failed.end(), by_index);
  const auto twice = std::adjacent_find(
      answer.failed.begin(), answer.failed.end(),
      [](const FailedRecord& a, const FailedRecord& b) { return a.index == b.index; });
  if (twice != answer.failed.end()) {
    answer.trouble = "failed names index " + std::to_string(twice->index) + " twice";
  }
  return answer;
}

}  // namespace einlass::http
