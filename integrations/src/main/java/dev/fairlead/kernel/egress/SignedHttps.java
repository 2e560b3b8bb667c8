package dev.fairlead.kernel.egress;

import dev.fairlead.kernel.keyring.SharedKey;
import java.io.IOException;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import javax.net.ssl.HttpsURLConnection;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * An HTTPS POST of JSON to an address that the egress policy allows. The duration is limited, and
 * the response to 64 KiB. Redirects and proxies are not followed. The header {@code
 * Fairlead-Signature} contains the time of the call and the HMAC-SHA-256, in hexadecimal digits, of
 * that time, a full stop and the body.
 */
public final class SignedHttps {
  private static final int LARGEST = 64 * 1024;
  private static final int LONGEST_MESSAGE = 200;
  private static final String HMAC = "HmacSHA256";
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final EgressPolicy egress;
  private final SharedKey key;
  private final InstantSource clock;
  private final Duration most;
  private final String name;

  /**
   * @param most maximum duration of a call
   * @param name name of the called system, for messages
   */
  public SignedHttps(
      EgressPolicy egress, SharedKey key, InstantSource clock, Duration most, String name) {
    this.egress = egress;
    this.key = key;
    this.clock = clock;
    this.most = most;
    this.name = name;
  }

  /** No usable response. The message contains the reason. */
  public static final class Unanswered extends Exception {
    private static final long serialVersionUID = 1L;

    public Unanswered(String why) {
      super(brief(why));
    }

    /** Returns the reason, sanitized. */
    public String why() {
      return String.valueOf(getMessage());
    }
  }

  /** Returns why that address is never called, null if it may be. */
  public @Nullable String refusal(String url, @Nullable String caData) {
    return SafeHttps.refusal(url, caData, egress);
  }

  /**
   * Returns the fields of the response.
   *
   * @param caData base64 of PEM certificates, null for the system's
   * @param purpose derivation label of the signing key
   */
  public Map<?, ?> answer(
      String url, @Nullable String caData, String purpose, Map<String, Object> body)
      throws Unanswered {
    try {
      byte[] sent = JSON.writeValueAsBytes(body);
      return SafeYaml.map(post(url, caData, signature(purpose, sent), sent));
    } catch (SafeYaml.Unreadable unreadable) {
      throw new Unanswered("the answer cannot be read: " + unreadable.getMessage());
    } catch (ServerUrl.Refused
        | EgressPolicy.Refused
        | IOException
        | GeneralSecurityException
        | RuntimeException failed) {
      throw new Unanswered(String.valueOf(failed.getMessage()));
    }
  }

  private String post(String url, @Nullable String caData, String signature, byte[] body)
      throws IOException, GeneralSecurityException, ServerUrl.Refused, EgressPolicy.Refused {
    long until = System.nanoTime() + most.toNanos();
    HttpsURLConnection connection = SafeHttps.to(url, "", egress, caData, until);
    connection.setRequestMethod("POST");
    connection.setDoOutput(true);
    connection.setFixedLengthStreamingMode(body.length);
    connection.setRequestProperty("Content-Type", "application/json");
    connection.setRequestProperty("Fairlead-Signature", signature);
    try {
      try (OutputStream out = connection.getOutputStream()) {
        out.write(body);
      }
      if (connection.getResponseCode() != HttpURLConnection.HTTP_OK) {
        throw new IOException(name + " answers " + connection.getResponseCode());
      }
      byte[] read = SafeHttps.body(connection, LARGEST, name + " answers more than 64 KiB");
      return new String(read, StandardCharsets.UTF_8);
    } finally {
      connection.disconnect();
    }
  }

  private String signature(String purpose, byte[] body) throws GeneralSecurityException {
    byte[] derived =
        key.derived(purpose)
            .orElseThrow(() ->
                new IllegalStateException("no signing key is configured: set FAIRLEAD_KEY_FILE"));
    String time = Long.toString(clock.instant().getEpochSecond());
    Mac mac = Mac.getInstance(HMAC);
    mac.init(new SecretKeySpec(derived, HMAC));
    mac.update((time + ".").getBytes(StandardCharsets.UTF_8));
    return "t=" + time + ",v1=" + HexFormat.of().formatHex(mac.doFinal(body));
  }

  /** Returns text of a response, such as a message, empty if none. */
  public static String words(@Nullable Object said) {
    return said == null || said.equals("null") ? "" : brief(String.valueOf(said));
  }

  /** Returns external text, shortened and sanitized. */
  public static String brief(String text) {
    return SafeHttps.brief(text, LONGEST_MESSAGE);
  }
}
