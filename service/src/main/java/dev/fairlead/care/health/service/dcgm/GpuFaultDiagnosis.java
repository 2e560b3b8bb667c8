package dev.fairlead.care.health.service.dcgm;

import dev.fairlead.care.health.dcgm.SampleStore;
import dev.fairlead.care.health.dcgm.SeriesPass;
import dev.fairlead.care.health.dcgm.SeriesReader;
import dev.fairlead.care.health.dcgm.SeriesReading;
import dev.fairlead.care.health.dcgm.SeriesTable;
import dev.fairlead.care.health.device.DeviceStore;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.kernel.doctor.Diagnosis;
import dev.fairlead.kernel.doctor.DoctorCheck;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.MonotonicClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.springframework.stereotype.Component;

/**
 * Checks that the series of each cluster with this setting name GPUs and machines that the cluster
 * has. It sends its own queries.
 */
@Component
public class GpuFaultDiagnosis implements Diagnosis {
  /** Time after which a pass queries no other Prometheus, because each may hang for ten seconds. */
  static final Duration MOST = Duration.ofSeconds(15);

  private static final int NAMED = 3;
  private static final String HELP = " (docs/how-to/health.md#the-dcgm-exporter).";

  private final InventoryStore inventory;
  private final HealthStore health;
  private final SampleStore samples;
  private final SeriesOwners claims;
  private final SeriesReader reader;
  private final MonotonicClock clock;

  public GpuFaultDiagnosis(
      InventoryStore inventory,
      HealthStore health,
      SampleStore samples,
      DeviceStore devices,
      SeriesReader reader,
      Leases leases) {
    this.inventory = inventory;
    this.health = health;
    this.samples = samples;
    this.claims = new SeriesOwners(samples, devices);
    this.reader = reader;
    this.clock = leases.clock();
  }

  @Override
  public String area() {
    return "gpu-faults";
  }

  @Override
  public List<DoctorCheck> look() {
    List<DoctorCheck> found = new ArrayList<>();
    long until = clock.nanos() + MOST.toNanos();
    List<Cluster> clusters = inventory.clusters();
    for (Cluster cluster : clusters) {
      Prometheus prometheus = cluster.settings().prometheus();
      if (prometheus != null && prometheus.faults() && cluster.state() != ClusterState.DISABLED) {
        found.add(
            clock.nanos() - until < 0
                ? asked(cluster, prometheus, clusters)
                : warning(
                    cluster,
                    "its Prometheus was not queried, because queries of other clusters took %d s"
                        .formatted(MOST.toSeconds()),
                    "Fix these problems first, then check again."));
      }
    }
    return found;
  }

  private DoctorCheck warning(Cluster cluster, String found, String next) {
    return DoctorCheck.warning(area(), cluster.name(), found, next);
  }

  private DoctorCheck asked(Cluster cluster, Prometheus prometheus, List<Cluster> clusters) {
    return switch (reader.read(prometheus)) {
      case SeriesReading.Unread(String why) ->
          warning(
              cluster,
              "its Prometheus " + prometheus.url() + " is not read: " + why,
              "Faults of its GPUs are detected only by other monitors. Repair the Prometheus"
                  + HELP);
      case SeriesReading.Read read -> judged(cluster, read, clusters);
    };
  }

  private DoctorCheck judged(Cluster cluster, SeriesReading.Read read, List<Cluster> clusters) {
    SeriesPass pass =
        SeriesPass.of(
            SeriesTable.CURRENT,
            read.samples(),
            List.of(),
            GpuNames.nodes(health, cluster.id(), read.samples()),
            samples.now());
    SortedSet<String> disputed = new TreeSet<>(pass.disputed());
    disputed.addAll(claims.disputed(cluster.id(), pass.gpus(), samples.now()).values());
    if (!disputed.isEmpty()) {
      return warning(
          cluster,
          "several machines claim a GPU: " + some(disputed),
          "Faults of these GPUs are ignored. Correct the labels of the exporters" + HELP);
    }
    SortedSet<String> strangers = new TreeSet<>(pass.strangers());
    for (Cluster other : clusters) {
      strangers.removeAll(GpuNames.nodes(health, other.id(), strangers));
    }
    if (!strangers.isEmpty()) {
      return warning(
          cluster,
          "no cluster has the machines of these series: " + some(strangers),
          "Faults of their GPUs are ignored. Add a label with the node name to the series" + HELP);
    }
    if (pass.gpus().isEmpty()) {
      return warning(
          cluster,
          "its Prometheus has no recent %s of its nodes"
              .formatted(SeriesTable.CURRENT.ofEveryGpu().name()),
          "Check that Prometheus scrapes the DCGM exporter of this cluster" + HELP);
    }
    return DoctorCheck.ok(area(), cluster.name(), "%d GPUs are read".formatted(pass.gpus().size()));
  }

  private static String some(SortedSet<String> names) {
    return String.join(", ", names.stream().limit(NAMED).toList()).replaceAll("[^ -~]", "?")
        + (names.size() > NAMED ? " and others" : "");
  }
}
