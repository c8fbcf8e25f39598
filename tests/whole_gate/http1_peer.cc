// A server of HTTP/1.1, request by request.
#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "whole_gate/receiver.h"

namespace einlass::whole {
namespace {

std::string small(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 'a' - 'A') : c;
  });
  return text;
}

// The head, without its empty line.
Request read_head(std::string_view head) {
  Request request;
  std::size_t end = head.find("\r\n");
  const std::string_view first = head.substr(0, end);
  const std::size_t space = first.find(' ');
  const std::size_t last = first.rfind(' ');
  if (space == first.npos || last == space || first.substr(last + 1) != "HTTP/1.1") {
    throw Broken("no request line: " + std::string(first));
  }
  request.method = first.substr(0, space);
  request.path = first.substr(space + 1, last - space - 1);
  while (end != head.npos) {
    head.remove_prefix(end + 2);
    end = head.find("\r\n");
    const std::string_view line = head.substr(0, end);
    const std::size_t colon = line.find(": ");
    if (colon == line.npos) throw Broken("no field: " + std::string(line));
    request.fields[small(std::string(line.substr(0, colon)))] = line.substr(colon + 2);
  }
  return request;
}

class Http1Peer final : public Peer {
 public:
  Http1Peer(Receiver& receiver, Wire& wire)
      : receiver_(receiver), kernel_(receiver.kernel()), wire_(wire) {}

  void received(std::string_view bytes) override {
    if (says_goodbye_) throw Broken("a request on a connection that was to be closed");
    if (busy_) throw Broken("a request before the last one was answered");
    bytes_ += bytes;
    read();
    if (!busy_ && !bytes_.empty()) look_later(++came_);
  }

 private:
  void look_later(std::uint64_t came) {
    kernel_.after(kHalfRequest, [this, self = wire_.weak_from_this(), came] {
      const auto wire = self.lock();
      if (!wire || !wire->is_open() || came != came_ || busy_ || bytes_.empty()) return;
      if (!wire->is_quiet()) return look_later(came);
      throw Broken("a request ends in the middle");
    });
  }

  void read() {
    const std::size_t end = bytes_.find("\r\n\r\n");
    if (end == bytes_.npos) return;
    Request request = read_head(std::string_view(bytes_).substr(0, end));
    const auto length = request.fields.find("content-length");
    const std::size_t size = length == request.fields.end() ? 0 : std::stoul(length->second);
    if (bytes_.size() < end + 4 + size) return;
    request.body = bytes_.substr(end + 4, size);
    bytes_.erase(0, end + 4 + size);
    if (!bytes_.empty()) throw Broken("bytes behind a request");
    busy_ = true;
    kernel_.trace("wire " + std::to_string(wire_.number()));
    auto [number, answer] = receiver_.take(request, wire_);
    kernel_.after(answer.after, [this, self = wire_.weak_from_this(), number, answer] {
      const auto wire = self.lock();
      if (wire && wire->is_open()) give(number, answer);
    });
  }

  // Whatever comes after the last answer is not read.
  void give(std::size_t number, const Answer& answer) {
    if (is_spoiled(answer)) receiver_.spoiled(number);
    switch (answer.fate) {
      case Answer::Fate::never:
        return;
      case Answer::Fate::cut_before:
        return wire_.cut();
      case Answer::Fate::garbage:
        wire_.say("HTTP/9.9 yes\r\n\x01\r\n\r\n");
        return wire_.finish();
      case Answer::Fate::cut_within: {
        const std::string text = written(answer, Way::by_length);
        wire_.say(std::string_view(text).substr(0, kernel_.dice(text.size())));
        return wire_.finish();
      }
      case Answer::Fate::whole:
        break;
    }
    auto way = static_cast<Way>(kernel_.dice(5));
    if (way == Way::by_end && answer.status == 204) way = Way::by_length;  // It has none to end.
    kernel_.trace("wire " + std::to_string(wire_.number()) + " answers in way " +
                  std::to_string(static_cast<int>(way)));
    wire_.say(written(answer, way));
    // A body without a length may have been cut, for all that the gate knows.
    if (way != Way::by_end) {
      wire_.when_arrived([&receiver = receiver_, number] { receiver.told(number); });
    }
    says_goodbye_ = way == Way::by_end || way == Way::closing;
    if (way == Way::by_end) return wire_.finish();
    if (says_goodbye_) return finish_later();
    busy_ = false;
  }

  enum class Way : std::uint8_t { by_length, in_chunks, by_end, closing, after_hints };

  std::string written(const Answer& answer, Way way) {
    std::string text;
    if (way == Way::after_hints) text = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
    text += "HTTP/1.1 " + std::to_string(answer.status) + " Some reason\r\n";
    for (const auto& [name, value] : answer.fields) text += name + ": " + value + "\r\n";
    if (way == Way::closing) text += "Connection: close\r\n";
    if (answer.status == 204) return text + "\r\n";
    if (way == Way::by_end) return text + "\r\n" + answer.body;
    if (way != Way::in_chunks) {
      return text + "Content-Length: " + std::to_string(answer.body.size()) + "\r\n\r\n" +
             answer.body;
    }
    text += "Transfer-Encoding: chunked\r\n\r\n";
    for (std::string_view rest = answer.body; !rest.empty();) {
      const std::size_t size = 1 + static_cast<std::size_t>(kernel_.dice(rest.size()));
      char digits[20];
      const auto end = std::to_chars(digits, digits + sizeof digits, size, 16).ptr;
      text.append(digits, end).append(kernel_.one_in(3) ? ";a=b\r\n" : "\r\n");
      text.append(rest.substr(0, size)).append("\r\n");
      rest.remove_prefix(size);
    }
    return text + "0\r\n\r\n";
  }

  // The gate knows before it sees it.
  void finish_later() {
    kernel_.after(kernel_.between(0, 200'000), [self = wire_.weak_from_this()] {
      if (const auto wire = self.lock()) wire->finish();
    });
  }

  Receiver& receiver_;
  Kernel& kernel_;
  Wire& wire_;
  std::string bytes_;
  std::uint64_t came_ = 0;  // How often something did.
  bool busy_ = false;
  bool says_goodbye_ = false;
};

}  // namespace

std::unique_ptr<Peer> http1_peer(Receiver& receiver, Wire& wire) {
  return std::make_unique<Http1Peer>(receiver, wire);
}

}  // namespace einlass::whole
