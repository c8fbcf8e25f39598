// A server that keeps what it is asked, and answers as the test says.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "adapters/http/scripted_server.h"

namespace einlass::http::testing {

inline std::string header_of(const std::string& request, const std::string& name) {
  const std::size_t at = request.find("\r\n" + name + ": ");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + name.size() + 4;
  return request.substr(begin, request.find("\r\n", begin) - begin);
}

// Keeps every request, and answers as it is told at the time.
class Recorder {
 public:
  Recorder() : server_([this](Peer& peer) { serve(peer); }) {}

  void answer_by(std::function<std::string(const std::string& request)> answer) {
    const std::lock_guard lock(mutex_);
    answer_ = std::move(answer);
  }
  std::vector<std::string> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  std::uint16_t port() const { return server_.port(); }

 private:
  void serve(Peer& peer) {
    for (std::string request; !(request = peer.read_request()).empty();) {
      std::string answer;
      {
        const std::lock_guard lock(mutex_);
        requests_.push_back(request);
        answer = answer_(request);
      }
      peer.write(answer);
    }
  }

  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::function<std::string(const std::string&)> answer_ = [](const std::string&) {
    return "HTTP/1.1 204 No Content\r\n\r\n";
  };
  ScriptedServer server_;
};

inline std::string json_answer(const std::string& body, const std::string& status = "200 OK") {
  return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         body;
}

}  // namespace einlass::http::testing
