// Strong integers: two of different kinds do not mix, and no two bare integers stand side by side.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace einlass {

template <class Tag, class Rep>
struct Strong {
  Rep value{};

  constexpr auto operator<=>(const Strong&) const = default;
};

// A Kafka offset, and a Kafka partition's number within its topic.
using Offset = Strong<struct OffsetTag, std::int64_t>;
using PartitionNumber = Strong<struct PartitionNumberTag, std::int32_t>;

// A number of permits.
using Permits = Strong<struct PermitsTag, std::int64_t>;

// A number of bytes.
using Bytes = Strong<struct BytesTag, std::int64_t>;

}  // namespace einlass
