package dev.fairlead.front.service;

import dev.fairlead.fleet.cluster.BreakerLimit;
import dev.fairlead.front.FrontCondition;
import dev.fairlead.front.FrontGateway;
import dev.fairlead.front.FrontJob;
import dev.fairlead.front.FrontStore;
import dev.fairlead.front.SeenJob;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.MonotonicClock;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Jobs of one front cluster that Fairlead runs and that the cluster does not show, and the circuit
 * breaker that opens when they are too many. Not thread-safe.
 */
final class FrontMissing {
  private static final Logger LOG = LoggerFactory.getLogger(FrontMissing.class);
  private static final int PAGE = 1000;
  private final ClusterId cluster;
  private final FrontStore fronts;
  private final FrontSteps steps;
  private final MonotonicClock clock;
  private final SortedSet<String> missing = new TreeSet<>();

  /** Adopted objects of kinds that the cluster does not list. */
  private final SortedSet<String> unlisted = new TreeSet<>();

  private SortedSet<String> unread = Collections.emptySortedSet();
  private SortedSet<String> before = new TreeSet<>();
  private @Nullable SortedSet<String> marked;
  private SortedSet<String> namespaces = new TreeSet<>();
  private boolean open;
  private boolean recognized;
  private boolean freed;

  FrontMissing(ClusterId cluster, FrontStore fronts, FrontSteps steps, MonotonicClock clock) {
    this.cluster = cluster;
    this.fronts = fronts;
    this.steps = steps;
    this.clock = clock;
  }

  /** Begins a pass. */
  void begin() {
    before = new TreeSet<>(missing);
  }

  boolean has(String uid) {
    return missing.contains(uid);
  }

  /**
   * Begins again with all Jobs that have a row, as after a takeover.
   *
   * @param kinds kinds that the cluster does not list. Objects of such kinds prove nothing: they
   *     neither count as missing nor as listed
   */
  void all(List<String> rows, SortedSet<String> kinds) {
    missing.clear();
    missing.addAll(rows);
    unlisted.clear();
    unread = kinds;
    marked = null;
    for (int from = 0; !kinds.isEmpty() && from < rows.size(); from += PAGE) {
      for (FrontJob row :
          fronts.find(cluster, rows.subList(from, Math.min(from + PAGE, rows.size())))) {
        if (proves(row)) {
          continue;
        }
        missing.remove(row.uid());
        unlisted.add(row.uid());
      }
    }
  }

  private boolean proves(FrontJob row) {
    return unread.stream().noneMatch(row.name()::startsWith);
  }

  /** Adds the Jobs that have a row. */
  void add(List<String> vanished) {
    fronts.find(cluster, vanished).stream()
        .filter(this::proves)
        .forEach(row -> missing.add(row.uid()));
  }

  /**
   * Returns whether the open circuit breaker stops a Job without a row: its namespace has missing
   * Jobs, the cluster lists no adopted Job, or the Job was submitted before.
   */
  boolean holds(SeenJob job) {
    return open
        && (!recognized
            || namespaces.contains(job.namespace())
            || job.status().is(FrontCondition.SUBMITTED));
  }

  /** Returns whether the last check released Jobs that the circuit breaker had held. */
  boolean freed() {
    return freed;
  }

  void forget() {
    missing.clear();
    before.clear();
    unlisted.clear();
    unread = Collections.emptySortedSet();
    marked = null;
    namespaces = new TreeSet<>();
    open = false;
  }

  /**
   * Decides which missing Jobs may count as deleted. A Job must be missing in two passes, because a
   * list of the cluster is replaced Job by Job.
   *
   * @return their UIDs, while the circuit breaker is open only with a confirmed loss
   */
  SortedSet<String> look(HeldLease lease, FrontGateway gateway) {
    missing.removeIf(uid -> gateway.job(uid).isPresent());
    if (!missing.isEmpty()) {
      gateway.admit(missing);
      missing.removeIf(uid -> gateway.job(uid).isPresent());
    }
    SortedSet<String> confirmed = new TreeSet<>();
    if (!missing.isEmpty() || !unlisted.isEmpty()) {
      confirmed.addAll(fronts.confirmed(cluster));
    }
    SortedSet<String> waiting = new TreeSet<>(confirmed);
    waiting.retainAll(unlisted);
    confirmed.retainAll(missing);
    int taken =
        missing.isEmpty()
            ? 0
            : fronts.counts(cluster).values().stream().mapToInt(Integer::intValue).sum()
                - unlisted.size();
    int doubted = missing.size() - confirmed.size();
    boolean halted = open;
    boolean knew = recognized;
    SortedSet<String> held = namespaces;
    turn(BreakerLimit.exceeded(doubted, taken), doubted, taken);
    recognized = taken > missing.size();
    waiting.addAll(open ? missing : confirmed);
    mark(lease, waiting);
    freed = halted && (!open || recognized && !knew || !namespaces.containsAll(held));
    SortedSet<String> gone = new TreeSet<>(open ? confirmed : missing);
    gone.retainAll(before);
    return gone;
  }

  /** The Job no longer has a row. */
  void gone(String uid) {
    missing.remove(uid);
  }

  private void turn(boolean now, int doubted, int taken) {
    if (now && !open) {
      LOG.warn(
          "cluster {}: {} of {} adopted Jobs are missing: its circuit breaker opens, and none of"
              + " them is cancelled",
          steps.name(cluster),
          doubted,
          taken);
    } else if (open && !now) {
      LOG.info(
          "cluster {}: its circuit breaker closes, {} Jobs are missing",
          steps.name(cluster),
          doubted);
    }
    open = now;
    steps.reads().misses(cluster, now ? doubted : 0, clock);
  }

  private void mark(HeldLease lease, SortedSet<String> now) {
    if (!now.equals(marked)) {
      steps.mark(lease, cluster, now);
      SortedSet<String> found = new TreeSet<>();
      fronts.find(cluster, now).stream()
          .filter(this::proves)
          .forEach(row -> found.add(row.namespace()));
      namespaces = found;
      marked = now;
    }
  }
}
