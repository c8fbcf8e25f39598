#include "app/demo/demo_receiver.h"

#include <algorithm>
#include <charconv>

namespace einlass::app {
namespace {

constexpr std::int64_t kWindowUs = 1'000'000;

std::int64_t number(std::string_view text) {
  std::int64_t value = -1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

DemoReceiver::DemoReceiver(boost::asio::io_context& io)
    : server_(io, http::ServerOptions{},
              [this](const http::ServerRequest& request) { return take(request); }) {}

http::ServerResponse DemoReceiver::take(const http::ServerRequest& request) {
  http::ServerResponse response;
  // The address stands on the screen, and a browser that looks there delivers nothing.
  if (request.header("kafka-offset").empty()) {
    response.status = 404;
    return response;
  }
  // Each attempt has a permit of its own, whatever becomes of it.
  count_window(number(request.header("einlass-admitted-at")));
  if (busy_) {
    busy_ = false;
    ++seen_.turned_away;
    response.status = 503;
    response.headers = {{"Retry-After", "1"}};
    return response;
  }
  const std::string partition(request.header("kafka-partition"));
  const std::int64_t offset = number(request.header("kafka-offset"));
  ++seen_.accepted;
  if (records_.emplace(partition, offset).second) ++seen_.distinct;
  const auto [newest, is_first] = newest_.emplace(partition, offset);
  if (!is_first && offset < newest->second) ++seen_.out_of_order;
  newest->second = std::max(newest->second, offset);
  response.status = 204;
  return response;
}

// Counts in every window (t - 1 s, t]; requests may come a little out of the order of their
// permits.
void DemoReceiver::count_window(std::int64_t admitted_at) {
  window_.insert(std::upper_bound(window_.begin(), window_.end(), admitted_at), admitted_at);
  const std::int64_t newest = window_.back();
  // Two windows are kept, for a latecomer may still fall into an older one.
  while (window_.front() <= newest - 2 * kWindowUs) window_.pop_front();
  for (auto end = window_.begin(); end != window_.end(); ++end) {
    if (*end < admitted_at || *end >= admitted_at + kWindowUs) continue;
    const auto begin = std::upper_bound(window_.begin(), window_.end(), *end - kWindowUs);
    const auto count = static_cast<std::size_t>(end - begin) + 1;
    seen_.worst_window = std::max(seen_.worst_window, count);
    seen_.last_window = count;
  }
}

}  // namespace einlass::app
