// The verbs of the command line with their options, and what was written of them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "app/asking/steering_verbs.h"
#include "app/asking/top.h"
#include "app/asking/why_verb.h"
#include "app/demo/demo.h"
#include "app/redrive/redrive.h"
#include "app/replay/replay.h"

namespace einlass::app {

// Hidden: what the scripts of `completion` ask.
inline constexpr const char* kCompleteVerb = "complete";

inline const std::vector<std::string> kShells = {"bash", "zsh", "fish"};

// Parsing by `app` fills in the rest. Stays where it is: the options refer to its members.
struct CommandLine {
  CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  CLI::App app;
  std::string path;
  std::string help_verb;
  std::string store = "memory";
  bool connect = false;
  bool watch = false;
  DemoOptions demo;
  ReplayOptions replay;
  RedriveOptions redrive;
  WhyOptions why;
  TopOptions top;
  QuotaOptions quota;
  PauseOptions pause;
  std::string shell;
  std::string names;  // Which ones `complete` is to print.

 private:
  void add_why_options(CLI::App* verb);
  void add_quota_verbs(CLI::App* quota_verb);
  static void add_length(CLI::App* verb, std::string& length, std::string& note);
  void add_subject_options(CLI::App* verb);
  void add_pause_options(CLI::App* verb);
  void add_replay_options(CLI::App* verb);
  void add_redrive_options(CLI::App* verb);
  static From from_named(const std::string& text);
  void add_demo_options(CLI::App* verb);
};

}  // namespace einlass::app
