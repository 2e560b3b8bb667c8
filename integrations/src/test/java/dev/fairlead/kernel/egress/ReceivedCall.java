package dev.fairlead.kernel.egress;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The last signed call that a {@link FakeHttps} received. */
public final class ReceivedCall {
  private final AtomicReference<String> body = new AtomicReference<>("");
  private final AtomicReference<String> signature = new AtomicReference<>("");
  private final AtomicReference<String> host = new AtomicReference<>("");
  private final AtomicInteger count = new AtomicInteger();

  /** Records each call before the answer. */
  public FakeHttps.Answer before(FakeHttps.Answer answer) {
    return (exchange, n) -> {
      count.incrementAndGet();
      body.set(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
      signature.set(exchange.getRequestHeaders().getFirst("Fairlead-Signature"));
      host.set(exchange.getRequestHeaders().getFirst("Host"));
      answer.to(exchange, n);
    };
  }

  /** Empty before the first call. */
  public String body() {
    return body.get();
  }

  public String host() {
    return host.get();
  }

  public int count() {
    return count.get();
  }

  /** Asserts that the time and the body are signed with the key. */
  public void isSigned(byte[] key, Instant at) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    mac.update((at.getEpochSecond() + ".").getBytes(UTF_8));
    String signed = HexFormat.of().formatHex(mac.doFinal(body.get().getBytes(UTF_8)));
    assertThat(signature.get()).isEqualTo("t=" + at.getEpochSecond() + ",v1=" + signed);
  }
}
