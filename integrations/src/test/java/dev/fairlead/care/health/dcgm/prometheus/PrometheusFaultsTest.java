package dev.fairlead.care.health.dcgm.prometheus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.fairlead.care.health.dcgm.GpuSample;
import dev.fairlead.care.health.dcgm.SeriesReading;
import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.kernel.egress.Cidr;
import dev.fairlead.kernel.egress.EgressPolicy;
import dev.fairlead.kernel.egress.FakeHosts;
import dev.fairlead.kernel.egress.FakeHttps;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Series of the DCGM exporter from a Prometheus over HTTPS, honest or not. */
class PrometheusFaultsTest {
  private static final Instant NOW = Instant.ofEpochSecond(1_900_000_000);
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final String GPU = "GPU-a8394b51-c086-568a-9f1a-c1e1c934c44c";
  private final List<String> asked = new ArrayList<>();

  private SeriesReading read(Duration most, String allowed, FakeHttps.Answer answer) {
    try (FakeHttps server = new FakeHttps(answer)) {
      PrometheusFaults reader =
          new PrometheusFaults(
              new EgressPolicy(List.of(Cidr.parse(allowed)), FakeHosts.LOOKUP), () -> NOW, most);
      SeriesReading reading =
          reader.read(new Prometheus(server.url() + "/prom", server.caData(), true));
      server.requests().forEach(r -> asked.add(URLDecoder.decode(r, StandardCharsets.UTF_8)));
      return reading;
    }
  }

  /** Answers to the series of every GPU and to the values above 0. */
  private SeriesReading told(String... answers) {
    return read(
        PATIENCE,
        "127.0.0.1/32",
        (exchange, n) -> FakeHttps.send(exchange, 200, answers[Math.min(n, answers.length - 1)]));
  }

  private static String vector(String... series) {
    return "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[%s]}}"
        .formatted(String.join(",", series));
  }

  private static String series(String labels, String value) {
    return "{\"metric\":{%s},\"value\":[%d.5,\"%s\"]}"
        .formatted(labels.replace('\'', '"'), NOW.getEpochSecond(), value);
  }

  private static List<GpuSample> samples(SeriesReading reading) {
    return ((SeriesReading.Read) reading).samples();
  }

  @Test
  void twoQueriesReadAllGpus() {
    SeriesReading reading =
        told(
            vector(
                series(
                    "'__name__':'DCGM_FI_DEV_GPU_TEMP','UUID':'" + GPU + "','Hostname':'n0'",
                    "41")),
            vector(
                series(
                    "'__name__':'DCGM_FI_DEV_XID_ERRORS','UUID':'"
                        + GPU
                        + "','Hostname':'dcgm-exporter-x7k2p','node':'n0','kubernetes_node':'n0'",
                    "79")));

    assertThat(samples(reading))
        .containsExactly(
            new GpuSample("DCGM_FI_DEV_GPU_TEMP", GPU, List.of("n0"), 41, null),
            new GpuSample(
                "DCGM_FI_DEV_XID_ERRORS", GPU, List.of("n0", "dcgm-exporter-x7k2p"), 79, null));
    assertThat(asked)
        .satisfiesExactly(
            first ->
                assertThat(first)
                    .startsWith("GET /prom/api/v1/query?")
                    .endsWith("exported_pod) (last_over_time(DCGM_FI_DEV_GPU_TEMP[180s]))"),
            second ->
                assertThat(second)
                    .as("for the time of the first answer, from all stores of a Thanos")
                    .contains("&time=1900000000.500&", "&partial_response=false&")
                    .contains(
                        "(last_over_time({__name__=~\"DCGM_FI_DEV_XID_ERRORS|DCGM_FI_DEV_XID_ERROR|")
                    .endsWith("\"}[180s]) > 0)"));
  }

  private GpuSample.Holder holder(String labels) {
    return samples(told(vector(series("'UUID':'" + GPU + "'," + labels, "41")), vector()))
        .getFirst()
        .holder();
  }

  /** Fails when a scraped pod of a job can report the GPUs of other pods. */
  @Test
  void podThatUsesTheGpuIsReadFromTheLabels() {
    assertThat(holder("'namespace':'fairlead-a','pod':'fl-1-worker-0-0'"))
        .isEqualTo(new GpuSample.Holder("fairlead-a", "fl-1-worker-0-0", false));
    String exporter = "'namespace':'monitoring','pod':'dcgm-exporter-x7k2p'";
    String renamed = ",'exported_namespace':'fairlead-a','exported_pod':'fl-1-worker-0-0'";
    assertThat(holder(exporter + renamed + ",'GPU_I_ID':'3'"))
        .isEqualTo(new GpuSample.Holder("fairlead-a", "fl-1-worker-0-0", true));
    assertThat(holder(exporter)).isNull();
    assertThat(holder("'namespace':'fairlead-b','pod':'fl-2-worker-0-0'" + renamed)).isNull();
  }

  @Test
  void rulesHandleMissingLabelsAndNonNumericValues() {
    SeriesReading reading =
        told(vector(series("", "NaN"), series("'UUID':5,'node':''", "much")), vector());

    assertThat(samples(reading))
        .extracting(GpuSample::series, GpuSample::gpu, GpuSample::nodes)
        .containsExactly(tuple("", "", List.of()), tuple("", "5", List.of()));
    assertThat(samples(reading)).allMatch(sample -> Double.isNaN(sample.value()));
  }

  @Test
  void unusableResponseIsNotAnAnswer() {
    assertThat(told("<html>").toString()).contains("Unread");
    assertThat(told(vector(series("", "1")), "{\"status\":\"error\"}").toString())
        .contains("no data");
    assertThat(told("{\"x\":\"" + "a".repeat(16 * 1024 * 1024) + "\"}").toString())
        .contains("more than 16 MiB");
    String tooMany = String.join(",", Collections.nCopies(100_001, series("", "1")));
    assertThat(told(vector(tooMany)).toString()).contains("more than 100000 series");
    assertThat(told(vector(series("", "1").replace("1900000000", "1899999000"))).toString())
        .contains("a time other than now");
    assertThat(
            read(PATIENCE, "127.0.0.1/32", (exchange, n) -> FakeHttps.send(exchange, 500, vector()))
                .toString())
        .contains("answers 500");
  }

  @Test
  void disallowedAddressIsNotQueried() {
    SeriesReading reading =
        read(PATIENCE, "10.0.0.0/8", (exchange, n) -> FakeHttps.send(exchange, 200, vector()));

    assertThat(reading.toString()).contains("private or reserved");
    assertThat(asked).isEmpty();
  }

  @Test
  void hangingServerTimesOut() {
    SeriesReading reading = read(Duration.ofSeconds(2), "127.0.0.1/32", FakeHttps.hangs());

    assertThat(reading).isInstanceOf(SeriesReading.Unread.class);
  }
}
