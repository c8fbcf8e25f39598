// How many files the process may have open: each connection is one, and with none left nothing is
// delivered.
#pragma once

#include <cstddef>
#include <cstdint>

namespace einlass::app {

// Takes as many as the system lets it: a shell gives 1,024, though more may be had for the asking.
void raise_open_files();

// How many there may be now.
std::uint64_t most_open_files();

// Of so many the part that clients of the admin pages may take, who need no login to connect: a
// quarter, and never more than 1,024.
std::size_t admin_connections(std::uint64_t most_open_files);

}  // namespace einlass::app
