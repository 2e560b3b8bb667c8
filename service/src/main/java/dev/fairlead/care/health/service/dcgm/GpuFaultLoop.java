package dev.fairlead.care.health.service.dcgm;

import dev.fairlead.care.health.HealthEvent;
import dev.fairlead.care.health.dcgm.SampleRecord;
import dev.fairlead.care.health.dcgm.SampleStore;
import dev.fairlead.care.health.dcgm.SeriesPass;
import dev.fairlead.care.health.dcgm.SeriesPass.Found;
import dev.fairlead.care.health.dcgm.SeriesReader;
import dev.fairlead.care.health.dcgm.SeriesReading;
import dev.fairlead.care.health.dcgm.SeriesTable;
import dev.fairlead.care.health.device.Device;
import dev.fairlead.care.health.device.DeviceStore;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.service.HealthIntake;
import dev.fairlead.care.health.service.Intake;
import dev.fairlead.care.health.service.repair.HealthAudit;
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
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Reads the series of the DCGM exporter once a minute from the Prometheus of each cluster that is
 * set to it, and reports new faults as health events. A pass reads one cluster. A value is stored
 * after its event, so a pass that ends in between is repeated with the same event.
 */
@Component
public class GpuFaultLoop extends LeasedLoop {
  private static final Logger LOG = LoggerFactory.getLogger(GpuFaultLoop.class);
  private static final Duration IDLE = Duration.ofSeconds(5);

  /** Maximum number of events of one pass, as of a report by a monitor. The next pass continues. */
  static final int MOST = 500;

  /**
   * Time within which an XID that another monitor reported is the same fault. It exceeds the
   * intervals of exporter, scrape and pass together.
   */
  private static final Duration SAME = Duration.ofMinutes(5);

  /** Time during which a GPU belongs to the other cluster that showed it. */
  private static final Duration KEPT = SeriesPass.SEEN.multipliedBy(2);

  private final SampleStore samples;
  private final HealthStore health;
  private final DeviceStore devices;
  private final HealthIntake intake;
  private final HealthAudit audit;
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
      InventoryStore inventory,
      SeriesReader reader,
      Transactions transactions,
      MeterRegistry metrics) {
    super("gpu-faults", "supervisor", IDLE, leases);
    this.samples = samples;
    this.health = health;
    this.devices = devices;
    this.intake = intake;
    this.audit = audit;
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
          LOG.warn("GPU faults of cluster {} are not read: {}", cluster.name(), why);
        }
      }
      case SeriesReading.Read read -> {
        judge(lease, cluster, read);
        if (turns.answered(cluster.id())) {
          LOG.info("GPU faults of cluster {} are read again", cluster.name());
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
    pass.skipped()
        .forEach((why, number) -> count(cluster, why.name().toLowerCase(Locale.ROOT), number));
    count(cluster, "late", Math.max(0, pass.found().size() - MOST));
    List<Found> some = pass.found().subList(0, Math.min(MOST, pass.found().size()));
    List<SampleRecord> settled = new ArrayList<>(pass.quiet());
    List<Found> own =
        some.isEmpty()
            ? List.of()
            : transactions.readForAllTenants(() -> own(cluster, some, settled));
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
   * Returns the events to report. Leaves out GPUs that belong to another machine, and XIDs that
   * another monitor reported, whose values it adds to {@code settled}.
   */
  private List<Found> own(Cluster cluster, List<Found> found, List<SampleRecord> settled) {
    Set<String> gpus =
        found.stream().map(each -> each.next().gpu()).collect(Collectors.toUnmodifiableSet());
    Instant now = found.getFirst().next().at();
    Set<String> elsewhere = samples.elsewhere(cluster.id(), gpus, now.minus(KEPT));
    SortedMap<String, Device> known = new TreeMap<>();
    devices.withUuids(gpus).forEach(device -> known.put(device.uuid(), device));
    List<Found> own = new ArrayList<>();
    int disputed = 0;
    int reported = 0;
    for (Found each : found) {
      HealthEvent event = each.event();
      Device device = known.get(each.next().gpu());
      if (elsewhere.contains(each.next().gpu())
          || device != null && isIn(device, cluster.id(), event)) {
        disputed++;
      } else if (each.xid()
          && !health
              .seen(
                  cluster.id(),
                  each.next().gpu(),
                  event.xid(),
                  event.at().minus(SAME),
                  event.at().plus(SAME))
              .isEmpty()) {
        reported++;
        settled.add(each.next());
      } else {
        own.add(each);
      }
    }
    count(cluster, "disputed", disputed);
    count(cluster, "known", reported);
    return own;
  }

  /** Returns whether the device was seen in another machine within the last hour. */
  private static boolean isIn(Device device, ClusterId cluster, HealthEvent event) {
    return !(device.cluster().equals(cluster) && device.nodeName().equals(event.node()))
        && device.missingSince() == null
        && event.at().isBefore(device.lastSeen().plus(Device.KEPT_BY_ITS_CLUSTER));
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
