// Base64, digests and hosts.
#include <gtest/gtest.h>

#include "net/digest.h"
#include "net/encoding.h"
#include "net/host.h"

namespace einlass::net {
namespace {

// The vectors of RFC 4648, section 10.
TEST(Base64, of_the_standards_vectors_and_back) {
  const std::pair<std::string_view, std::string_view> vectors[] = {
      {"f", "Zg=="},        {"fo", "Zm8="},        {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    std::string behind = "x";
    append_base64(behind, bytes);
    EXPECT_EQ(behind, "x" + std::string(text));
    EXPECT_EQ(base64_decoded(text), bytes);
  }
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64(std::string_view("\0\xff", 2)), "AP8=");
  for (const std::string_view no : {"", "Zg=", "Zg", "Zm9v!!!!"}) {
    EXPECT_EQ(base64_decoded(no), std::nullopt) << no;
  }
}

// printf abc | sha256sum, and sha1sum.
TEST(Digest, is_the_one_that_others_compute) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha1_hex("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(sha256("abc")[0], 0xba);
}

TEST(Host, an_address_is_no_name) {
  for (const std::string address : {"127.0.0.1", "::1", "2001:db8::1", "::ffff:1.2.3.4"}) {
    EXPECT_TRUE(is_address(address)) << address;
  }
  for (const std::string name : {"localhost", "1.2.3", "1.2.3.4.5", "[::1]", "", "a::g"}) {
    EXPECT_FALSE(is_address(name)) << name;
  }
}

}  // namespace
}  // namespace einlass::net
