// Which librdkafka this is.
#pragma once

#include <string>

namespace einlass::kafka {

// As "2.0.2".
std::string library_version();

}  // namespace einlass::kafka
