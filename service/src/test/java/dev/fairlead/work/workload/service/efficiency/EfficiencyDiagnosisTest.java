package dev.fairlead.work.workload.service.efficiency;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.kernel.doctor.DoctorCheck;
import dev.fairlead.kernel.loop.LeaseTimes;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.money.efficiency.MetricsReading;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EfficiencyDiagnosisTest {
  private static final Duration READING = Duration.ofSeconds(10);
  private final MemoryStores stores = MemoryStores.empty(1);
  private long nanos;

  private Cluster cluster(@Nullable String url) {
    Cluster cluster = TestWorld.in(stores).cluster();
    stores
        .inventory()
        .configure(
            cluster.configured(
                cluster.capacity(),
                cluster.pricePerGpuHour(),
                cluster
                    .settings()
                    .withPrometheus(url == null ? null : new Prometheus(url, null, false))),
            null);
    return cluster;
  }

  /** A Prometheus with "away" in its name does not answer within its time limit. */
  private List<DoctorCheck> seen() {
    LeaseTimes times = new LeaseTimes(Duration.ofDays(3), Duration.ofDays(1), Duration.ofDays(2));
    return new EfficiencyDiagnosis(
            stores.inventory(),
            prometheus -> {
              if (!prometheus.url().contains("away")) {
                return new MetricsReading.Read(List.of(), 0);
              }
              nanos += READING.toNanos();
              return new MetricsReading.Unread("it hangs");
            },
            new Leases(stores.leases(), times, () -> nanos, "one"))
        .look();
  }

  @Test
  void onlyAnUnresponsivePrometheusIsReportedWithCauseAndStep() {
    Cluster well = cluster("https://one");
    Cluster away = cluster("https://away");
    cluster(null);

    assertThat(seen())
        .satisfiesExactlyInAnyOrder(
            check ->
                assertThat(check)
                    .isEqualTo(
                        DoctorCheck.ok(
                            "efficiency",
                            well.name(),
                            "its Prometheus answers, with 0 pods of jobs")),
            check -> {
              assertThat(check.verdict()).isEqualTo(DoctorCheck.Verdict.WARNING);
              assertThat(check.subject()).isEqualTo(away.name());
              assertThat(check.found())
                  .satisfies(reason("efficiency-diagnosis.read-hangs", "https://away"));
              assertThat(check.next()).contains("another address");
            });
  }

  // Fails when the diagnosis waits for each of many hanging servers: the operator would wait for
  // minutes.
  @Test
  void hangingServersDoNotDelayTheDiagnosis() {
    for (int n = 0; n < 50; n++) {
      cluster("https://away-" + n);
    }

    assertThat(seen())
        .hasSize(50)
        .filteredOn(check -> check.found().contains("was not queried"))
        .hasSize(48);
    assertThat(Duration.ofNanos(nanos)).isLessThan(EfficiencyDiagnosis.MOST.plus(READING));
  }
}
