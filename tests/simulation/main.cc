// simulation [--seeds N] [--from N] [--keep-going]      seeds N.. one after the other
// simulation --seed N [--verbose] [--steps N] [--records N] [--gates N] [--without fault,fault]
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <new>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "shrink.h"

namespace einlass::simulation {
namespace {

constexpr std::size_t kMostWorkers = 8;
constexpr std::uint64_t kTwiceEvery = 8;  // Every so many seeds are run twice and compared.

struct Arguments {
  Case one;
  bool single = false;
  bool verbose = false;
  bool keep_going = false;
  std::uint64_t from = 1;
  std::uint64_t seeds = 2000;
};

// How far a worker is: in memory that it shares with its parent, who outlives it.
struct Progress {
  std::uint64_t seed = 0;
  std::uint64_t done = 0;
  std::uint64_t steps = 0;
  bool failed = false;  // At `seed`.
};

[[noreturn]] void usage(const std::string& what) {
  std::cerr << "simulation: " << what << "\n"
            << "  [--seeds N] [--from N] [--keep-going]\n"
            << "  --seed N [--verbose] [--steps N] [--records N] [--gates N] [--without a,b]\n";
  std::exit(64);
}

std::uint64_t read_number(const std::string& name, std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, wrong] = std::from_chars(text.begin(), text.end(), number);
  if (wrong != std::errc{} || end != text.end()) usage(name + " needs a number");
  return number;
}

FaultSet read_faults(const std::string& names) {
  FaultSet set;
  std::istringstream in(names);
  for (std::string name; std::getline(in, name, ',');) {
    const std::optional<Fault> fault = fault_named(name);
    if (!fault) usage("there is no fault '" + name + "'");
    set.set(static_cast<std::size_t>(*fault));
  }
  return set;
}

Arguments read_arguments(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--verbose") arguments.verbose = true;
    if (name == "--keep-going") arguments.keep_going = true;
    if (name == "--verbose" || name == "--keep-going") continue;
    if (++i == argc) usage(name + " needs a value");
    if (name == "--without") {
      arguments.one.overrides.without = read_faults(argv[i]);
      continue;
    }
    const std::uint64_t number = read_number(name, argv[i]);
    if (name == "--seed") {
      arguments.one.seed = number;
      arguments.single = true;
    } else if (name == "--seeds") {
      arguments.seeds = number;
    } else if (name == "--from") {
      arguments.from = number;
    } else if (name == "--steps") {
      arguments.one.overrides.steps = number;
    } else if (name == "--records") {
      arguments.one.overrides.records = static_cast<std::int64_t>(number);
    } else if (name == "--gates") {
      arguments.one.overrides.instances = number;
    } else {
      usage("there is no option " + name);
    }
  }
  return arguments;
}

bool same_twice(const Case& one, std::uint64_t hash) {
  std::uint64_t again = 0;
  run_here(one, Show::nothing, nullptr, &again);
  return again == hash;
}

// Runs every `stride`-th seed until one fails or all are done. Ends the process.
[[noreturn]] void work(const Arguments& arguments, std::uint64_t stride, Progress& progress) {
  for (; progress.seed < arguments.from + arguments.seeds; progress.seed += stride) {
    Case one = arguments.one;
    one.seed = progress.seed;
    std::uint64_t steps = 0, hash = 0;
    progress.failed = true;  // Until it has ended well; it may not end at all.
    const Verdict verdict = run_here(one, Show::nothing, &steps, &hash);
    if (verdict.failed) _exit(1);
    if (progress.seed % kTwiceEvery == 0 && !same_twice(one, hash)) _exit(1);
    progress.failed = false;
    progress.steps += steps;
    ++progress.done;
  }
  _exit(0);
}

struct Ran {
  std::uint64_t seeds = 0, steps = 0;  // Of those that did not fail.
  std::set<std::uint64_t> failed;      // The first ones, or all.
};

// All seeds, on all cores.
Ran run_many(const Arguments& arguments) {
  const std::size_t workers =
      std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMostWorkers);
  void* memory = mmap(nullptr, sizeof(Progress) * workers, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) usage("no memory to share");
  Progress* progress = new (memory) Progress[workers];
  std::map<pid_t, std::size_t> children;
  const auto start = [&](std::size_t worker) {
    const pid_t child = fork();
    if (child == 0) {
      if (!std::freopen("/dev/null", "w", stderr)) _exit(1);
      work(arguments, workers, progress[worker]);
    }
    if (child > 0) children[child] = worker;
  };
  for (std::size_t i = 0; i < workers; ++i) {
    progress[i].seed = arguments.from + i;
    start(i);
  }
  Ran ran;
  while (!children.empty()) {
    const pid_t child = wait(nullptr);
    const auto at = children.find(child);
    if (at == children.end()) continue;
    const std::size_t worker = at->second;
    children.erase(at);
    if (!progress[worker].failed) continue;
    ran.failed.insert(progress[worker].seed);
    progress[worker].failed = false;
    progress[worker].seed += workers;
    if (arguments.keep_going) start(worker);
  }
  for (std::size_t i = 0; i < workers; ++i) {
    ran.seeds += progress[i].done;
    ran.steps += progress[i].steps;
  }
  return ran;
}

// After the end of its trace.
void report(const Case& failing, const Verdict& verdict) {
  std::cout << "check " << verdict.check << ": " << verdict.detail << "\n"
            << "again:  " << command_line(failing) << "\n"
            << std::flush;
  if (verdict.hangs()) return;
  const Case small = shrink(failing, verdict.check);
  std::cout << "shrunk: " << command_line(small) << "\n" << std::flush;
}

int run_one(const Arguments& arguments) {
  const Verdict verdict =
      run_apart(arguments.one, arguments.verbose ? Show::everything : Show::tail);
  if (verdict.failed && !arguments.verbose) report(arguments.one, verdict);
  if (verdict.failed && arguments.verbose)
    std::cout << "check " << verdict.check << ": " << verdict.detail << "\n";
  if (!verdict.failed) std::cout << "seed " << arguments.one.seed << ": no failure\n";
  return verdict.failed ? 1 : 0;
}

int run_all(const Arguments& arguments) {
  const Ran ran = run_many(arguments);
  const std::set<std::uint64_t>& failed = ran.failed;
  const std::uint64_t ended = ran.seeds + failed.size();
  if (arguments.keep_going) {
    for (const std::uint64_t seed : failed) {
      Case one = arguments.one;
      one.seed = seed;
      const Verdict verdict = run_apart(one, Show::nothing);
      std::cout << "seed " << seed << ": " << verdict.check << ": " << verdict.detail << "\n";
    }
  } else if (!failed.empty()) {
    Case one = arguments.one;
    one.seed = *failed.begin();
    std::cout << "seed " << one.seed << " failed" << std::endl;
    const Verdict verdict = run_apart(one, Show::tail);
    if (verdict.failed) report(one, verdict);
    if (!verdict.failed) std::cout << "check same_seed_same_trace: it fails only sometimes\n";
  }
  std::cout << ended << " seeds, " << ran.steps << " steps, " << failed.size() << " failures"
            << std::endl;
  if (failed.empty() && ended != arguments.seeds) {
    std::cout << "only these of " << arguments.seeds << " have run" << std::endl;
  }
  return failed.empty() && ended == arguments.seeds ? 0 : 1;
}

}  // namespace
}  // namespace einlass::simulation

int main(int argc, char** argv) {
  using namespace einlass::simulation;
  const Arguments arguments = read_arguments(argc, argv);
  return arguments.single ? run_one(arguments) : run_all(arguments);
}
