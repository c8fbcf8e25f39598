// What a shell needs to complete our command line: a script for bash, zsh or fish.
#pragma once

#include <string>
#include <vector>

namespace einlass::app {

struct CompletedOption {
  std::string name;  // With its dashes.
  std::string text;  // One line.
  bool takes_value = false;
  bool takes_file = false;
  std::vector<std::string> values{};  // What may stand behind it, where that is known.
  // Or the names in the configuration of which one may, as configured_names.h calls them; several,
  // with commas between them, where the option takes a list.
  std::string names{};
};

struct CompletedVerb {
  std::string name;
  std::string text;
  std::vector<CompletedOption> options;
  std::vector<std::string> arguments{};  // What may follow it, where that is known.
  std::string names{};                   // Of which one follows these arguments, as above.
};

std::string bash_completion(const std::vector<CompletedVerb>& verbs);
std::string zsh_completion(const std::vector<CompletedVerb>& verbs);
std::string fish_completion(const std::vector<CompletedVerb>& verbs);

}  // namespace einlass::app
