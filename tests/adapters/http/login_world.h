// A target with a login, a receiver that sees it, and a server that gives tokens.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "adapters/http/recorder.h"
#include "adapters/http/target_world.h"

namespace einlass::http::testing {

inline constexpr std::string_view kUnauthorized =
    "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n";

// A token server that gives token-1, token-2, ...
inline std::function<std::string(const std::string&)> numbered_tokens(const std::string& expires_in) {
  return [expires_in, given = 0](const std::string&) mutable {
    return json_answer("{\"access_token\": \"token-" + std::to_string(++given) +
                       "\", \"token_type\": \"Bearer\", \"expires_in\": " + expires_in + "}");
  };
}

inline void replace(const std::string& path, const std::string& text) {
  std::ofstream(path + ".new") << text;
  std::filesystem::rename(path + ".new", path);
}

class TargetLogin : public ::testing::Test {
 protected:
  // Ended attempts only: holds stand among the events too.
  core::DeliveryEnded deliver(std::string_view body = "{}", std::string_view host = {}) {
    const std::size_t before = ended().size();
    world.send(body, {}, host);
    world.run_until([&] { return ended().size() > before; });
    return ended().back();
  }
  std::vector<core::DeliveryEnded> ended() const {
    std::vector<core::DeliveryEnded> all;
    for (const auto& event : world.events) {
      if (const auto* one = std::get_if<core::DeliveryEnded>(&event)) all.push_back(*one);
    }
    return all;
  }
  std::size_t holds() const {
    std::size_t count = 0;
    for (const auto& event : world.events) {
      const auto* hold = std::get_if<core::TargetHold>(&event);
      if (hold != nullptr && hold->target == core::TargetId{3}) ++count;
    }
    return count;
  }
  void use_oauth2() {
    world.options.login.kind = LoginOptions::Kind::oauth2;
    world.options.login.secret.value = "s:cret";
    world.options.login.token = {.tls = false,
                                 .host = "127.0.0.1",
                                 .port = tokens.port(),
                                 .path = "/token?x=1",
                                 .client_id = "gate 1",
                                 .scope = "deliver read",
                                 .audience = ""};
  }
  void wait_for_token() {
    world.target();
    world.run_until([&] { return world.target().status().unusable.empty(); });
  }

  Recorder receiver;
  Recorder tokens;
  TargetWorld world{receiver.port()};
};

}  // namespace einlass::http::testing
