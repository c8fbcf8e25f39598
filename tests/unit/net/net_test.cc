// Base64, digests, hosts and whom TLS trusts.
#include <gtest/gtest.h>

#include "net/digest.h"
#include "net/encoding.h"
#include "net/host.h"
#include "net/tls.h"
#include "text/ascii.h"

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
  for (const std::string_view no : {"", "Zg=", "Zg", "Zm9v!!!!", "A=AA", "A===", "AA==    "}) {
    EXPECT_EQ(base64_decoded(no), std::nullopt) << no;
  }
}

TEST(Base64, for_urls_has_other_letters_and_no_padding) {
  EXPECT_EQ(base64url(""), "");
  EXPECT_EQ(base64url("f"), "Zg");
  EXPECT_EQ(base64url("fo"), "Zm8");
  EXPECT_EQ(base64url("foo"), "Zm9v");
  EXPECT_EQ(base64url("\xfb\xff\xfe"), "-__-");
}

// The second vector of RFC 4231, and one with a key longer than a block (its sixth).
TEST(Hmac, is_the_one_of_the_standards_vectors) {
  const auto hex = [](const std::string& bytes) {
    std::string text;
    append_hex(text, bytes);
    return text;
  };
  EXPECT_EQ(hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hex(hmac_sha256(std::string(131, '\xaa'),
                            "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
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

// A hundred and more certificates: whoever connects each second must not stand still for them.
TEST(Tls, reads_the_systems_authorities_once) {
  const SslContext one = new_ssl_context(TLS_client_method());
  const SslContext other = new_ssl_context(TLS_client_method());
  trust(one.get(), "");
  trust(other.get(), "");
  EXPECT_EQ(SSL_CTX_get_cert_store(one.get()), SSL_CTX_get_cert_store(other.get()));
}

// The peer would choose how long a step of a handshake takes: see net/tls.cc.
TEST(Tls, has_no_exchange_over_a_finite_field) {
  const SslContext client = new_ssl_context(TLS_client_method());
  const STACK_OF(SSL_CIPHER)* const ciphers = SSL_CTX_get_ciphers(client.get());
  int of_curves = 0;
  for (int i = 0; i < sk_SSL_CIPHER_num(ciphers); ++i) {
    const SSL_CIPHER* const one = sk_SSL_CIPHER_value(ciphers, i);
    EXPECT_NE(SSL_CIPHER_get_kx_nid(one), NID_kx_dhe) << SSL_CIPHER_get_name(one);
    of_curves += SSL_CIPHER_get_kx_nid(one) == NID_kx_ecdhe;
  }
  EXPECT_GT(of_curves, 5);
}

// What a client says first has the groups that it would take, as two bytes each (RFC 8446, 4.2.7).
TEST(Tls, offers_no_group_of_more_than_3072_bits) {
  const SslContext context = new_ssl_context(TLS_client_method());
  SSL* const ssl = SSL_new(context.get());
  BIO* const out = BIO_new(BIO_s_mem());
  SSL_set_bio(ssl, BIO_new(BIO_s_mem()), out);
  SSL_set_connect_state(ssl);
  EXPECT_EQ(SSL_do_handshake(ssl), -1);
  char* data = nullptr;
  const auto size = static_cast<std::size_t>(BIO_get_mem_data(out, &data));
  const std::string_view said(data, size);
  const std::size_t at = said.find(std::string_view("\x00\x0a\x00", 3));  // supported_groups
  ASSERT_NE(at, said.npos);
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(said.at(at + i)); };
  const std::size_t groups = (byte(4) * 256u + byte(5)) / 2;
  ASSERT_GT(groups, 3u);
  for (std::size_t i = 0; i < groups; ++i) {
    const unsigned group = byte(6 + 2 * i) * 256u + byte(7 + 2 * i);
    EXPECT_FALSE(group > 0x101 && group <= 0x104) << "ffdhe4096 to 8192: " << group;
  }
  SSL_free(ssl);
}

}  // namespace
}  // namespace einlass::net
