// A server that does to each connection exactly what the test says: blocking sockets, a thread for
// each connection, nothing of what is being tested in it.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <thread>

namespace einlass::http::testing {

// A listening socket on a port that was free, below those that servers.py gives out, which are
// somebody's also while nobody listens. Processes that begin one after the other begin far apart.
inline int listen_on_free_port(std::uint16_t& port, int backlog = 128) {
  static std::atomic<unsigned> next{static_cast<unsigned>(getpid()) * 3'571};
  for (int tries = 0; tries < 2000; ++tries) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    port = static_cast<std::uint16_t>(10'000 + next++ % 10'000);
    address.sin_port = htons(port);
    if (bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0 &&
        listen(fd, backlog) == 0) {
      return fd;
    }
    ::close(fd);
  }
  std::abort();
}

// The server's end of one connection. Every call gives up after ten seconds.
class Peer {
 public:
  Peer(int fd, int which, SSL_CTX* tls) : number{which}, fd_{fd} {
    const timeval limit{10, 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    if (tls == nullptr) return;
    ssl_ = SSL_new(tls);
    SSL_set_fd(ssl_, fd_);
    if (SSL_accept(ssl_) == 1) {
      const char* name = SSL_get_servername(ssl_, TLSEXT_NAMETYPE_host_name);
      server_name = name == nullptr ? "" : name;
    }
  }
  ~Peer() {
    close();
    SSL_free(ssl_);
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  // Whatever comes next; empty at the end.
  std::string read_some() {
    char bytes[64 * 1024];
    const auto n =
        ssl_ != nullptr ? SSL_read(ssl_, bytes, sizeof(bytes)) : recv(fd_, bytes, sizeof(bytes), 0);
    return n > 0 ? std::string(bytes, static_cast<std::size_t>(n)) : std::string();
  }

  // One request with its body; empty if the client hung up first.
  std::string read_request() {
    std::size_t head = 0;
    while ((head = pending_.find("\r\n\r\n")) == std::string::npos) {
      const std::string more = read_some();
      if (more.empty()) return {};
      pending_ += more;
    }
    const std::size_t at = pending_.find("Content-Length: ");
    const std::size_t size = head + 4 + (at < head ? std::stoul(pending_.substr(at + 16)) : 0);
    while (pending_.size() < size) {
      const std::string more = read_some();
      if (more.empty()) return {};
      pending_ += more;
    }
    const std::string request = pending_.substr(0, size);
    pending_.erase(0, size);
    return request;
  }

  // False if the client is gone.
  bool write(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto n = ssl_ != nullptr ? SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()))
                                     : send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }

  // Says goodbye in TLS, and ends what we send.
  void end() {
    if (ssl_ != nullptr) SSL_shutdown(ssl_);
    shutdown(fd_, SHUT_WR);
  }

  // Blocks until the client has hung up.
  void wait_for_end() {
    while (!read_some().empty()) {
    }
  }

  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

  void reset() {
    const linger now{1, 0};
    setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    close();
  }

  // New keys for what we send, and nothing else, so often. False if the client is gone.
  bool renew_keys(int times) {
    for (int i = 0; i < times; ++i) {
      if (SSL_key_update(ssl_, SSL_KEY_UPDATE_NOT_REQUESTED) != 1) return false;
      if (SSL_do_handshake(ssl_) != 1) return false;
    }
    return true;
  }

  int fd() const { return fd_; }

  const int number;         // Which connection this is, from 1.
  std::string server_name;  // What the client asked for in TLS.

 private:
  int fd_;
  SSL* ssl_ = nullptr;
  std::string pending_;
};

class ScriptedServer {
 public:
  using Script = std::function<void(Peer&)>;

  explicit ScriptedServer(Script script, SSL_CTX* tls = nullptr)
      : script_{std::move(script)}, tls_{tls}, listener_{listen_on_free_port(port_)} {
    acceptor_ = std::thread([this] { accept_all(); });
  }

  // With a listener at that port, which is the server's from here on.
  ScriptedServer(Script script, int listener, std::uint16_t port)
      : script_{std::move(script)}, tls_{nullptr}, port_{port}, listener_{listener} {
    acceptor_ = std::thread([this] { accept_all(); });
  }

  // Waits for the scripts, which end because their clients are gone: clients go first.
  ~ScriptedServer() {
    shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    for (std::thread& thread : threads_) thread.join();
    ::close(listener_);
  }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  std::uint16_t port() const { return port_; }
  int connections() const { return connections_; }

 private:
  void accept_all() {
    sigset_t broken_pipe;  // OpenSSL's own sockets raise it; the tested code must not need this.
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
    for (;;) {
      const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0 && errno == EMFILE) continue;  // A test lets nobody open a file, for a moment.
      if (fd < 0) return;
      const int number = ++connections_;
      threads_.emplace_back([this, fd, number] {
        Peer peer(fd, number, tls_);
        script_(peer);
      });
    }
  }

  Script script_;
  SSL_CTX* tls_;
  std::uint16_t port_ = 0;
  int listener_;
  std::atomic<int> connections_{0};
  std::list<std::thread> threads_;  // The acceptor's until it has ended.
  std::thread acceptor_;
};

}  // namespace einlass::http::testing
