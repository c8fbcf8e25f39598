// What the server says: to gates as the script has it, to tests whatever they ask.
#include <sys/epoll.h>
#include <unistd.h>

#include <string_view>

#include "tools/receiver/server.h"
#include "tools/receiver/sockets.h"

namespace einlass::tools {
namespace {

constexpr std::string_view kOk = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

std::string response(int status, std::string_view headers, std::string_view body) {
  std::string text = "HTTP/1.1 " + std::to_string(status) + " Status\r\nContent-Length: ";
  text.append(std::to_string(body.size())).append("\r\n").append(headers).append("\r\n");
  return text.append(body);
}

}  // namespace

void Server::respond(Connection& connection, int status) {
  journal_.answered(connection.entry, status, now_us());
  if (status == 200) {
    connection.out += kOk;
    return;
  }
  std::string headers;
  if (!script_.retry_after().empty()) headers = "Retry-After: " + script_.retry_after() + "\r\n";
  connection.out += response(status, headers, "");
}

void Server::answer_control(Connection& connection, const Request& request) {
  const std::string_view path = request.path;
  int status = 200;
  std::string body;
  try {
    if (request.method == "POST" && path == "/_control") {
      tell(std::string(request.body));
    } else if (request.method == "POST" && path == "/_clear") {
      journal_.clear();
    } else if (request.method == "POST" && path == "/_forget") {
      journal_.forget();
    } else if (request.method == "POST" && path == "/_keep_full") {
      journal_.keep_full(true);
    } else if (path == "/_summary") {
      body = journal_.summary();
    } else if (path.starts_with("/_log")) {
      const auto equals = path.find("?from=");
      body = journal_.lines(
          equals == path.npos ? 0 : std::stoull(std::string(path.substr(equals + 6))));
    } else if (path == "/_full") {
      body = journal_.full_lines();
    } else {
      status = 404;
    }
  } catch (const std::exception& error) {
    status = 400;
    body = error.what();
  }
  connection.out += response(status, "", body);
}

void Server::tell(const std::string& json) {
  script_.tell(json, now_us());
  apply_mode();
}

void Server::apply_mode() {
  if (!script_.holding()) release_held();
  if (script_.refusing() && listener_ >= 0) {
    close(listener_);
    listener_ = -1;
    for (std::size_t fd = 0; fd < connections_.size(); ++fd) {
      if (connections_[fd] && !connections_[fd]->control) drop(static_cast<int>(fd), true);
    }
  } else if (!script_.refusing() && listener_ < 0) {
    listener_ = listen_on(port_);
    watch(epoll_, listener_, EPOLLIN);
  }
}

void Server::release_held() {
  while (!held_.empty()) {
    const Later later = held_.front();
    held_.pop_front();
    finish(later, 200);
  }
}

void Server::release_due(std::int64_t now) {
  while (!later_.empty() && later_.begin()->first <= now) {
    const Later later = later_.begin()->second;
    later_.erase(later_.begin());
    finish(later, 200);
  }
}

void Server::finish(const Later& later, int status) {
  const auto& connection = connections_[later.fd];
  if (!connection || connection->serial != later.serial) return;
  respond(*connection, status);
  connection->waiting = false;
  take_requests(*connection);
}

}  // namespace einlass::tools
