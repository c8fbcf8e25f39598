#include "app/completion.h"

namespace einlass::app {
namespace {

// For single quotes in bash and zsh.
std::string posix_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// The same in fish, which has other rules.
std::string fish_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string names_of(const std::vector<CompletedVerb>& verbs) {
  std::vector<std::string> names;
  for (const CompletedVerb& verb : verbs) names.push_back(verb.name);
  return joined(names);
}

std::string names_of(const std::vector<CompletedOption>& options) {
  std::vector<std::string> names;
  for (const CompletedOption& option : options) names.push_back(option.name);
  return joined(names);
}

// What follows an option: a file, or what cannot be known.
std::string bash_values(const CompletedVerb& verb) {
  std::string cases;
  for (const CompletedOption& option : verb.options) {
    if (!option.takes_value) continue;
    // Bash itself knows how a folder goes on, and what a name with blanks needs.
    const std::string files = option.takes_file ? "compopt -o default; " : "";
    const std::string found =
        option.values.empty()
            ? "()"
            : "($(compgen -W " + posix_quoted(joined(option.values)) + " -- \"$word\"))";
    cases += "    " + verb.name + "," + option.name + ") " + files + "COMPREPLY=" + found +
             "; return ;;\n";
  }
  return cases;
}

// In zsh's _arguments brackets and colons mean something.
std::string zsh_text(const std::string& text) {
  std::string shown;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') shown += '\\';
    shown += c;
  }
  return shown;
}

std::string zsh_option(const CompletedOption& option) {
  std::string spec = option.name + "[" + zsh_text(option.text) + "]";
  if (!option.takes_value) return posix_quoted(spec);
  spec += ":value:";
  if (option.takes_file) spec += "_files";
  if (!option.values.empty()) spec += "(" + joined(option.values) + ")";
  return posix_quoted(spec);
}

std::string fish_option(const CompletedVerb& verb, const CompletedOption& option) {
  const bool is_long = option.name.starts_with("--");
  std::string line = "complete -c einlass -n " +
                     fish_quoted("__fish_seen_subcommand_from " + verb.name) +
                     (is_long ? " -l " : " -s ") + option.name.substr(is_long ? 2 : 1);
  if (option.takes_value) line += option.takes_file ? " -rF" : " -x";
  if (!option.values.empty()) line += " -a " + fish_quoted(joined(option.values));
  return line + " -d " + fish_quoted(option.text) + "\n";
}

}  // namespace

std::string bash_completion(const std::vector<CompletedVerb>& verbs) {
  std::string values, options;
  for (const CompletedVerb& verb : verbs) {
    values += bash_values(verb);
    options += "    " + verb.name +
               ") words=" + posix_quoted(joined(verb.arguments) + " " + names_of(verb.options)) +
               " ;;\n";
  }
  return "# einlass completion bash: source this, or keep it in /etc/bash_completion.d.\n"
         "_einlass() {\n"
         "  local word=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
         "  local verb=\"${COMP_WORDS[1]}\" words\n"
         "  if ((COMP_CWORD == 1)); then\n"
         "    COMPREPLY=($(compgen -W " +
         posix_quoted(names_of(verbs) + " --help --version") +
         " -- \"$word\"))\n"
         "    return\n"
         "  fi\n"
         "  case \"$verb,$before\" in\n" +
         values +
         "  esac\n"
         "  case \"$verb\" in\n" +
         options +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "}\n"
         "complete -F _einlass einlass\n";
}

std::string zsh_completion(const std::vector<CompletedVerb>& verbs) {
  std::string names, cases;
  for (const CompletedVerb& verb : verbs) {
    names += "    " + posix_quoted(zsh_text(verb.name) + ":" + verb.text) + "\n";
    cases += "    " + verb.name + ") _arguments";
    for (const CompletedOption& option : verb.options) {
      cases += " \\\n      " + zsh_option(option);
    }
    if (!verb.arguments.empty()) {
      cases += " \\\n      '1:what:(" + joined(verb.arguments) + ")'";
    }
    cases += " ;;\n";
  }
  return "#compdef einlass\n"
         "# einlass completion zsh: keep it as _einlass in a folder of $fpath, or source it after\n"
         "# compinit.\n"
         "_einlass() {\n"
         "  local -a verbs=(\n" +
         names +
         "  )\n"
         "  if ((CURRENT == 2)); then\n"
         "    _describe verb verbs\n"
         "    return\n"
         "  fi\n"
         "  local verb=${words[2]}\n"
         "  shift words\n"
         "  ((CURRENT--))\n"
         "  case $verb in\n" +
         cases +
         "  esac\n"
         "}\n"
         // A file of $fpath is run as a whole by the first TAB, which wants its answer.
         "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
         "  _einlass \"$@\"\n"
         "else\n"
         "  compdef _einlass einlass\n"
         "fi\n";
}

std::string fish_completion(const std::vector<CompletedVerb>& verbs) {
  std::string lines =
      "# einlass completion fish: keep it as ~/.config/fish/completions/einlass.fish.\n"
      "complete -c einlass -f\n";
  for (const CompletedVerb& verb : verbs) {
    lines += "complete -c einlass -n __fish_use_subcommand -a " + verb.name + " -d " +
             fish_quoted(verb.text) + "\n";
    for (const CompletedOption& option : verb.options) lines += fish_option(verb, option);
    if (verb.arguments.empty()) continue;
    lines += "complete -c einlass -n " + fish_quoted("__fish_seen_subcommand_from " + verb.name) +
             " -a " + fish_quoted(joined(verb.arguments)) + "\n";
  }
  return lines;
}

}  // namespace einlass::app
