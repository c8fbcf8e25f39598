// A server behind the gate: what it does with a request, whichever protocol brings it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "whole_gate/in_flight.h"
#include "whole_gate/judge.h"
#include "whole_gate/kernel.h"
#include "whole_gate/wire.h"

namespace einlass::whole {

using Fields = std::vector<std::pair<std::string, std::string>>;

struct Answer {
  int status = 204;
  Fields fields;
  std::string body;
  Micros after = 0;
  // What becomes of it on its way. Only `whole` ones are sure to arrive.
  enum class Fate : std::uint8_t {
    whole,
    cut_before,
    cut_within,
    never,
    garbage
  } fate = Fate::whole;
};

// The gate learns that this attempt is over, and not from all of an answer.
inline bool is_spoiled(const Answer& answer) {
  return answer.fate != Answer::Fate::whole && answer.fate != Answer::Fate::never;
}

class Receiver final : public Listener {
 public:
  // One of several, from 1 on.
  Receiver(Kernel& kernel, Judge& judge, InFlight& in_flight, bool http2, int number);

  static std::string host(int number) { return "10.0.1." + std::to_string(number); }

  // How many of a hundred requests fail, and how many answers are slow. None after heal().
  void be_faulty(std::uint64_t percent) { faulty_ = percent; }
  void set_weather(const Weather& weather) { weather_ = weather; }
  void strike();
  void heal();

  // Reads a request, decides, and tells the judge.
  std::pair<std::size_t, Answer> take(const Request& request, Wire& wire);

  // The gate has all of the answer.
  void told(std::size_t request);

  // It is not answered as it should be.
  void spoiled(std::size_t request) { in_flight_.over(request); }
  Kernel& kernel() { return kernel_; }

  Welcome welcome() override;
  void accepted(const std::shared_ptr<Wire>& wire) override;

 private:
  Answer decide();
  std::vector<std::size_t> accept(std::size_t records, Answer& answer);
  std::vector<std::size_t> choose(std::size_t records);

  Kernel& kernel_;
  Judge& judge_;
  InFlight& in_flight_;
  const bool http2_;
  Weather weather_;
  std::uint64_t faulty_ = 0;
  bool up_ = true, silent_ = false;
  std::vector<std::weak_ptr<Wire>> wires_;
};

// Half a request came, and no more for so long although nothing is in its way: the gate has
// forgotten the rest.
inline constexpr Micros kHalfRequest = 1'000'000;

// The two protocols. Each lives as long as its wire.
std::unique_ptr<Peer> http1_peer(Receiver& receiver, Wire& wire);
std::unique_ptr<Peer> http2_peer(Receiver& receiver, Wire& wire);

}  // namespace einlass::whole
