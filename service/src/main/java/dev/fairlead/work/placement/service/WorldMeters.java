package dev.fairlead.work.placement.service;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.meter.GaugeRows;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Waited;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Metrics of the planned snapshot, computed once for each changed snapshot, so that a scrape costs
 * only the series themselves. Only the process that plans publishes them.
 */
final class WorldMeters {
  private static final double MILLI = Gpu.WHOLE_MILLI;
  private final MonotonicClock clock;
  private final GaugeRows age;
  private final GaugeRows pending;
  private final GaugeRows waits;
  private final GaugeRows attempts;
  private final GaugeRows oldest;
  private final GaugeRows gpus;
  private @Nullable List<Node> counted;

  WorldMeters(MeterRegistry metrics, MonotonicClock clock) {
    this.clock = clock;
    this.age = new GaugeRows(metrics, Metric.WORLD_AGE);
    this.pending = new GaugeRows(metrics, Metric.QUEUE_PENDING);
    this.waits = new GaugeRows(metrics, Metric.QUEUE_OLDEST_WAIT);
    this.attempts = new GaugeRows(metrics, Metric.ATTEMPTS);
    this.oldest = new GaugeRows(metrics, Metric.ATTEMPTS_OLDEST);
    this.gpus = new GaugeRows(metrics, Metric.GPUS);
  }

  /** Records the time of a read. */
  void read(long atNanos) {
    age.show(Map.of(List.of(), () -> seconds(clock.nanos() - atNanos)));
  }

  /** The snapshot differs from the previous one. */
  @SuppressWarnings("ReferenceEquality") // the same list as before when no node changed
  void changed(World world) {
    queues(world);
    attempts(world);
    if (counted != world.nodes()) {
      gpus(world);
      counted = world.nodes();
    }
  }

  /** Called when another process is the scheduler. */
  void forget() {
    for (GaugeRows rows : List.of(age, pending, waits, attempts, oldest, gpus)) {
      rows.show(Map.of());
    }
    counted = null;
  }

  private void queues(World world) {
    Map<QuotaNodeId, Group> groups = new HashMap<>();
    for (QuotaNode node : world.quotaNodes()) {
      if (node.queue() != null) {
        groups.put(node.id(), new Group(List.of(node.name(), node.tenant().text())));
      }
    }
    for (PendingJob each : world.pending()) {
      Group group = groups.get(each.job().queue());
      if (group != null) {
        group.count++;
        if (due(each, world.asOf())) {
          group.begins(world.asOf().minus(waited(each.job(), world.asOf())));
        }
      }
    }
    Map<List<String>, Double> count = counts(groups.values());
    pending.show(constant(count));
    waits.show(rising(firsts(groups.values()), count, world.asOf()));
  }

  /** Jobs or attempts of one series. */
  private static final class Group {
    private final List<String> labels;
    private int count;
    private @Nullable Instant first;

    Group(List<String> labels) {
      this.labels = labels;
    }

    void begins(Instant since) {
      if (first == null || since.isBefore(first)) {
        first = since;
      }
    }
  }

  private static Map<List<String>, Double> counts(Collection<Group> groups) {
    Map<List<String>, Double> counts = new HashMap<>();
    groups.forEach(group -> counts.merge(group.labels, (double) group.count, Double::sum));
    return counts;
  }

  private static Map<List<String>, Instant> firsts(Collection<Group> groups) {
    Map<List<String>, Instant> firsts = new HashMap<>();
    for (Group group : groups) {
      if (group.first != null) {
        firsts.merge(group.labels, group.first, WorldMeters::earlier);
      }
    }
    return firsts;
  }

  /** Returns whether the job waits only for capacity. */
  private static boolean due(PendingJob each, Instant now) {
    Instant notBefore = each.job().spec().notBefore();
    return (notBefore == null || !notBefore.isAfter(now))
        && each.unmet().isEmpty()
        && each.deadDependency() == null
        && mayStart(each.offers(), now);
  }

  /** A loop instead of a stream, because of the number of jobs. */
  private static boolean mayStart(List<PendingJob.Offer> offers, Instant now) {
    for (PendingJob.Offer offer : offers) {
      if (offer.retryAt() == null || !offer.retryAt().isAfter(now)) {
        return true;
      }
    }
    return false;
  }

  /** Wait of the job since it was last queued. For an array, the wait since its creation. */
  static Duration waited(Job job, Instant now) {
    return job.array() == null ? Waited.lately(job, now) : Waited.inAll(job, now);
  }

  private void attempts(World world) {
    Map<ClusterId, String> clusters = clusterNames(world);
    Map<ClusterId, Map<AttemptState, Group>> byCluster = new HashMap<>();
    Map<AttemptState, Group> byState = new EnumMap<>(AttemptState.class);
    for (World.LiveAttempt live : world.live()) {
      Attempt attempt = live.attempt();
      String cluster = clusters.getOrDefault(attempt.cluster(), attempt.cluster().text());
      byCluster
          .computeIfAbsent(attempt.cluster(), _ -> new EnumMap<>(AttemptState.class))
          .computeIfAbsent(attempt.state(), state -> new Group(List.of(cluster, state.name())))
          .count++;
      Instant since = attempt.state() == AttemptState.RUNNING ? null : since(attempt);
      if (since != null) {
        byState
            .computeIfAbsent(attempt.state(), state -> new Group(List.of(state.name())))
            .begins(since);
      }
    }
    attempts.show(
        constant(counts(byCluster.values().stream().flatMap(m -> m.values().stream()).toList())));
    oldest.show(rising(firsts(byState.values()), Map.of(), world.asOf()));
  }

  private static @Nullable Instant since(Attempt attempt) {
    return switch (attempt.state()) {
      case UNKNOWN -> attempt.unreachableSince();
      case STOPPING -> attempt.stop() == null ? null : attempt.stop().deadline();
      case LAUNCHING, PULLING -> attempt.launchedAt();
      default -> attempt.createdAt();
    };
  }

  private void gpus(World world) {
    Map<ClusterId, String> clusters = clusterNames(world);
    Map<List<String>, Double> count = new HashMap<>();
    for (Node node : world.nodes()) {
      String cluster = clusters.getOrDefault(node.cluster(), node.cluster().text());
      String open = node.state() == NodeState.ACTIVE ? "free" : "closed";
      gpus(node, open)
          .forEach((state, used) ->
              count.merge(List.of(cluster, node.gpuModel(), state), used, Double::sum));
    }
    gpus.show(constant(count));
  }

  /** GPUs of the node by state, summed here because a fleet has many more GPUs than nodes. */
  private static Map<String, Double> gpus(Node node, String open) {
    long used = 0;
    long failed = 0;
    int usable = 0;
    for (Gpu gpu : node.gpus()) {
      used += gpu.allocatedMilli();
      usable += gpu.usable() ? 1 : 0;
      failed += gpu.usable() ? 0 : Gpu.WHOLE_MILLI - gpu.allocatedMilli();
    }
    int all = node.gpus().size();
    Map<String, Double> states = new HashMap<>();
    if (all > 0) {
      states.put("allocated", used / MILLI);
    }
    if (usable < all) {
      states.put("failed", failed / MILLI);
    }
    if (usable > 0) {
      states.put(open, all - (used + failed) / MILLI);
    }
    return states;
  }

  private static Map<ClusterId, String> clusterNames(World world) {
    Map<ClusterId, String> names = new HashMap<>();
    for (Cluster cluster : world.clusters()) {
      names.put(cluster.id(), cluster.name());
    }
    return names;
  }

  private static Instant earlier(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }

  private static Map<List<String>, DoubleSupplier> constant(Map<List<String>, Double> values) {
    Map<List<String>, DoubleSupplier> rows = new HashMap<>();
    values.forEach((labels, value) -> rows.put(labels, () -> value));
    return rows;
  }

  /** Ages that continue to rise between two snapshots, 0 for listed labels without a start. */
  private Map<List<String>, DoubleSupplier> rising(
      Map<List<String>, Instant> since, Map<List<String>, ?> named, Instant now) {
    long read = clock.nanos();
    Map<List<String>, DoubleSupplier> rows = new HashMap<>();
    named.keySet().forEach(labels -> rows.put(labels, () -> 0));
    since.forEach((labels, at) -> {
      double then = Duration.between(at, now).toMillis() / MILLI;
      rows.put(labels, () -> Math.max(0, then + seconds(clock.nanos() - read)));
    });
    return rows;
  }

  private static double seconds(long nanos) {
    return (double) nanos / TimeUnit.SECONDS.toNanos(1);
  }
}
