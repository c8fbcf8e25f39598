// The Lua files of this folder, embedded at build time, put together to the scripts that Redis
// runs.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace einlass::lua {

// The last two: of buckets of which the flows of a fleet share one.
enum class Entry { acquire, release, peek, acquire_shared, release_shared };

// The text of a script that can serve buckets of these algorithms ("sliding_log", ...) and no
// others, so that it stays short. The same set gives the same text, whatever its order and however
// often it names one. REQUIRES: every name has a file here.
std::string script(Entry entry, std::span<const std::string_view> algorithms);

// The text of the script that reads and writes how long targets are to be left alone.
std::string_view hold_script();

// The text of the script that forgets what limits have of a later time than now.
std::string_view reopen_script();

// The text of the script that writes into the fleet's table.
std::string_view table_write_script();

// The text of the script that tries whether it may.
std::string_view table_try_script();

}  // namespace einlass::lua
