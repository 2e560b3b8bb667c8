package dev.fairlead.care.health.service.dcgm;

import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.dcgm.PodGpus;
import dev.fairlead.care.health.dcgm.SampleRecord;
import dev.fairlead.care.health.dcgm.SampleStore;
import dev.fairlead.care.health.dcgm.SeriesPass;
import dev.fairlead.care.health.dcgm.SeriesPass.Found;
import dev.fairlead.care.health.dcgm.SeriesReader;
import dev.fairlead.care.health.dcgm.SeriesReading;
import dev.fairlead.care.health.dcgm.SeriesTable;
import dev.fairlead.care.health.device.DeviceStore;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.service.HealthIntake;
import dev.fairlead.care.health.service.Intake;
import dev.fairlead.care.health.service.repair.HealthAudit;
import dev.fairlead.care.health.service.spi.ExporterHolders;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.cluster.connection.Prometheus;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.LeasedLoop;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.SourceRotation;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Actor;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Once a minute, reads the series of the DCGM exporter from the Prometheus of each configured
 * cluster, and reports new faults as health events. A pass reads one cluster. A value is stored
 * after its event, so a pass that ends between the two repeats the event.
 */
@Component
public class GpuFaultLoop extends LeasedLoop {
  private static final Logger LOG = LoggerFactory.getLogger(GpuFaultLoop.class);
  private static final Duration IDLE = Duration.ofSeconds(5);

  /** Maximum number of events of one pass, as of a report by a monitor. The next pass continues. */
  static final int MOST = 500;

  /**
   * Time within which an XID that another monitor reported is the same fault. Longer than the sum
   * of the intervals of exporter, scrape and pass.
   */
  private static final Duration SAME = Duration.ofMinutes(5);

  /** Pods of one transaction. */
  private static final int PODS = 500;

  private final SampleStore samples;
  private final HealthStore health;
  private final SeriesOwners claims;
  private final HealthIntake intake;
  private final HealthAudit audit;
  private final ExporterHolders holders;
  private final InventoryStore inventory;
  private final SeriesReader reader;
  private final Transactions transactions;
  private final MeterRegistry metrics;
  private final SourceRotation<ClusterId> turns;

  public GpuFaultLoop(
      Leases leases,
      SampleStore samples,
      HealthStore health,
      DeviceStore devices,
      HealthIntake intake,
      HealthAudit audit,
      ExporterHolders holders,
      InventoryStore inventory,
      SeriesReader reader,
      Transactions transactions,
      MeterRegistry metrics) {
    super("gpu-faults", "supervisor", IDLE, leases);
    this.samples = samples;
    this.health = health;
    this.claims = new SeriesOwners(samples, devices);
    this.intake = intake;
    this.audit = audit;
    this.holders = holders;
    this.inventory = inventory;
    this.reader = reader;
    this.transactions = transactions;
    this.metrics = metrics;
    this.turns = new SourceRotation<>(leases.clock());
  }

  @Override
  protected boolean turn(HeldLease lease) {
    SortedMap<ClusterId, Cluster> clusters = new TreeMap<>();
    for (Cluster cluster : transactions.read(inventory::clusters)) {
      Prometheus prometheus = cluster.settings().prometheus();
      if (prometheus != null && prometheus.faults() && cluster.state() != ClusterState.DISABLED) {
        clusters.put(cluster.id(), cluster);
      }
    }
    Optional<ClusterId> next = turns.next(clusters.keySet());
    next.ifPresent(id -> read(lease, Objects.requireNonNull(clusters.get(id))));
    return next.isPresent();
  }

  @Override
  protected void forget() {
    turns.forget();
  }

  private void read(HeldLease lease, Cluster cluster) {
    Prometheus prometheus = cluster.settings().prometheus();
    if (prometheus == null) {
      return;
    }
    switch (reader.read(prometheus)) {
      case SeriesReading.Unread(String why) -> {
        count(cluster, "unread", 1);
        if (turns.silent(cluster.id())) {
          LOG.warn("GPU faults of cluster {} cannot be read: {}", cluster.name(), why);
        }
      }
      case SeriesReading.Read read -> {
        judge(lease, cluster, read);
        if (turns.answered(cluster.id())) {
          LOG.info("Reading GPU faults of cluster {} works again", cluster.name());
        }
      }
    }
  }

  private void judge(HeldLease lease, Cluster cluster, SeriesReading.Read read) {
    SeriesPass pass =
        transactions.readForAllTenants(() ->
            SeriesPass.of(
                SeriesTable.CURRENT,
                read.samples(),
                samples.of(cluster.id()),
                GpuNames.nodes(health, cluster.id(), read.samples()),
                samples.now()));
    hold(lease, cluster, PodGpus.of(read.samples(), pass.gpus()));
    pass.skipped()
        .forEach((why, number) -> count(cluster, why.name().toLowerCase(Locale.ROOT), number));
    List<SampleRecord> settled = new ArrayList<>(pass.quiet());
    List<Found> own =
        transactions.readForAllTenants(() -> own(cluster, undisputed(cluster, pass), settled));
    settled.addAll(reported(lease, cluster, own));
    if (!settled.isEmpty() || !pass.gone().isEmpty()) {
      transactions.runFenced(
          lease,
          () -> {
            samples.forget(cluster.id(), pass.gone());
            samples.write(cluster.id(), settled);
          });
    }
  }

  /**
   * Stores the holders first, so that an event of the same reading finds the holder of its GPU.
   * Pods that cannot be stored do not delay events.
   */
  private void hold(HeldLease lease, Cluster cluster, List<PodGpus> pods) {
    for (int from = 0; from < pods.size(); from += PODS) {
      List<PodGpus> some = pods.subList(from, Math.min(pods.size(), from + PODS));
      guarded(
          "pods with GPUs of cluster " + cluster.name(),
          () ->
              transactions.runFenced(
                  lease,
                  () -> holders.exported(cluster.id(), some, audit.exporter(cluster.id()).name())));
    }
  }

  /**
   * Returns the first events of GPUs that belong to no other machine. Disputed events are omitted
   * before the limit applies, because they return in each pass and would delay all others.
   */
  private List<Found> undisputed(Cluster cluster, SeriesPass pass) {
    if (pass.found().isEmpty()) {
      return List.of();
    }
    SortedMap<String, String> gpus = new TreeMap<>();
    pass.found().forEach(each -> gpus.put(each.next().gpu(), each.event().node()));
    Instant now = pass.found().getFirst().next().at();
    Set<String> disputed = claims.disputed(cluster.id(), gpus, now).keySet();
    List<Found> own =
        pass.found().stream().filter(each -> !disputed.contains(each.next().gpu())).toList();
    count(cluster, "disputed", pass.found().size() - own.size());
    count(cluster, "late", Math.max(0, own.size() - MOST));
    return own.subList(0, Math.min(MOST, own.size()));
  }

  /**
   * Returns the events to report. Omits XIDs that another monitor reported, and adds their values
   * to {@code settled}.
   */
  private List<Found> own(Cluster cluster, List<Found> found, List<SampleRecord> settled) {
    List<Found> own = new ArrayList<>();
    for (Found each : found) {
      HealthEvent event = each.event();
      boolean reported =
          each.xid()
              && !health
                  .seen(
                      cluster.id(),
                      each.next().gpu(),
                      event.xid(),
                      event.at().minus(SAME),
                      event.at().plus(SAME))
                  .isEmpty();
      if (reported) {
        settled.add(each.next());
      } else {
        own.add(each);
      }
    }
    count(cluster, "known", found.size() - own.size());
    return own;
  }

  /** Reports the events. Returns the values of stored events. */
  private List<SampleRecord> reported(HeldLease lease, Cluster cluster, List<Found> own) {
    if (own.isEmpty()) {
      return List.of();
    }
    Actor actor = transactions.readForAllTenants(() -> audit.exporter(cluster.id()));
    List<Intake> answers =
        intake.take(lease, actor, cluster, own.stream().map(Found::event).toList());
    List<SampleRecord> stored = new ArrayList<>();
    for (int i = 0; i < own.size(); i++) {
      if (answers.get(i).outcome() != Intake.Outcome.REFUSED) {
        stored.add(own.get(i).next());
      }
    }
    count(cluster, "taken", stored.size());
    return stored;
  }

  private void count(Cluster cluster, String outcome, int number) {
    metrics
        .counter(Metric.GPU_FAULTS.meter(), Metric.GPU_FAULTS.tags(cluster.name(), outcome))
        .increment(number);
  }
}
