#include "app/completion.h"

#include <boost/algorithm/string/join.hpp>

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
  return boost::algorithm::join(words, " ");
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

// What follows an option: a file, a name, or what cannot be known.
std::string bash_values(const CompletedVerb& verb) {
  std::string cases;
  for (const CompletedOption& option : verb.options) {
    if (!option.takes_value) continue;
    // Bash itself knows how a folder goes on, and what a name with blanks needs.
    const std::string files = option.takes_file ? "compopt -o default; " : "";
    std::string offers = "COMPREPLY=()";
    if (!option.values.empty()) offers = "_einlass_offer " + posix_quoted(joined(option.values));
    if (!option.names.empty()) {
      offers = "_einlass_offer \"$(_einlass_names " + option.names + ")\"";
    }
    cases += "    " + verb.name + "," + option.name + ") " + files + offers + "; return ;;\n";
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
  if (!option.names.empty()) spec += "{_einlass_names " + option.names + "}";
  return posix_quoted(spec);
}

std::string fish_option(const CompletedVerb& verb, const CompletedOption& option) {
  const bool is_long = option.name.starts_with("--");
  std::string line = "complete -c einlass -n " +
                     fish_quoted("__fish_seen_subcommand_from " + verb.name) +
                     (is_long ? " -l " : " -s ") + option.name.substr(is_long ? 2 : 1);
  if (option.takes_value) line += option.takes_file ? " -rF" : " -x";
  if (!option.values.empty()) line += " -a " + fish_quoted(joined(option.values));
  if (!option.names.empty()) line += " -a " + fish_quoted("(__einlass_names " + option.names + ")");
  return line + " -d " + fish_quoted(option.text) + "\n";
}

// The names in the file that stands behind -c. What was typed is freed of quotes without running
// what may stand in it.
constexpr const char* kBashFunctions = R"sh(_einlass_plain() {
  local word="${1//[\\\"\']/}"
  printf '%s' "${word/#\~\//$HOME/}"
}
_einlass_names() {
  local i file names
  for ((i = 1; i < ${#COMP_WORDS[@]}; i++)); do
    [[ ${COMP_WORDS[i]} == -c || ${COMP_WORDS[i]} == --config ]] || continue
    file="${COMP_WORDS[i+1]}"
    [[ $file == = ]] && file="${COMP_WORDS[i+2]}"
  done
  [[ -n $file ]] || return
  names="$("$(_einlass_plain "${COMP_WORDS[0]}")" complete "$1" \
           -c "$(_einlass_plain "$file")" 2>/dev/null)"
  for ((i = 2; i < COMP_CWORD; i++)); do
    [[ $2 == once && " ${names//$'\n'/ } " == *" ${COMP_WORDS[i]} "* ]] && return
  done
  printf '%s' "$names"
}
_einlass_offer() {
  local word="${COMP_WORDS[COMP_CWORD]}"
  local last="${word##*,}"
  COMPREPLY=($(compgen -P "${word%"$last"}" -W "$1" -- "$last"))
}
)sh";

// Bash takes words apart at colons, and a reply takes the place of what stands behind the last one.
constexpr const char* kBashEntry = R"sh(_einlass() {
  local i whole=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    if ((i > 1)) && [[ ${COMP_WORDS[i]} == : || ${COMP_WORDS[i-1]} == : ]]; then
      whole[${#whole[@]}-1]+="${COMP_WORDS[i]}"
    else
      whole+=("${COMP_WORDS[i]}")
    fi
  done
  local COMP_WORDS=("${whole[@]}") COMP_CWORD=$((${#whole[@]} - 1))
  _einlass_reply
  local word="${COMP_WORDS[COMP_CWORD]}"
  if [[ $word == *:* && $COMP_WORDBREAKS == *:* ]]; then
    COMPREPLY=("${COMPREPLY[@]#"${word%"${word##*:}"}"}")
  fi
}
complete -F _einlass einlass
)sh";

constexpr const char* kZshFunctions = R"sh(_einlass_names() {
  local i file
  for ((i = 2; i <= $#words; i++)); do
    case $words[i] in
      (-c|--config) file=${(Q)words[i+1]} ;;
      (--config=*) file=${(Q)words[i]#*=} ;;
    esac
  done
  [[ -n $file ]] || return 1
  compset -P '*,'
  compadd -- ${(f)"$($program complete $1 -c ${file/#\~\//$HOME/} 2>/dev/null)"}
}
)sh";

constexpr const char* kFishFunctions = R"sh(function __einlass_names
    set -l words (commandline -op)
    set -l file
    for i in (seq (count $words))
        switch $words[$i]
            case -c --config
                set file $words[(math $i + 1)]
            case '--config=*'
                set file (string replace -- --config= '' $words[$i])
        end
    end
    test -n "$file"; or return
    set file (string replace -r '^~/' "$HOME/" -- $file)
    set -l names ($words[1] complete $argv[1] -c $file 2>/dev/null)
    set -l before (string match -r '.*,' -- (commandline -ct))
    for name in $names
        test "$argv[2]" = once; and contains -- $name $words[2..-1]; and return
    end
    for name in $names
        echo "$before$name"
    end
end
)sh";

}  // namespace

std::string bash_completion(const std::vector<CompletedVerb>& verbs) {
  std::string values, options;
  for (const CompletedVerb& verb : verbs) {
    values += bash_values(verb);
    options += "    " + verb.name +
               ") words=" + posix_quoted(joined(verb.arguments) + " " + names_of(verb.options));
    if (!verb.names.empty()) {
      options +=
          "\n      ((COMP_CWORD > 2)) && words+=\" $(_einlass_names " + verb.names + " once)\"";
    }
    options += " ;;\n";
  }
  return "# einlass completion bash: source this, or keep it in /etc/bash_completion.d.\n" +
         std::string(kBashFunctions) +
         "_einlass_reply() {\n"
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
         "}\n" +
         kBashEntry;
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
    if (!verb.names.empty()) cases += " \\\n      '2:name:{_einlass_names " + verb.names + "}'";
    cases += " ;;\n";
  }
  return "#compdef einlass\n"
         "# einlass completion zsh: keep it as _einlass in a folder of $fpath, or source it after\n"
         "# compinit.\n" +
         std::string(kZshFunctions) +
         "_einlass() {\n"
         "  local -a verbs=(\n" +
         names +
         "  )\n"
         "  if ((CURRENT == 2)); then\n"
         "    _describe verb verbs\n"
         "    return\n"
         "  fi\n"
         "  local verb=${words[2]} program=${(Q)words[1]}\n"
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
      "# einlass completion fish: keep it as ~/.config/fish/completions/einlass.fish.\n" +
      std::string(kFishFunctions) + "complete -c einlass -f\n";
  for (const CompletedVerb& verb : verbs) {
    lines += "complete -c einlass -n __fish_use_subcommand -a " + verb.name + " -d " +
             fish_quoted(verb.text) + "\n";
    for (const CompletedOption& option : verb.options) lines += fish_option(verb, option);
    if (verb.arguments.empty()) continue;
    lines += "complete -c einlass -n " + fish_quoted("__fish_seen_subcommand_from " + verb.name) +
             " -a " + fish_quoted(joined(verb.arguments)) + "\n";
    if (verb.names.empty()) continue;
    lines += "complete -c einlass -n " +
             fish_quoted("__fish_seen_subcommand_from " + verb.name +
                         "; and __fish_seen_subcommand_from " + joined(verb.arguments)) +
             " -a " + fish_quoted("(__einlass_names " + verb.names + " once)") + "\n";
  }
  return lines;
}

}  // namespace einlass::app
