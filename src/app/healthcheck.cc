#include "app/healthcheck.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>

#include "app/command_line.h"

namespace einlass::app {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr std::chrono::seconds kPatience{5};
constexpr std::size_t kMostOfAnswer = 16 * 1024;

// Who listens on every address is asked on the machine's own.
std::string host_to_ask(const std::string& listens_on) {
  boost::system::error_code no_address;
  const auto address = asio::ip::make_address(listens_on, no_address);
  if (no_address || !address.is_unspecified()) return listens_on;
  return address.is_v6() ? "::1" : "127.0.0.1";
}

// One request and its whole answer, or the reason why there is none.
class Question {
 public:
  Question(std::string host, std::uint16_t port)
      : host_(std::move(host)), port_(std::to_string(port)) {}

  void ask() {
    resolver_.async_resolve(host_, port_, [this](const auto& error, const auto& found) {
      if (error) return end(error);
      socket_.async_connect(*found.begin(), [this](const auto& failed) { send(failed); });
    });
    io_.run_for(kPatience);
  }

  const std::string& answer() const { return answer_; }
  std::string trouble() const {
    return ended_ == asio::error::timed_out ? "no answer within 5 s" : ended_.message();
  }

 private:
  void send(const boost::system::error_code& error) {
    if (error) return end(error);
    asio::async_write(socket_, asio::buffer(request_), [this](const auto& failed, std::size_t) {
      if (failed) return end(failed);
      asio::async_read(socket_, asio::dynamic_buffer(answer_, kMostOfAnswer),
                       [this](const auto& ended, std::size_t) { end(ended); });
    });
  }

  void end(const boost::system::error_code& why) { ended_ = why; }

  const std::string host_;
  const std::string port_;
  const std::string request_ =
      "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  std::string answer_;
  boost::system::error_code ended_ = asio::error::timed_out;
  asio::io_context io_{1};
  tcp::resolver resolver_{io_};
  tcp::socket socket_{io_};
};

// The body, without the line's end.
std::string said(const std::string& answer) {
  const std::size_t head = answer.find("\r\n\r\n");
  std::string body = head == std::string::npos ? "" : answer.substr(head + 4);
  while (!body.empty() && body.back() == '\n') body.pop_back();
  return body;
}

}  // namespace

int healthcheck(const config::Config& config) {
  const std::string host = host_to_ask(config.admin.host);
  Question question(host, config.admin.port);
  question.ask();
  const std::string& answer = question.answer();
  if (answer.starts_with("HTTP/1.1 200 ")) {
    std::printf("%s\n", said(answer).c_str());
    return kExitDone;
  }
  const std::string why = answer.starts_with("HTTP/1.1 ")
                              ? said(answer)
                              : question.trouble() + "; is the gate running?";
  std::fprintf(stderr, "einlass: http://%s/healthz: %s\n",
               to_text(config::HostPort{host, config.admin.port}).c_str(), why.c_str());
  return kExitFailed;
}

}  // namespace einlass::app
