// A table of short texts by key that lies where the whole fleet finds it, in Kafka or in Redis. What
// is in it is steering: quotas and pauses. The adapters keep one each; who builds them listens.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace einlass {

// More is not taken from a table: what is longer is told as a trouble of that key, without its text.
inline constexpr std::size_t kLongestTableKey = 2'048;
inline constexpr std::size_t kLongestTableValue = 4'096;

class FleetTable {
 public:
  // Hears of the table in the order in which it was written. Called on the thread of whoever made
  // the table, never from within a call to it.
  class Listener {
   public:
    // The table is read as a whole, from here to whole(): what was not told meanwhile is not in it.
    virtual void reading() = 0;
    // None: the key is not in the table (any more). The same may be told again. What is longer
    // than is taken may come cut, but never so short that it would be taken.
    virtual void entry(std::string_view key, std::optional<std::string_view> text) = 0;
    virtual void whole() = 0;
    // Why the table cannot be read or written now, in a sentence; empty: it can again.
    virtual void away(const std::string& why) = 0;

   protected:
    ~Listener() = default;
  };

  // Called once: empty, or why it was not written. After a timeout nobody knows whether it was.
  using Written = std::function<void(const std::string& trouble)>;

  virtual ~FleetTable() = default;

  // Writes the text of a key, or takes the key out. Its listeners, this one among them, hear of it
  // as of everybody's. REQUIRES: not longer than what is taken.
  virtual void write(const std::string& key, const std::optional<std::string>& text,
                     Written written) = 0;
};

}  // namespace einlass
