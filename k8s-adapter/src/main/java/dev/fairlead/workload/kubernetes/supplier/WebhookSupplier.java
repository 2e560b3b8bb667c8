package dev.fairlead.workload.kubernetes.supplier;

import dev.fairlead.resources.DurationText;
import dev.fairlead.secret.SharedKey;
import dev.fairlead.supply.NodeKind;
import dev.fairlead.supply.NodeSupplier;
import dev.fairlead.supply.Supply;
import dev.fairlead.supply.SupplyAnswer;
import dev.fairlead.supply.SupplyCall;
import dev.fairlead.workload.kubernetes.client.EgressPolicy;
import dev.fairlead.workload.kubernetes.client.SafeHttps;
import dev.fairlead.workload.kubernetes.client.SafeYaml;
import dev.fairlead.workload.kubernetes.client.ServerUrl;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import javax.net.ssl.HttpsURLConnection;
import org.jspecify.annotations.Nullable;

/**
 * Asks a supplier by an HTTPS POST of JSON to an address that the egress policy allows. A call has
 * its time, an answer 64 KiB; a redirect or a proxy is not followed. The header {@code
 * Fairlead-Signature} has the time of the call and the HMAC-SHA-256, in hexadecimal digits, of that
 * time, a full stop and the body.
 */
public final class WebhookSupplier implements NodeSupplier {
  private static final int LARGEST = 64 * 1024;
  private static final int MOST_NODES = 2 * Supply.MOST_NODES;
  private static final int LONGEST_NAME = 253;
  private static final int LONGEST_MESSAGE = 200;
  private static final String HMAC = "HmacSHA256";

  private final EgressPolicy egress;
  private final SharedKey key;
  private final InstantSource clock;
  private final Duration most;

  /**
   * @param most how long a call may last
   */
  public WebhookSupplier(EgressPolicy egress, SharedKey key, InstantSource clock, Duration most) {
    this.egress = egress;
    this.key = key;
    this.clock = clock;
    this.most = most;
  }

  @Override
  public Optional<String> refuses(Supply.Webhook webhook) {
    return Optional.ofNullable(SafeHttps.refusal(webhook.url(), webhook.caData(), egress));
  }

  @Override
  public SupplyAnswer ask(SupplyCall call) {
    try {
      return answer(post(call));
    } catch (ServerUrl.Refused | EgressPolicy.Refused refused) {
      return new SupplyAnswer.Unanswered(brief(String.valueOf(refused.getMessage())));
    } catch (IOException | GeneralSecurityException | RuntimeException failed) {
      return new SupplyAnswer.Unanswered(brief(String.valueOf(failed.getMessage())));
    }
  }

  private String post(SupplyCall call)
      throws IOException, GeneralSecurityException, ServerUrl.Refused, EgressPolicy.Refused {
    long until = System.nanoTime() + most.toNanos();
    Supply.Webhook webhook = call.supply().webhook();
    byte[] body = Serialization.asJson(body(call)).getBytes(StandardCharsets.UTF_8);
    HttpsURLConnection connection =
        SafeHttps.to(webhook.url(), "", egress, webhook.caData(), until);
    connection.setRequestMethod("POST");
    connection.setDoOutput(true);
    connection.setFixedLengthStreamingMode(body.length);
    connection.setRequestProperty("Content-Type", "application/json");
    connection.setRequestProperty("Fairlead-Signature", signature(call, body));
    try {
      try (OutputStream out = connection.getOutputStream()) {
        out.write(body);
      }
      if (connection.getResponseCode() != HttpURLConnection.HTTP_OK) {
        throw new IOException("the supplier answers " + connection.getResponseCode());
      }
      return text(connection);
    } finally {
      connection.disconnect();
    }
  }

  private static String text(HttpsURLConnection connection) throws IOException {
    byte[] read = SafeHttps.body(connection, LARGEST, "the supplier answers more than 64 KiB");
    return new String(read, StandardCharsets.UTF_8);
  }

  private static Map<String, Object> body(SupplyCall call) {
    NodeKind kind = call.supply().kind();
    Map<String, Object> node = new TreeMap<>();
    node.put("model", kind.model());
    node.put("gpus", kind.gpus());
    node.put("capacity", kind.capacity().name());
    node.put("labels", kind.labels());
    Map<String, Object> body = new TreeMap<>();
    body.put("version", 1);
    body.put("action", call.action().name());
    body.put("key", call.request().id().text());
    body.put("pool", call.pool());
    body.put("cluster", call.cluster());
    body.put("nodes", call.request().asked().nodes());
    body.put("node", node);
    body.put("deadline", call.request().asked().deadline().toString());
    body.put("keep", call.request().notHandedBack());
    return body;
  }

  private String signature(SupplyCall call, byte[] body) throws GeneralSecurityException {
    byte[] derived =
        key.derived(Supply.signs(call.supply().pool()))
            .orElseThrow(() ->
                new IllegalStateException("there is no key to sign with: set FAIRLEAD_KEY_FILE"));
    String time = Long.toString(clock.instant().getEpochSecond());
    Mac mac = Mac.getInstance(HMAC);
    mac.init(new SecretKeySpec(derived, HMAC));
    mac.update((time + ".").getBytes(StandardCharsets.UTF_8));
    return "t=" + time + ",v1=" + HexFormat.of().formatHex(mac.doFinal(body));
  }

  private static SupplyAnswer answer(String text) throws IOException {
    Map<?, ?> said;
    try {
      said = SafeYaml.map(text);
    } catch (SafeYaml.Unreadable unreadable) {
      throw new IOException("the answer cannot be read: " + unreadable.getMessage());
    }
    SupplyAnswer.Word word = word(said.get("state"));
    return new SupplyAnswer.Answered(
        word, names(said.get("nodes")), message(said.get("message")), wait(said.get("retryAfter")));
  }

  private static SupplyAnswer.Word word(@Nullable Object state) throws IOException {
    for (SupplyAnswer.Word word : SupplyAnswer.Word.values()) {
      if (word.name().equals(state)) {
        return word;
      }
    }
    throw new IOException(
        "state of the answer is none of PENDING, GRANTED, REFUSED and RELEASED: "
            + brief(String.valueOf(state)));
  }

  private static List<String> names(@Nullable Object nodes) throws IOException {
    if (nodes == null || nodes.equals("null")) {
      return List.of();
    }
    if (!(nodes instanceof List<?> list) || list.size() > MOST_NODES) {
      throw new IOException("nodes of the answer is no list of at most " + MOST_NODES + " names");
    }
    for (Object name : list) {
      if (!(name instanceof String text)
          || text.length() > LONGEST_NAME
          || !text.matches("[a-z0-9]([a-z0-9.-]*[a-z0-9])?")) {
        throw new IOException("nodes of the answer has what is no name of a node");
      }
    }
    return list.stream().map(String::valueOf).distinct().toList();
  }

  private static String message(@Nullable Object message) {
    return message == null || message.equals("null") ? "" : brief(String.valueOf(message));
  }

  private static @Nullable Duration wait(@Nullable Object retryAfter) {
    return retryAfter == null
        ? null
        : DurationText.parse(String.valueOf(retryAfter).toLowerCase(Locale.ROOT)).orElse(null);
  }

  private static String brief(String text) {
    return SafeHttps.brief(text, LONGEST_MESSAGE);
  }
}
