// Whole gates in simulated worlds, one for each seed.
//
//   whole_gate CLOCK [--from N] [--seeds N] [--verbose] [--keep-going]
//
// CLOCK is the library that gives a real redis-server the world's clock.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "units/keyed_hash.h"
#include "whole_gate/world.h"

namespace {

using namespace einlass::whole;

struct Arguments {
  std::string clock;
  std::uint64_t from = 1, seeds = 200;
  bool verbose = false, keep_going = false;
};

Arguments read(int count, char** words) {
  Arguments arguments;
  if (count < 2) throw std::invalid_argument("the library for Redis' clock is missing");
  arguments.clock = words[1];
  for (int i = 2; i < count; ++i) {
    const std::string word = words[i];
    const bool has_number = i + 1 < count;
    if (word == "--from" && has_number) {
      arguments.from = std::stoull(words[++i]);
    } else if (word == "--seeds" && has_number) {
      arguments.seeds = std::stoull(words[++i]);
    } else if (word == "--verbose") {
      arguments.verbose = true;
    } else if (word == "--keep-going") {
      arguments.keep_going = true;
    } else {
      throw std::invalid_argument("what is " + word + "?");
    }
  }
  return arguments;
}

// Every eighth seed runs twice, and must do the same.
bool run(const Arguments& arguments, std::uint64_t seed, RealRedis& redis, Outcome& outcome) {
  outcome = run_world(seed, redis, arguments.verbose);
  if (outcome.broken.empty() && seed % 8 == 0 && !arguments.verbose) {
    const Outcome again = run_world(seed, redis, false);
    if (again.hash != outcome.hash) outcome.broken = "another run of the seed went otherwise";
  }
  if (outcome.broken.empty()) return true;
  std::printf("seed %llu: %s\n%s", static_cast<unsigned long long>(seed), outcome.broken.c_str(),
              outcome.config.c_str());
  return false;
}

}  // namespace

int main(int count, char** words) {
  try {
    const Arguments arguments = read(count, words);
    RealRedis redis(arguments.clock);
    einlass::keyed_hash("");  // Draws its key for the whole process.
    std::uint64_t failed = 0, requests = 0, repeats = 0;
    double seconds = 0;
    for (std::uint64_t i = 0; i < arguments.seeds; ++i) {
      Outcome outcome;
      failed += !run(arguments, arguments.from + i, redis, outcome);
      requests += outcome.requests;
      repeats += outcome.repeats;
      seconds += outcome.seconds;
      std::fflush(stdout);
      if (failed > 0 && !arguments.keep_going) break;
    }
    std::printf("%llu requests in %.0f simulated seconds, %llu records accepted again\n",
                static_cast<unsigned long long>(requests), seconds,
                static_cast<unsigned long long>(repeats));
    std::printf("%llu failed\n", static_cast<unsigned long long>(failed));
    return failed == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "whole_gate: %s\n", error.what());
    return 2;
  }
}
