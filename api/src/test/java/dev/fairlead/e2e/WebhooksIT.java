package dev.fairlead.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A webhook set by its owner, and its events at a real receiver. */
class WebhooksIT {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final Http HTTP = RunningFairlead.shared().http();
  private static final String HOOK = "/api/v1/webhooks/portal";
  private static final List<Received> RECEIVED = new CopyOnWriteArrayList<>();
  private static final AtomicInteger STATUS = new AtomicInteger(204);
  private static HttpsServer receiver;
  private static String caData;

  private record Received(String id, String time, String signature, String body) {
    JsonNode json() {
      return JsonMapper.builder().build().readTree(body);
    }

    boolean signedBy(String secret) {
      try {
        byte[] key = Base64.getDecoder().decode(secret.substring("whsec_".length()));
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        byte[] made = mac.doFinal((id + "." + time + "." + body).getBytes(UTF_8));
        return List.of(signature.split(" ", -1))
            .contains("v1," + Base64.getEncoder().encodeToString(made));
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @BeforeAll
  static void aReceiverAndACluster() throws Exception {
    String cluster =
        "{name: hook-c, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 8, model: A10}]}";
    assertThat(HTTP.yaml("/api/v1/clusters", cluster).status()).isEqualTo(201);
    Path store = Files.createTempDirectory("receiver").resolve("store.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "receiver",
                "-keyalg",
                "EC",
                "-dname",
                "CN=receiver",
                "-ext",
                "SAN=ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                "receiver")
            .redirectErrorStream(true)
            .start();
    assertThat(keytool.waitFor()).isZero();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, "receiver".toCharArray());
    }
    String pem =
        "-----BEGIN CERTIFICATE-----\n"
            + Base64.getMimeEncoder(64, "\n".getBytes(UTF_8))
                .encodeToString(keys.getCertificate("receiver").getEncoded())
            + "\n-----END CERTIFICATE-----\n";
    caData = Base64.getEncoder().encodeToString(pem.getBytes(UTF_8));
    KeyManagerFactory managers = KeyManagerFactory.getInstance("PKIX");
    managers.init(keys, "receiver".toCharArray());
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(managers.getKeyManagers(), null, null);
    receiver = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    receiver.setHttpsConfigurator(new HttpsConfigurator(tls));
    receiver.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    receiver.createContext("/hook", WebhooksIT::receive);
    receiver.start();
  }

  @AfterAll
  static void close() {
    receiver.stop(0);
  }

  private static void receive(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
    int status = STATUS.get();
    if (status < 300) {
      RECEIVED.add(
          new Received(
              exchange.getRequestHeaders().getFirst("webhook-id"),
              exchange.getRequestHeaders().getFirst("webhook-timestamp"),
              exchange.getRequestHeaders().getFirst("webhook-signature"),
              body));
    }
    exchange.sendResponseHeaders(status, -1);
    exchange.close();
  }

  private static String submitted(String name) {
    String spec =
        "{name: %s, image: x, gpu: 1, placement: {clusters: [hook-c]}, annotations: {sim.fairlead.dev/run-for: 1s}}"
            .formatted(name);
    Http.Answer answer = HTTP.yaml("/api/v1/projects/default/jobs", spec);
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    return answer.json().get("id").asString();
  }

  private static List<Received> of(String job) {
    return RECEIVED.stream()
        .filter(each -> each.json().at("/subject/id").asString("").equals(job))
        .toList();
  }

  private static void ended(String job) {
    await()
        .atMost(PATIENCE)
        .until(() -> of(job).stream().anyMatch(e -> type(e).equals("JobSucceeded")));
  }

  private static String type(Received event) {
    return event.json().path("type").asString("");
  }

  /** Fails when an event of a job is missing, doubled in quiet times, out of order or unsigned. */
  @Test
  void aJobIsFollowedByItsSignedEventsInOrder() {
    String url = "https://127.0.0.1:" + receiver.getAddress().getPort() + "/hook";
    String body = "{url: '%s', caData: %s}".formatted(url, caData);
    Http.Answer added = HTTP.send("PUT", HOOK, body, "Content-Type", Http.YAML);
    assertThat(added.status()).as(added.body()).isEqualTo(200);
    String secret = added.json().get("secret").asString();
    assertThat(HTTP.get(HOOK).body()).contains("\"secret\":null").doesNotContain("whsec_");
    Http.Answer tested = HTTP.send("POST", HOOK + "/test", null);
    assertThat(tested.json().path("accepted").asBoolean(false)).as(tested.body()).isTrue();

    String job = submitted("hooked");
    ended(job);
    List<Received> events = of(job);
    assertThat(events).allMatch(each -> each.signedBy(secret));
    assertThat(events).noneMatch(each -> each.signedBy("whsec_AAAA"));
    assertThat(events.stream().map(WebhooksIT::type))
        .startsWith("JobSubmitted")
        .endsWith("JobSucceeded");
    List<String> inLog =
        HTTP.get("/api/v1/jobs/" + job + "/events?pageSize=500")
            .json()
            .get("items")
            .valueStream()
            .map(each -> each.get("id").asString())
            .toList();
    assertThat(events.stream().map(Received::id).distinct())
        .containsExactlyElementsOf(inLog.subList(0, events.size()));

    STATUS.set(500);
    String failed = submitted("hooked-2");
    await().atMost(PATIENCE).until(() -> HTTP.get(HOOK + "/deliveries").body().contains(failed));
    JsonNode row = HTTP.get(HOOK + "/deliveries?pageSize=1").json().at("/items/0");
    assertThat(row.path("status").asInt(0)).isEqualTo(500);
    STATUS.set(204);
    ended(failed);
    assertThat(of(failed).stream().map(WebhooksIT::type)).startsWith("JobSubmitted");

    Http.Answer rotated = HTTP.send("POST", HOOK + "/rotate?overlap=1h", null);
    String second = rotated.json().get("secret").asString();
    assertThat(HTTP.send("POST", HOOK + "/replay?since=5m", null).status()).isEqualTo(200);
    await().atMost(PATIENCE).until(() -> of(job).size() > events.size());
    Received again = of(job).getLast();
    assertThat(again.signedBy(secret) && again.signedBy(second)).isTrue();
    assertThat(HTTP.get("/api/v1/audit?pageSize=500").body()).doesNotContain("whsec_");

    assertThat(HTTP.send("POST", HOOK + "/pause", null).body()).contains("\"PAUSED\"");
    assertThat(HTTP.send("POST", HOOK + "/resume", null).body()).contains("\"ACTIVE\"");
    assertThat(HTTP.send("DELETE", HOOK, null).status()).isEqualTo(204);
    assertThat(HTTP.get(HOOK).status()).isEqualTo(404);
  }

  @Test
  void invalidAddressTypeOrPathIsRejectedByName() {
    refused("{url: 'https://169.254.169.254/x'}", 422, "UNSAFE_ADDRESS", "link-local");
    refused("{url: 'http://portal.example'}", 422, "UNSAFE_ADDRESS", "https://");
    refused("{url: 'https://8.8.8.8/x', types: [null]}", 422, "/types/0", "must be a text");
    refused("{types: [JobSucceeded]}", 422, "/url", "URL that receives the events");
    refused("{url: 'https://127.0.0.1/x', types: [JobWon]}", 422, "/types", "not \\\"JobWon\\\"");
    assertThat(HTTP.send("POST", HOOK + "-none/pause", null).status()).isEqualTo(404);
    assertThat(HTTP.get("/api/v1/webhooks?project=guessed").status()).isEqualTo(404);
  }

  private static void refused(String body, int status, String... words) {
    Http.Answer answer = HTTP.send("PUT", HOOK + "-bad", body, "Content-Type", Http.YAML);
    assertThat(answer.status()).as(answer.body()).isEqualTo(status);
    assertThat(answer.body().toLowerCase(Locale.ROOT))
        .contains(List.of(words).stream().map(w -> w.toLowerCase(Locale.ROOT)).toList());
  }
}
