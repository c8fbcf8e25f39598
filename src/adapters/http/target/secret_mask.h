// Hides our own secrets in what a server writes: many a server repeats the request in its answer,
// and that stands in logs, on pages and in dead letters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace einlass::http {

class SecretMask {
 public:
  // One of fewer bytes is no secret: it stands in a text by chance.
  static constexpr std::size_t kShortest = 4;

  // Of secrets from a URL what is meant, without its %XX.
  explicit SecretMask(std::vector<std::string> secrets);

  // The first `most` bytes of the text, or a little more, with *** for each secret: as it is, and
  // as servers write it: with %XX, as in JSON (\/ \" \u002f) and as in HTML (&amp; &#47; &#x2F;). A
  // text that takes too long to look through ends with *** where that was given up.
  std::string hidden(std::string_view text, std::size_t most) const;

 private:
  std::vector<std::string> secrets_;
};

}  // namespace einlass::http
