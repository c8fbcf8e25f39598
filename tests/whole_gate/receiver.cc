#include "whole_gate/receiver.h"

#include <algorithm>

#include "whole_gate/gate_file.h"

namespace einlass::whole {

Receiver::Receiver(Kernel& kernel, Judge& judge, InFlight& in_flight, bool http2, int number)
    : kernel_(kernel), judge_(judge), in_flight_(in_flight), http2_(http2) {
  kernel_.listen({host(number), 80}, *this);
}

Welcome Receiver::welcome() {
  const Micros after = kernel_.one_in(2) ? 0 : kernel_.between(1, 10'000);
  if (up_) return {Welcome::Kind::accepted, after};
  return {silent_ ? Welcome::Kind::silent : Welcome::Kind::refused, after};
}

void Receiver::accepted(const std::shared_ptr<Wire>& wire) {
  wire->set_weather(weather_);
  wire->attach(http2_ ? http2_peer(*this, *wire) : http1_peer(*this, *wire));
  std::erase_if(wires_, [](const std::weak_ptr<Wire>& one) { return one.expired(); });
  wires_.push_back(wire);
}

std::pair<std::size_t, Answer> Receiver::take(const Request& request, Wire& wire) {
  const std::size_t number = judge_.asked(request);
  // Over HTTP/1.1 whoever gives an attempt up closes its connection. Over HTTP/2 that travels as
  // other bytes do, and what counts is by when it must have been given up.
  const Micros until = http2_ ? judge_.left(number) + kShortestTimeout : INT64_MAX;
  in_flight_.began(number, request.path, judge_.records_of(number), until, wire.weak_from_this());
  Answer answer = decide();
  judge_.accepted(number, accept(judge_.records_of(number), answer));
  kernel_.trace("answer " + std::to_string(answer.status) + ", fate " +
                std::to_string(static_cast<int>(answer.fate)));
  return {number, std::move(answer)};
}

void Receiver::told(std::size_t request) {
  judge_.told(request);
  in_flight_.over(request);
}

// Which of a request's records it takes, by their indexes in it; if not all, the answer names the
// others.
std::vector<std::size_t> Receiver::accept(std::size_t records, Answer& answer) {
  // Half an answer is none: whoever takes it for one loses what the server may have thrown away.
  const bool half = answer.fate == Answer::Fate::garbage || answer.fate == Answer::Fate::cut_within;
  if (answer.status / 100 != 2 || half) return {};
  std::vector<std::size_t> taken = choose(records);
  if (taken.size() == records) return taken;
  answer.status = 200;
  answer.body = "{\"failed\": [";
  for (std::size_t index = 0; index < records; ++index) {
    if (std::ranges::binary_search(taken, index)) continue;
    if (answer.body.back() == '}') answer.body += ", ";
    answer.body += "{\"index\": " + std::to_string(index) + ", \"status\": 503}";
  }
  answer.body += "]}";
  return taken;
}

std::vector<std::size_t> Receiver::choose(std::size_t records) {
  const bool all = records == 1 || kernel_.dice(100) >= faulty_;
  const std::size_t until = !all && judge_.is_ordered() ? kernel_.dice(records) : records;
  std::vector<std::size_t> taken;
  for (std::size_t index = 0; index < until; ++index) {
    if (all || judge_.is_ordered() || kernel_.one_in(2)) taken.push_back(index);
  }
  return taken;
}

Answer Receiver::decide() {
  Answer answer;
  answer.after = kernel_.between(0, 5'000);
  answer.status = kernel_.one_in(2) ? 204 : 200;
  if (answer.status == 200) answer.body.assign(kernel_.dice(3) * kernel_.dice(3'000), 'x');
  if (kernel_.one_in(3))
    answer.fields.emplace_back("x-some-field", std::string(kernel_.dice(600), 'f'));
  if (kernel_.dice(100) >= faulty_) return answer;
  switch (kernel_.dice(8)) {
    case 0:
      answer.status = 503;
      if (kernel_.one_in(2)) answer.fields.emplace_back("retry-after", "1");
      break;
    case 1:
      answer.status = 500;
      answer.body = "no";
      break;
    case 2:
      answer.status = 429;
      answer.fields.emplace_back("retry-after", "1");
      break;
    case 3:
      answer.fate = Answer::Fate::cut_before;
      break;
    case 4:
      answer.fate = Answer::Fate::cut_within;
      break;
    case 5:
      answer.fate = Answer::Fate::never;
      break;
    case 6:
      answer.fate = Answer::Fate::garbage;
      break;
    default:
      answer.after = kernel_.between(0, 4'000'000);
  }
  return answer;
}

void Receiver::strike() {
  switch (kernel_.dice(3)) {
    case 0:
      up_ = false;
      silent_ = kernel_.one_in(2);
      kernel_.trace("the receiver is down");
      kernel_.after(kernel_.between(1'000, 5'000'000), [this] { up_ = true; });
      [[fallthrough]];
    case 1:
      for (const auto& wire : std::exchange(wires_, {})) {
        if (const auto open = wire.lock()) open->cut();
      }
      return;
    default:
      for (const auto& wire : wires_) {
        const auto open = wire.lock();
        if (open) open->stall_until(kernel_.now() + kernel_.between(1'000, 5'000'000));
      }
  }
}

void Receiver::heal() {
  up_ = true;
  faulty_ = 0;
  weather_ = {};
  for (const auto& wire : wires_) {
    if (const auto open = wire.lock()) open->heal();
  }
}

}  // namespace einlass::whole
