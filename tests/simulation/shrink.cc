#include "shrink.h"

#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <iostream>

namespace einlass::simulation {
namespace {

// A world notices itself that it is slow, but not while an event never ends.
constexpr int kMostSecondsWithEvent = kMostSeconds + 5;

const Trace* shown = nullptr;  // What a process that is about to die shows.

void print_tail(const Trace& trace) {
  std::printf("the end of the trace:\n");
  for (const std::string& line : trace.tail()) std::printf("  %s\n", line.c_str());
  std::fflush(stdout);
}

// What hangs may have been stopped inside the allocator, where showing would wait for ever.
void on_death(int signal) {
  std::signal(signal, SIG_DFL);
  alarm(5);
  if (shown) print_tail(*shown);
  std::raise(signal);
}

void end_if_it_hangs() {
  const itimerval once{{0, 0}, {kMostSecondsWithEvent, 0}};
  setitimer(ITIMER_VIRTUAL, &once, nullptr);
}

// The last line of the child's words: "ok", "check: detail", or what a broken CHECK has said.
Verdict read_verdict(const std::string& words, int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGVTALRM || WTERMSIG(status) == SIGALRM)) {
    return {true, kHangs,
            "an event has no end within " + std::to_string(kMostSecondsWithEvent) + " s"};
  }
  const std::string mark = "broken invariant: ";
  if (const std::size_t at = words.find(mark); at != std::string::npos) {
    return {true, words.substr(at, words.find('\n', at) - at), words};
  }
  const std::size_t colon = words.find(": ");
  if (colon == std::string::npos) return {true, "died", words};
  return {true, words.substr(0, colon), words.substr(colon + 2)};
}

[[noreturn]] void live_and_die(const Case& one, Show show, int words) {
  dup2(words, STDERR_FILENO);
  std::signal(SIGABRT, on_death);
  std::signal(SIGVTALRM, on_death);
  const Verdict verdict = run_here(one, show, nullptr, nullptr);
  std::fflush(stdout);
  if (verdict.failed) std::cerr << verdict.check << ": " << verdict.detail << std::endl;
  _exit(verdict.failed ? 1 : 0);
}

bool fails_alike(const Case& one, const std::string& check) {
  return run_apart(one, Show::nothing).check == check;
}

// The smallest value from 1 to `most` that still fails, found as if failing were monotonous.
template <class Set>
void bisect(Case& one, const std::string& check, std::uint64_t most, Set set) {
  std::uint64_t least = 0;
  while (most - least > 1) {
    const std::uint64_t middle = least + (most - least) / 2;
    Case smaller = one;
    set(smaller, middle);
    if (fails_alike(smaller, check)) {
      one = smaller;
      most = middle;
    } else {
      least = middle;
    }
  }
}

}  // namespace

Verdict run_here(const Case& one, Show show, std::uint64_t* steps, std::uint64_t* hash) {
  constexpr Trace::Keep kKeep[] = {Trace::Keep::hash, Trace::Keep::tail, Trace::Keep::print};
  end_if_it_hangs();
  Trace trace(kKeep[static_cast<std::size_t>(show)]);
  shown = show == Show::tail ? &trace : nullptr;
  Verdict verdict;
  try {
    World world(draw_settings(one.seed, one.overrides), trace);
    if (show == Show::everything) std::cout << describe(world.settings) << std::endl;
    const Result result = world.run(one.overrides.steps);
    if (steps) *steps = result.steps;
    if (hash) *hash = result.hash;
  } catch (const Failure& failure) {
    verdict = {true, failure.check, failure.what()};
    if (show == Show::tail) print_tail(trace);
  }
  shown = nullptr;
  return verdict;
}

Verdict run_apart(const Case& one, Show show) {
  std::fflush(stdout);
  int ends[2];
  if (pipe(ends) != 0) return {true, "pipe", ""};
  const pid_t child = fork();
  if (child == 0) live_and_die(one, show, ends[1]);
  close(ends[1]);
  std::string words;
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
    words.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return read_verdict(words, status);
}

Case shrink(const Case& failing, const std::string& check) {
  Case one = failing;
  for (std::size_t i = 0; i < kFaults; ++i) {
    Case smaller = one;
    smaller.overrides.without.set(i);
    if (smaller.overrides.without != one.overrides.without && fails_alike(smaller, check))
      one = smaller;
  }
  for (std::size_t instances = 1; instances < 3; ++instances) {
    Case smaller = one;
    smaller.overrides.instances = instances;
    if (!fails_alike(smaller, check)) continue;
    one = smaller;
    break;
  }
  const Settings settings = draw_settings(one.seed, one.overrides);
  bisect(one, check, static_cast<std::uint64_t>(settings.records),
         [](Case& smaller, std::uint64_t n) {
           smaller.overrides.records = static_cast<std::int64_t>(n);
         });
  bisect(one, check, std::uint64_t{1} << 24,
         [](Case& smaller, std::uint64_t n) { smaller.overrides.steps = n; });
  return one;
}

std::string command_line(const Case& one) {
  std::string line = "simulation --seed " + std::to_string(one.seed);
  if (one.overrides.steps) line += " --steps " + std::to_string(*one.overrides.steps);
  if (one.overrides.records) line += " --records " + std::to_string(*one.overrides.records);
  if (one.overrides.instances) line += " --gates " + std::to_string(*one.overrides.instances);
  std::string names;
  const Settings drawn = draw_settings(one.seed, {});
  for (std::size_t i = 0; i < kFaults; ++i) {
    const Fault fault = static_cast<Fault>(i);
    if (!one.overrides.without[i] || !drawn.has(fault)) continue;
    names.append(names.empty() ? " --without " : ",").append(name_of(fault));
  }
  return line + names;
}

}  // namespace einlass::simulation
