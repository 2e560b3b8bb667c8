package dev.fairlead.money.efficiency.prometheus;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.kernel.egress.Cidr;
import dev.fairlead.kernel.egress.EgressPolicy;
import dev.fairlead.kernel.egress.FakeHosts;
import dev.fairlead.kernel.egress.FakeHttps;
import dev.fairlead.money.efficiency.MetricsReading;
import dev.fairlead.money.efficiency.PodUse;
import java.io.OutputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** A Prometheus over HTTPS, honest or not. */
class PrometheusReaderTest {
  private static final Instant NOW = Instant.ofEpochSecond(1_900_000_000);
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final String EMPTY = vector();
  private final List<String> asked = new ArrayList<>();

  private static PrometheusReader reader(Duration most, String allowed) {
    return new PrometheusReader(
        new EgressPolicy(List.of(Cidr.parse(allowed)), FakeHosts.LOOKUP), () -> NOW, most);
  }

  private MetricsReading read(Duration most, String allowed, FakeHttps.Answer answer) {
    try (FakeHttps server = new FakeHttps(answer)) {
      MetricsReading reading =
          reader(most, allowed)
              .read(new Prometheus(server.url() + "/prom", server.caData(), false));
      asked.addAll(server.requests());
      return reading;
    }
  }

  /** Answers to utilisation, memory and power. */
  private MetricsReading told(String... answers) {
    return read(
        PATIENCE,
        "127.0.0.1/32",
        (exchange, n) -> FakeHttps.send(exchange, 200, answers[Math.min(n, answers.length - 1)]));
  }

  private static String vector(String... series) {
    return "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[%s]},\"infos\":[]}"
        .formatted(String.join(",", series));
  }

  private static String series(String namespace, String pod, String value) {
    return series("namespace", namespace, "pod", pod, NOW.getEpochSecond(), value);
  }

  private static String series(
      String space, String namespace, String label, String pod, long at, String value) {
    return "{\"metric\":{\"%s\":\"%s\",\"%s\":\"%s\"},\"value\":[%d.5,\"%s\"]}"
        .formatted(space, namespace, label, pod, at, value);
  }

  private static List<PodUse> pods(MetricsReading reading) {
    return ((MetricsReading.Read) reading).pods();
  }

  /** Fails when the labels of an exporter whose own are renamed are not read. */
  @Test
  void podIsTheOneNamedByTheExporter() {
    String renamed =
        series("exported_namespace", "b", "exported_pod", "fl-2", NOW.getEpochSecond(), "0");
    MetricsReading reading =
        told(
            vector(series("a", "fl-1", "37.5"), renamed),
            vector(series("a", "fl-1", "40536")),
            vector(series("a", "fl-1", "412.25"), series("a", "fl-9", "1")));

    assertThat(pods(reading))
        .containsExactlyInAnyOrder(
            new PodUse("a", "fl-1", 37.5, 40_536L, 412.25), new PodUse("b", "fl-2", 0, null, null));
    assertThat(asked).hasSize(3).allMatch(call -> call.startsWith("GET /prom/api/v1/query?"));
    assertThat(URLDecoder.decode(asked.getFirst(), StandardCharsets.UTF_8))
        .contains(
            "DCGM_FI_DEV_GPU_UTIL{pod=~\"fl-.+\"}", "{exported_pod=~\"fl-.+\",pod!~\"fl-.+\"}");
  }

  // Fails when impossible GPU values are accepted.
  @Test
  void implausibleGpuValuesAreOmittedAndCounted() {
    MetricsReading reading =
        told(
            vector(
                series("a", "fl-1", "NaN"),
                series("a", "fl-2", "-1"),
                series("a", "fl-3", "100.1"),
                series("a", "fl-4", "+Inf"),
                series("a", "fl-5", "much"),
                series("a", "fl 6", "5"),
                series("", "fl-7", "5"),
                series("a", "fl-8", "100"),
                series("a", "fl-8", "1")),
            vector(series("a", "fl-8", "-5")),
            vector(series("a", "fl-8", "1e9")));

    assertThat(reading)
        .isEqualTo(new MetricsReading.Read(List.of(new PodUse("a", "fl-8", 100, null, null)), 10));
  }

  // Fails when a cached value or a wrong clock counts as current.
  @Test
  void answerForAnotherTimeIsRejected() {
    String old =
        series("namespace", "a", "pod", "fl-1", NOW.minusSeconds(360).getEpochSecond(), "5");

    assertThat(told(vector(old)).toString()).contains("a time other than now");
    assertThat(told(vector(old.replace("1899999640.5", "null"))).toString())
        .contains("a time other than now");
  }

  @Test
  void unreadableResponseIsNotAnAnswer() {
    assertThat(told("<html>").toString()).contains("Unread");
    assertThat(told("{\"status\":\"success\"}").toString()).contains("no data");
    assertThat(told("{\"data\":{\"result\":{}}}").toString()).contains("no list");
    assertThat(told(EMPTY.replace("[]}", "[5]}")).toString())
        .satisfies(reason("prometheus-reader.series-none"));
    assertThat(told("{\"data\":{\"result\":[{\"metric\":").toString()).contains("Unread");
    assertThat(told("{\"x\":\"" + "a".repeat(16 * 1024 * 1024) + "\"}").toString())
        .contains("more than 16 MiB");
    assertThat(
            read(PATIENCE, "127.0.0.1/32", (exchange, n) -> FakeHttps.send(exchange, 503, EMPTY))
                .toString())
        .contains("answers 503");
    assertThat(told(EMPTY)).isEqualTo(new MetricsReading.Read(List.of(), 0));
  }

  /** Fails when an address is connected to that the policy does not allow. */
  @Test
  void disallowedAddressIsNotQueried() {
    MetricsReading reading =
        read(PATIENCE, "10.0.0.0/8", (exchange, n) -> FakeHttps.send(exchange, 200, EMPTY));

    assertThat(reading.toString()).contains("private or reserved");
    assertThat(asked).isEmpty();
    PrometheusReader reader = reader(PATIENCE, "10.0.0.0/8");
    assertThat(reader.refuses(new Prometheus("https://inside.example", null, false))).isPresent();
    assertThat(reader.refuses(new Prometheus("http://public.example", null, false))).isPresent();
    assertThat(reader.refuses(new Prometheus("https://public.example", "no PEM", false)))
        .isPresent();
    assertThat(reader.refuses(new Prometheus("https://public.example", null, false))).isEmpty();
  }

  /** Fails when a hanging server delays the loop. It never responds by itself. */
  @Test
  void hangingPrometheusTimesOut() {
    MetricsReading reading = read(Duration.ofSeconds(2), "127.0.0.1/32", FakeHttps.hangs());

    assertThat(reading).isInstanceOf(MetricsReading.Unread.class);
  }

  /** Fails when an endless response, a byte at a time, delays the loop. */
  @Test
  void endlessResponseTimesOut() {
    MetricsReading reading =
        read(
            Duration.ofSeconds(2),
            "127.0.0.1/32",
            (exchange, n) -> {
              exchange.sendResponseHeaders(200, 0);
              OutputStream body = exchange.getResponseBody();
              while (true) { // until the reader has disconnected
                body.write(' ');
                body.flush();
                LockSupport.parkNanos(50_000_000);
              }
            });

    assertThat(reading).isInstanceOf(MetricsReading.Unread.class);
  }
}
