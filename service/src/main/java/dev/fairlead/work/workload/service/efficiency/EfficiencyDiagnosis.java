package dev.fairlead.work.workload.service.efficiency;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.kernel.doctor.Diagnosis;
import dev.fairlead.kernel.doctor.DoctorCheck;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.money.efficiency.MetricsReader;
import dev.fairlead.money.efficiency.MetricsReading;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.springframework.stereotype.Component;

/**
 * Checks that the Prometheus of each cluster can be read. It sends its own query, because another
 * process may run the readings of each minute.
 */
@Component
public class EfficiencyDiagnosis implements Diagnosis {
  /** Time after which a pass queries no other Prometheus, because each may hang for ten seconds. */
  static final Duration MOST = Duration.ofSeconds(15);

  private final InventoryStore inventory;
  private final MetricsReader reader;
  private final MonotonicClock clock;

  public EfficiencyDiagnosis(InventoryStore inventory, MetricsReader reader, Leases leases) {
    this.inventory = inventory;
    this.reader = reader;
    this.clock = leases.clock();
  }

  @Override
  public String area() {
    return "efficiency";
  }

  @Override
  public List<DoctorCheck> look() {
    List<DoctorCheck> found = new ArrayList<>();
    long until = clock.nanos() + MOST.toNanos();
    for (Cluster cluster : inventory.clusters()) {
      Prometheus prometheus = cluster.settings().prometheus();
      if (prometheus != null && cluster.state() != ClusterState.DISABLED) {
        found.add(
            clock.nanos() - until < 0 ? asked(cluster.name(), prometheus) : late(cluster.name()));
      }
    }
    return found;
  }

  private DoctorCheck asked(String cluster, Prometheus prometheus) {
    return switch (reader.read(prometheus)) {
      case MetricsReading.Unread(String why) ->
          DoctorCheck.warning(
              area(),
              cluster,
              "its Prometheus " + prometheus.url() + " is not read: " + why,
              "GPU utilization of its jobs is unknown, and no idle job is detected there. Repair"
                  + " the Prometheus, or set another address in the cluster"
                  + " (docs/how-to/logs.md#gpu-efficiency-of-jobs).");
      case MetricsReading.Read read ->
          DoctorCheck.ok(
              area(),
              cluster,
              "its Prometheus answers, with %d pods of jobs".formatted(read.pods().size()));
    };
  }

  private DoctorCheck late(String cluster) {
    return DoctorCheck.warning(
        area(),
        cluster,
        "its Prometheus was not queried: those of other clusters took %d s"
            .formatted(MOST.toSeconds()),
        "Fix these problems first, then check again.");
  }
}
