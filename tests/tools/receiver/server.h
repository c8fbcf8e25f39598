// One thread, one epoll: the port that gates deliver to, and the port where tests ask and tell.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tools/receiver/journal.h"
#include "tools/receiver/script.h"

namespace einlass::tools {

class Server {
 public:
  // 0: any free port. Throws std::system_error if a port cannot be had.
  Server(std::uint16_t port, std::uint16_t control_port);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const { return port_; }
  std::uint16_t control_port() const { return control_port_; }

  // Serves until `stop_fd` can be read.
  void run(int stop_fd);

 private:
  struct Connection {
    int fd = -1;
    bool control = false;
    bool waiting = false;  // For an answer that comes later; further requests wait behind it.
    bool wants_write = false;
    std::uint64_t serial = 0;
    std::string in, out;
    Journal::Index entry = 0;
  };
  struct Later {
    int fd = -1;
    std::uint64_t serial = 0;
  };

  void accept_all(int listener, bool control);
  void read_from(Connection& connection);
  void take_requests(Connection& connection);
  bool take_request(Connection& connection, const Request& request);
  void answer_control(Connection& connection, const Request& request);
  void tell(const std::string& json);
  void apply_mode();
  void release_held();
  void release_due(std::int64_t now_us);
  void finish(const Later& later, int status);
  void respond(Connection& connection, int status);
  void flush(Connection& connection);
  void drop(int fd, bool reset = false);
  int timeout_ms(std::int64_t now_us) const;

  int epoll_ = -1, listener_ = -1, control_listener_ = -1;
  std::uint16_t port_ = 0, control_port_ = 0;
  std::uint64_t serial_ = 0;
  std::vector<std::unique_ptr<Connection>> connections_;  // By descriptor.
  std::deque<Later> held_;
  std::multimap<std::int64_t, Later> later_;
  std::vector<char> buffer_;
  Journal journal_;
  Script script_;
};

}  // namespace einlass::tools
