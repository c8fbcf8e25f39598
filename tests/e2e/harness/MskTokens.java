import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.UnsupportedCallbackException;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerToken;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallback;

/**
 * What brokers of Amazon MSK do with a client's token: they sign the request in it once more, with what they know of its
 * access key. Written from Amazon's description of Signature Version 4, with nothing of the gate's.
 *
 * Options: `known`, a file with "KEY SECRET SESSION-OR-MINUS END" in each line (END in seconds since 1970), read each time;
 * `region`; `judged`, a file to which "TOKEN VERDICT" is appended, VERDICT being "good" or why it is not.
 */
public class MskTokens implements AuthenticateCallbackHandler {
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'");
  private static final Set<String> NAMES = Set.of("Action", "User-Agent", "X-Amz-Algorithm", "X-Amz-Credential",
      "X-Amz-Date", "X-Amz-Expires", "X-Amz-Security-Token", "X-Amz-Signature", "X-Amz-SignedHeaders");

  private Path known, judged;
  private String region;

  private static class Refused extends Exception {
    Refused(String why) { super(why); }
  }

  private record Known(String secret, String session, Instant end) {}

  private record Token(String value, Long startTimeMs, long lifetimeMs) implements OAuthBearerToken {
    public Set<String> scope() { return Set.of(); }
    public String principalName() { return "gate"; }
  }

  @Override
  public void configure(Map<String, ?> configs, String mechanism, List<AppConfigurationEntry> entries) {
    Map<String, ?> options = entries.get(0).getOptions();
    known = Path.of((String) options.get("known"));
    judged = Path.of((String) options.get("judged"));
    region = (String) options.get("region");
  }

  @Override
  public void close() {}

  @Override
  public void handle(Callback[] callbacks) throws IOException, UnsupportedCallbackException {
    for (Callback callback : callbacks) {
      if (!(callback instanceof OAuthBearerValidatorCallback asked)) throw new UnsupportedCallbackException(callback);
      try {
        asked.token(judge(asked.tokenValue()));
        note(asked.tokenValue(), "good");
      } catch (Refused | RuntimeException | GeneralSecurityException wrong) {
        note(asked.tokenValue(), wrong.toString());
        asked.error("invalid_token", null, null);
      }
    }
  }

  private synchronized void note(String token, String verdict) throws IOException {
    Files.writeString(judged, token + " " + verdict + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  private Token judge(String value) throws Refused, IOException, GeneralSecurityException {
    require(!value.contains("="), "it has padding");
    URI address = URI.create(new String(Base64.getUrlDecoder().decode(value), StandardCharsets.UTF_8));
    String host = "kafka." + region + ".amazonaws.com";
    require("https".equals(address.getScheme()) && host.equals(address.getAuthority()) && "/".equals(address.getRawPath()),
        "it is an address at " + address.getAuthority());
    TreeMap<String, String> all = parameters(address.getRawQuery());
    require(NAMES.containsAll(all.keySet()), "it has other parameters: " + all.keySet());
    require("kafka-cluster:Connect".equals(all.get("Action")), "another action");
    require("AWS4-HMAC-SHA256".equals(all.get("X-Amz-Algorithm")), "another algorithm");
    require("host".equals(all.get("X-Amz-SignedHeaders")), "other headers");
    require(!all.getOrDefault("User-Agent", "").isEmpty(), "no User-Agent");
    Instant from = LocalDateTime.parse(all.get("X-Amz-Date"), TIME).toInstant(ZoneOffset.UTC);
    Instant end = from.plusSeconds(Long.parseLong(all.get("X-Amz-Expires")));
    Instant now = Instant.now();
    require(Duration.between(from, end).compareTo(Duration.ofMinutes(15)) <= 0, "it is good for too long");
    require(!from.isAfter(now.plusSeconds(1)) && now.isBefore(end), "it is from " + from);
    String key = all.get("X-Amz-Credential").split("/")[0];
    Known login = lookUp(key);
    require(login.session.equals(all.getOrDefault("X-Amz-Security-Token", "-")), "another session");
    require(now.isBefore(login.end), "the credentials have expired at " + login.end);
    String signature = signature(all, login.secret, key, host);
    require(MessageDigest.isEqual(signature.getBytes(), all.get("X-Amz-Signature").getBytes()), "another signature");
    return new Token(value, from.toEpochMilli(), (end.isBefore(login.end) ? end : login.end).toEpochMilli());
  }

  private static String signature(TreeMap<String, String> all, String secret, String key, String host)
      throws Refused, GeneralSecurityException {
    String time = all.get("X-Amz-Date");
    String[] scope = all.get("X-Amz-Credential").split("/", 2)[1].split("/");
    require(scope.length == 4 && time.startsWith(scope[0]) && host.equals("kafka." + scope[1] + ".amazonaws.com")
        && scope[2].equals("kafka-cluster") && scope[3].equals("aws4_request"), "for another service than Kafka's there");
    StringBuilder query = new StringBuilder();
    all.forEach((name, text) -> {
      if (name.equals("X-Amz-Signature") || name.equals("User-Agent")) return;
      query.append(query.isEmpty() ? "" : "&").append(encoded(name)).append('=').append(encoded(text));
    });
    String request = "GET\n/\n" + query + "\nhost:" + host + "\n\nhost\n" + sha256("");
    byte[] signing = ("AWS4" + secret).getBytes(StandardCharsets.UTF_8);
    for (String part : scope) signing = hmac(signing, part);
    String toSign = "AWS4-HMAC-SHA256\n" + time + "\n" + String.join("/", scope) + "\n" + sha256(request);
    return HexFormat.of().formatHex(hmac(signing, toSign));
  }

  private Known lookUp(String key) throws IOException, Refused {
    for (String line : Files.readAllLines(known)) {
      String[] parts = line.split(" ");
      if (parts[0].equals(key)) return new Known(parts[1], parts[2], Instant.ofEpochSecond(Long.parseLong(parts[3])));
    }
    throw new Refused("nobody has the access key " + key);
  }

  private static TreeMap<String, String> parameters(String query) throws Refused {
    TreeMap<String, String> all = new TreeMap<>();
    for (String one : query.split("&")) {
      String[] parts = one.split("=", 2);
      String before = all.put(parts[0], URLDecoder.decode(parts[1].replace("+", "%2B"), StandardCharsets.UTF_8));
      require(before == null, parts[0] + " stands there twice");
    }
    return all;
  }

  private static String encoded(String text) {
    StringBuilder to = new StringBuilder();
    for (byte one : text.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (one & 0xff);
      boolean plain = c < 128 && (Character.isLetterOrDigit(c) || "-._~".indexOf(c) >= 0);
      to.append(plain ? String.valueOf(c) : String.format("%%%02X", (int) c));
    }
    return to.toString();
  }

  private static byte[] hmac(byte[] key, String text) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String sha256(String text) throws GeneralSecurityException {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
  }

  private static void require(boolean good, String otherwise) throws Refused {
    if (!good) throw new Refused(otherwise);
  }
}
