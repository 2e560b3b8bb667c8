package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.fairlead.care.health.dcgm.GpuSample;
import dev.fairlead.care.health.dcgm.PodGpus;
import dev.fairlead.care.health.dcgm.SampleRecord;
import dev.fairlead.care.health.dcgm.SeriesPass;
import dev.fairlead.care.health.dcgm.SeriesReading;
import dev.fairlead.care.health.dcgm.SeriesTable;
import dev.fairlead.care.health.dcgm.prometheus.PrometheusFaults;
import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.kernel.egress.Cidr;
import dev.fairlead.kernel.egress.EgressPolicy;
import dev.fairlead.kernel.egress.FakeHosts;
import dev.fairlead.kernel.egress.TestIdentity;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A Prometheus that scrapes an exporter like DCGM's, and the jobs on the GPUs of its series. */
class ExporterSeriesIT extends PrometheusScene {
  private static final Http HTTP = RunningFairlead.shared().http();
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final String GPU = "GPU-a8394b51-c086-568a-9f1a-c1e1c934c44c";
  private static final String OTHER = "GPU-b8394b51-c086-568a-9f1a-c1e1c934c44c";
  private static final String POD = ",container=\"main\",namespace=\"fairlead-a\",pod=\"fl-1-w-0\"";
  private static final String TEMP = "DCGM_FI_DEV_GPU_TEMP";
  private static final String XID = "DCGM_FI_DEV_XID_ERRORS";

  private final PrometheusFaults reader =
      new PrometheusFaults(
          new EgressPolicy(List.of(Cidr.parse("127.0.0.1/32")), FakeHosts.LOOKUP),
          Instant::now,
          Duration.ofSeconds(30));

  private final Map<String, SampleRecord> stored = new TreeMap<>();
  private volatile String exported = "";
  private volatile String forged = "";

  @Override
  TestPrometheus.Target[] targets() {
    return new TestPrometheus.Target[] {
      new TestPrometheus.Target(
          "dcgm", "{namespace: monitoring, pod: dcgm-exporter-x7k2p}", () -> exported),
      new TestPrometheus.Target("job", "{namespace: fairlead-b, pod: fl-2-w-0}", () -> forged)
    };
  }

  private static String metric(String name, String gpu, String labels, int value) {
    return "%s{gpu=\"0\",UUID=\"%s\",Hostname=\"n0\"%s} %d\n".formatted(name, gpu, labels, value);
  }

  private List<GpuSample> samples() {
    prometheus.awaitScrape();
    SeriesReading reading =
        reader.read(
            new Prometheus(
                "https://127.0.0.1:" + prometheus.port(), TestIdentity.certificate(), true));
    assertThat(reading).isInstanceOf(SeriesReading.Read.class);
    return ((SeriesReading.Read) reading).samples();
  }

  private SeriesPass judged(List<GpuSample> samples) {
    return SeriesPass.of(
        SeriesTable.CURRENT, samples, stored.values(), Set.of("n0", "n1"), Instant.now());
  }

  /** XIDs of the events of the next pass. Their values are stored. */
  private List<Integer> xids(String metrics) {
    exported = metrics;
    SeriesPass pass = judged(samples());
    pass.quiet().forEach(this::store);
    pass.found().forEach(found -> store(found.next()));
    return pass.found().stream().map(found -> found.event().xid()).toList();
  }

  private void store(SampleRecord value) {
    stored.put(value.gpu() + value.series(), value);
  }

  /**
   * Fails when the end of a series counts as a reset, so that its return reports the old XID again.
   */
  @Tag("long")
  @Test
  void seriesMissingFromAScrapeIsNoResetAndAZeroIsOne() {
    String alive = metric(TEMP, GPU, POD, 41);
    assertThat(xids(alive + metric(XID, GPU, POD, 0))).isEmpty();
    assertThat(xids(alive + metric(XID, GPU, POD, 79))).containsExactly(79);
    assertThat(xids(alive)).isEmpty();
    assertThat(xids(alive + metric(XID, GPU, POD, 79))).isEmpty();
    assertThat(xids(alive + metric(XID, GPU, POD, 0))).isEmpty();
    assertThat(xids(alive + metric(XID, GPU, POD, 79))).containsExactly(79);
  }

  /** Fails when the pod of a job that is scraped names the holder of a GPU. */
  @Tag("long")
  @Test
  void exporterLabelsNameTheHolderAndJobLabelsDoNot() {
    exported = metric(TEMP, GPU, POD, 41) + metric(TEMP, OTHER, POD + ",GPU_I_ID=\"3\"", 42);
    forged = metric(TEMP, GPU, ",namespace=\"fairlead-c\",pod=\"fl-3-w-0\"", 43);
    List<GpuSample> samples = samples();

    assertThat(samples)
        .extracting(GpuSample::gpu, GpuSample::value, GpuSample::holder)
        .containsExactlyInAnyOrder(
            tuple(GPU, 41.0, new GpuSample.Holder("fairlead-a", "fl-1-w-0", false)),
            tuple(OTHER, 42.0, new GpuSample.Holder("fairlead-a", "fl-1-w-0", true)),
            tuple(GPU, 43.0, null));
    assertThat(PodGpus.of(samples, judged(samples).gpus())).as("one is a slice").isEmpty();
  }

  /** Fails when a pod appears to have fewer GPUs, and its member other devices, during a scrape. */
  @Tag("long")
  @Test
  void gpuMissingFromAScrapeRemainsWithItsPod() {
    String first = metric(TEMP, GPU, POD, 41);
    exported = first + metric(TEMP, OTHER, POD, 42);
    assertThat(samples()).hasSize(2);
    exported = first;
    List<GpuSample> samples = samples();
    assertThat(PodGpus.of(samples, judged(samples).gpus()))
        .containsExactly(new PodGpus("n0", "fairlead-a", "fl-1-w-0", List.of(GPU, OTHER)));
  }

  private static JsonNode attempt(String job, int number) {
    for (JsonNode attempt : HTTP.get(job + "/attempts").json().get("items")) {
      if (attempt.get("number").asInt() == number) {
        return attempt;
      }
    }
    return HTTP.get(job).json().path("noSuchAttempt");
  }

  private static void awaitState(String job, int number, String state) {
    await("attempt " + number + " " + state)
        .atMost(PATIENCE)
        .until(() -> attempt(job, number).path("state").asString("").equals(state));
  }

  private void readForFaults(String cluster) {
    String path = "/api/v1/clusters/" + cluster;
    String body =
        "{\"prometheus\":{\"url\":\"https://127.0.0.1:%d\",\"caData\":\"%s\",\"faults\":true}}"
            .formatted(prometheus.port(), TestIdentity.certificate());
    Http.Answer patched =
        HTTP.send(
            "PATCH",
            path,
            body,
            "Content-Type",
            "application/merge-patch+json",
            "If-Match",
            HTTP.get(path).header("ETag"));
    assertThat(patched.status()).as(patched.body()).isEqualTo(200);
  }

  /** Fails when a fault in the series does not affect the job, or isolates more than its GPU. */
  @Test
  void jobOnTheFaultyGpuMovesAndItsNodeRemainsInUse() {
    HTTP.yaml(
        "/api/v1/clusters",
        "{name: exporter-series, kind: SIMULATED, fleet: [{nodes: 2, gpusPerNode: 2, model: H100}]}");
    String job =
        "/api/v1/jobs/"
            + HTTP.yaml(
                    "/api/v1/projects/default/jobs",
                    "{image: x, gpu: 1, placement: {clusters: [exporter-series]}, annotations: {sim.fairlead.dev/run-for: 1h}}")
                .json()
                .get("id")
                .asString();
    awaitState(job, 1, "RUNNING");
    JsonNode member = attempt(job, 1).at("/members/0");
    String sick = member.at("/gpus/0/serial").asString();
    String node = member.get("node").asString();
    exported =
        (metric(TEMP, sick, "", 41) + metric("DCGM_FI_DEV_ROW_REMAP_FAILURE", sick, "", 1))
            .replace("\"n0\"", "\"" + node + "\"");
    prometheus.awaitScrape();

    readForFaults("exporter-series");

    awaitState(job, 1, "FAILED");
    assertThat(attempt(job, 1).get("cause").asString()).isEqualTo("GPU_FAULT");
    assertThat(attempt(job, 1).get("message").asString())
        .startsWith("DCGM_FI_DEV_ROW_REMAP_FAILURE (remapping of a row failed) on GPU " + sick);
    awaitState(job, 2, "RUNNING");
    assertThat(attempt(job, 2).at("/members/0/gpus/0/serial").asString()).isNotEqualTo(sick);
    assertThat(HTTP.get("/api/v1/nodes/" + node).json().get("state").asString())
        .isEqualTo("ACTIVE");
    assertThat(HTTP.json(job + "/cancel", "").status()).isEqualTo(200);
  }
}
