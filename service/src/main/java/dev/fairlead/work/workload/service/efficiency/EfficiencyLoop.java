package dev.fairlead.work.workload.service.efficiency;

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
import dev.fairlead.money.efficiency.Efficiency;
import dev.fairlead.money.efficiency.EfficiencyStore;
import dev.fairlead.money.efficiency.IdleStep;
import dev.fairlead.money.efficiency.MetricsReader;
import dev.fairlead.money.efficiency.MetricsReading;
import dev.fairlead.money.efficiency.PodUse;
import dev.fairlead.money.efficiency.SampledAttempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.ObjectNames;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Reads the GPU use of running attempts once a minute from the Prometheus of each cluster, and
 * folds it into one row for each attempt. A pass reads the cluster that has been due longest. A
 * Prometheus without a response twice in a row is skipped for five minutes, so that a hanging
 * Prometheus delays the others by only ten seconds in that time.
 */
@Component
public class EfficiencyLoop extends LeasedLoop {
  private static final Logger LOG = LoggerFactory.getLogger(EfficiencyLoop.class);
  private static final Duration IDLE = Duration.ofSeconds(5);

  /** Maximum number of idle attempts of one reading. The next reading continues. */
  private static final int MOST_IDLE = 100;

  private final EfficiencyStore store;
  private final IdleJobs idle;
  private final InventoryStore inventory;
  private final MetricsReader reader;
  private final Transactions transactions;
  private final MeterRegistry metrics;
  private final SourceRotation<ClusterId> turns;

  public EfficiencyLoop(
      Leases leases,
      EfficiencyStore store,
      IdleJobs idle,
      InventoryStore inventory,
      MetricsReader reader,
      Transactions transactions,
      MeterRegistry metrics) {
    super("efficiency", "supervisor", IDLE, leases);
    this.turns = new SourceRotation<>(leases.clock());
    this.store = store;
    this.idle = idle;
    this.inventory = inventory;
    this.reader = reader;
    this.transactions = transactions;
    this.metrics = metrics;
  }

  private record Source(Cluster cluster, Prometheus prometheus) {
    String name() {
      return cluster.name();
    }
  }

  @Override
  protected boolean turn(HeldLease lease) {
    SortedMap<ClusterId, Source> sources = new TreeMap<>();
    for (Cluster cluster : transactions.read(inventory::clusters)) {
      Prometheus prometheus = cluster.settings().prometheus();
      if (prometheus != null && cluster.state() != ClusterState.DISABLED) {
        sources.put(cluster.id(), new Source(cluster, prometheus));
      }
    }
    Optional<ClusterId> next = turns.next(sources.keySet());
    next.ifPresent(id -> read(lease, Objects.requireNonNull(sources.get(id))));
    return next.isPresent();
  }

  @Override
  protected void forget() {
    turns.forget();
  }

  private void read(HeldLease lease, Source source) {
    ClusterId cluster = source.cluster().id();
    switch (reader.read(source.prometheus())) {
      case MetricsReading.Unread unread -> {
        metrics
            .counter(Metric.EFFICIENCY_UNREAD.meter(), Metric.EFFICIENCY_UNREAD.tags(source.name()))
            .increment();
        if (turns.silent(cluster)) {
          LOG.warn(
              "the Prometheus of cluster {} cannot be queried: {}", source.name(), unread.why());
        }
      }
      case MetricsReading.Read read -> {
        fold(lease, source, read);
        if (turns.answered(cluster)) {
          LOG.info("the Prometheus of cluster {} can be queried again", source.name());
        }
      }
    }
  }

  private void fold(HeldLease lease, Source source, MetricsReading.Read read) {
    SortedMap<AttemptId, List<PodUse>> uses = new TreeMap<>();
    for (PodUse use : read.pods()) {
      ObjectNames.attemptOf(use.pod())
          .ifPresent(id -> uses.computeIfAbsent(id, first -> new ArrayList<>()).add(use));
    }
    List<AttemptId> ids = List.copyOf(uses.keySet());
    List<IdleJobs.Idle> due = new ArrayList<>();
    int taken = 0;
    for (int from = 0; from < ids.size(); from += EfficiencyStore.MOST) {
      List<AttemptId> some = ids.subList(from, Math.min(ids.size(), from + EfficiencyStore.MOST));
      taken +=
          transactions.callFenced(lease, () -> written(source.cluster().id(), some, uses, due));
    }
    due.stream().limit(MOST_IDLE).forEach(each -> act(lease, each));
    count(source, "taken", taken);
    count(source, "foreign", read.pods().size() - taken);
    count(source, "bad", read.bad());
  }

  /** Returns the number of pods that counted. */
  private int written(
      ClusterId cluster,
      List<AttemptId> ids,
      SortedMap<AttemptId, List<PodUse>> uses,
      List<IdleJobs.Idle> due) {
    Instant now = store.now();
    List<Efficiency> rows = new ArrayList<>();
    int taken = 0;
    for (SampledAttempt attempt : store.running(cluster, ids)) {
      List<PodUse> own =
          uses.getOrDefault(attempt.attempt(), List.of()).stream().filter(attempt::has).toList();
      if (!own.isEmpty()) {
        Efficiency row = Efficiency.after(attempt, own, now);
        rows.add(row);
        IdleJobs.Idle.of(attempt, row, now).ifPresent(due::add);
        taken += own.size();
      }
    }
    store.write(rows);
    return taken;
  }

  /** Runs each in a separate transaction, so that a failure does not delay others. */
  private void act(HeldLease lease, IdleJobs.Idle due) {
    guarded(
        "idle job " + due.row().job().text(),
        () -> {
          IdleStep done = transactions.callFenced(lease, () -> idle.act(due));
          if (done != IdleStep.NOTHING) {
            metrics
                .counter(Metric.IDLE_JOBS.meter(), Metric.IDLE_JOBS.tags(done.name()))
                .increment();
          }
        });
  }

  private void count(Source source, String outcome, int series) {
    metrics
        .counter(
            Metric.EFFICIENCY_SERIES.meter(), Metric.EFFICIENCY_SERIES.tags(source.name(), outcome))
        .increment(series);
  }
}
