package dev.fairlead.front.service;

import dev.fairlead.fleet.cluster.BreakerLimit;
import dev.fairlead.front.FrontGateway;
import dev.fairlead.front.FrontStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.MonotonicClock;
import java.util.Collection;
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
  private final ClusterId cluster;
  private final FrontStore fronts;
  private final FrontSteps steps;
  private final MonotonicClock clock;
  private final SortedSet<String> missing = new TreeSet<>();
  private SortedSet<String> before = new TreeSet<>();
  private @Nullable SortedSet<String> marked;
  private boolean open;

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

  /** Begins again with all Jobs that have a row, as after a takeover. */
  void all(Collection<String> rows) {
    missing.clear();
    missing.addAll(rows);
    marked = null;
  }

  /** Adds the Jobs that have a row. */
  void add(List<String> vanished) {
    fronts.find(cluster, vanished).forEach(row -> missing.add(row.uid()));
  }

  /** Whether the circuit breaker is open. */
  boolean open() {
    return open;
  }

  void forget() {
    missing.clear();
    before.clear();
    marked = null;
    open = false;
  }

  /**
   * Decides which missing Jobs may count as deleted. A Job has to be missing in two passes, since a
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
    int taken = 0;
    if (!missing.isEmpty()) {
      confirmed.addAll(fronts.confirmed(cluster));
      confirmed.retainAll(missing);
      taken = fronts.counts(cluster).values().stream().mapToInt(Integer::intValue).sum();
    }
    int doubted = missing.size() - confirmed.size();
    turn(BreakerLimit.exceeded(doubted, taken), doubted, taken);
    mark(lease, open ? missing : confirmed);
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
          "cluster {}: {} of {} Jobs that were taken up are missing: its circuit breaker opens, and"
              + " none of them is cancelled",
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
      marked = new TreeSet<>(now);
    }
  }
}
