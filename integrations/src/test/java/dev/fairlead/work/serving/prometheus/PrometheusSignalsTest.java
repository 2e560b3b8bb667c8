package dev.fairlead.work.serving.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.kernel.egress.Cidr;
import dev.fairlead.kernel.egress.EgressPolicy;
import dev.fairlead.kernel.egress.FakeHosts;
import dev.fairlead.kernel.egress.FakeHttps;
import dev.fairlead.work.serving.signal.Signal;
import dev.fairlead.work.serving.signal.Signal.Function;
import dev.fairlead.work.serving.signal.SignalReader;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** A Prometheus over HTTPS with metrics of model servers. */
class PrometheusSignalsTest {
  private static final Instant NOW = Instant.ofEpochSecond(1_900_000_000);
  private static final Signal WAITING = new Signal(Function.SUM, "vllm:num_requests_waiting");
  private static final Signal RATE = new Signal(Function.RATE, "refusals_total");
  private final List<String> asked = new ArrayList<>();

  private SignalReader.Answer read(FakeHttps.Answer answer, Signal... signals) {
    try (FakeHttps server = new FakeHttps(answer)) {
      SignalReader.Answer read =
          new PrometheusSignals(
                  new EgressPolicy(List.of(Cidr.parse("127.0.0.1/32")), FakeHosts.LOOKUP),
                  () -> NOW,
                  Duration.ofMinutes(1))
              .read(
                  new Prometheus(server.url(), server.caData(), false),
                  new TreeSet<>(List.of(signals)));
      server.requests().forEach(call -> asked.add(URLDecoder.decode(call, StandardCharsets.UTF_8)));
      return read;
    }
  }

  private static String vector(String... series) {
    return "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[%s]}}"
        .formatted(String.join(",", series));
  }

  private static String pod(String name, String value) {
    return "{\"metric\":{\"pod\":\"%s\"},\"value\":[%d,\"%s\"]}"
        .formatted(name, NOW.getEpochSecond(), value);
  }

  /** Fails when a server could report for the pod of another service. */
  @Test
  void valuesBelongToTheScrapedPod() {
    SignalReader.Answer read =
        read(
            (exchange, n) ->
                FakeHttps.send(
                    exchange, 200, vector(pod("fl-1", "3"), pod("fl-2", n == 0 ? "NaN" : "0.5"))),
            WAITING,
            RATE);
    assertThat(read.problem()).isEmpty();
    assertThat(read.values().get(WAITING)).isEqualTo(Map.of("fl-1", 3.0));
    assertThat(read.values().get(RATE)).isEqualTo(Map.of("fl-1", 3.0, "fl-2", 0.5));
    assertThat(asked.getFirst())
        .contains(
            "sum by (pod) ({__name__=\"vllm:num_requests_waiting\",pod=~\"fl-.+\",exported_pod=\"\"})");
    assertThat(asked.getLast())
        .contains(
            "sum by (pod) (rate({__name__=\"refusals_total\",pod=~\"fl-.+\",exported_pod=\"\"}[1m]))");
  }

  /** Fails when the metric of one service hides those of all others on the cluster. */
  @Test
  void refusedQueryHidesNoOtherSignal() {
    SignalReader.Answer read =
        read(
            (exchange, n) -> {
              if (n == 0) {
                FakeHttps.send(exchange, 422, "too many samples");
              } else {
                FakeHttps.send(exchange, 200, vector(pod("fl-1", "3")));
              }
            },
            WAITING,
            RATE);
    assertThat(read.values()).isEqualTo(Map.of(RATE, Map.of("fl-1", 3.0)));
    assertThat(read.problem()).contains("422");
  }

  @Test
  void failedQueryHasAReasonAndNoValues() {
    SignalReader.Answer read =
        read((exchange, n) -> FakeHttps.send(exchange, 503, "busy"), WAITING);
    assertThat(read.values()).isEmpty();
    assertThat(read.problem()).contains("503");
  }
}
