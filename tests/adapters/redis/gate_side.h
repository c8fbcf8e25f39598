// What stands around a store in the process: the loop, the events and the notices.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "adapters/redis/store/store.h"

namespace einlass::redis::testing {

inline limits::Limit sliding_log(std::string name, std::int64_t limit,
                                 Duration window = Duration::seconds(3'600)) {
  return {std::move(name), limits::SlidingLogParameters{{limit}, window}, {1}};
}

inline limits::Limit token_bucket(std::string name, limits::Rate rate, std::int64_t burst) {
  return {std::move(name), limits::TokenBucketParameters{rate, {burst}}, {1}};
}

struct GateSide {
  boost::asio::io_context io;
  core::Events events;
  std::vector<Notice> notices;
  std::vector<Notice> steps;  // What is said at debug.
  std::vector<Duration> calls;
  std::unique_ptr<Store> store;
  std::uint64_t last_ask = 0;

  explicit GateSide(StoreOptions options) {
    options.run = {1, 2, 3, 4, 5, 6, 7, 8};
    store = std::make_unique<Store>(
        io, std::move(options), events,
        [this](const Notice& notice) {
          (notice.severity == Severity::debug ? steps : notices).push_back(notice);
        },
        [this](Duration took) { calls.push_back(took); });
  }

  // Turns the loop until it is true; false if it never is.
  bool until(const std::function<bool()>& condition,
             std::chrono::milliseconds limit = std::chrono::seconds(10)) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      if (io.stopped()) io.restart();
      io.run_one_for(std::chrono::milliseconds(20));
    }
    return true;
  }
  bool until_up() {
    return until([&] { return store->status().up; });
  }

  core::AskId ask(std::uint32_t line, std::int64_t max, std::int64_t min = 1) {
    const core::AskId id{++last_ask};
    store->ask({{line}, id, {min}, {max}, Duration{}});
    return id;
  }

  // Asks the same once more, as the gate does after PermitsFailed, until there is an answer.
  const core::PermitsAnswered* answer_again(std::uint32_t line, core::AskId id, std::int64_t max,
                                            std::int64_t min = 1) {
    const bool answered = until([&] {
      events.clear();
      store->ask(
          {.line = {line}, .ask = id, .min = {min}, .max = {max}, .horizon = {}, .again = true});
      store->flush();
      until([&] { return count<core::PermitsAnswered>() + count<core::PermitsFailed>() > 0; });
      return count<core::PermitsAnswered>() > 0;
    });
    return answered ? find<core::PermitsAnswered>() : nullptr;
  }

  // Asks, and waits for the answer, which may also be that there is none.
  const core::PermitsAnswered* answer(std::uint32_t line, std::int64_t max, std::int64_t min = 1) {
    events.clear();
    ask(line, max, min);
    store->flush();
    until([&] { return count<core::PermitsAnswered>() + count<core::PermitsFailed>() > 0; });
    return find<core::PermitsAnswered>();
  }

  template <class Event>
  std::size_t count() const {
    std::size_t n = 0;
    for (const auto& event : events) n += std::holds_alternative<Event>(event);
    return n;
  }
  template <class Event>
  const Event* find() const {
    for (const auto& event : events) {
      if (const auto* found = std::get_if<Event>(&event)) return found;
    }
    return nullptr;
  }
  const Notice* notice(std::string_view what) const {
    for (const auto& each : notices) {
      if (each.what == what) return &each;
    }
    return nullptr;
  }
  bool says(std::string_view words) const {
    for (const auto& each : notices) {
      if (each.detail.find(words) != std::string::npos) return true;
    }
    return false;
  }
};

inline StoreOptions options_for(std::uint16_t port) {
  StoreOptions options;
  options.store = core::StoreId{3};
  options.port = port;
  options.name_space = "test";
  return options;
}

}  // namespace einlass::redis::testing
