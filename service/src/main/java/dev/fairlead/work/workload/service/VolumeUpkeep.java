package dev.fairlead.work.workload.service;

import dev.fairlead.data.volume.Volume;
import dev.fairlead.data.volume.VolumeBreaker;
import dev.fairlead.data.volume.VolumeState;
import dev.fairlead.fleet.cluster.BreakerLimit;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.loop.Recurring;
import dev.fairlead.kernel.problem.FatalErrors;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.VolumeOrder;
import dev.fairlead.work.workload.VolumeOutcome;
import dev.fairlead.work.workload.service.attempt.VolumeRepository;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks the claims of volumes on one cluster in the background, also while no job mounts them, and
 * stores which claims are bound and which are missing. It creates no claim. A volume is lost after
 * {@link #LOST_AFTER} in which no check found its claim, because a restored API server or a
 * recreated namespace may show the claim later. While more claims than {@link BreakerLimit} permits
 * are missing together, a circuit breaker is open and no volume becomes lost, unless an operator
 * confirmed its loss. The breaker's state is stored as marks in the rows of the volumes, so the
 * breaker stays open for the next holder of the lease. A lost volume is checked once a minute, and
 * is found when its claim has the same UID.
 */
final class VolumeUpkeep {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeUpkeep.class);
  private static final Duration EVERY = Duration.ofSeconds(5);
  private static final Duration EVERY_BOUND = Duration.ofMinutes(1);
  private static final Duration LOST_AFTER = Duration.ofMinutes(5);
  private final ClusterId cluster;
  private final VolumeRepository repository;
  private final Executor threads;
  private final Recurring look;
  private final Recurring lookAtAll;
  private final AtomicBoolean busy = new AtomicBoolean();
  private final MonotonicClock clock;

  /**
   * Volumes with a claim that the last checks did not find, with the time of the first of these
   * checks.
   */
  private final SortedMap<UUID, Long> missing = new ConcurrentSkipListMap<>();

  /** Volumes with a confirmed loss. Only the check uses it. */
  private SortedSet<UUID> confirmed = Collections.emptySortedSet();

  /** Whether the circuit breaker is open. Only the check uses it. */
  private boolean open;

  private volatile @Nullable VolumeBreaker breaker;

  /** Epoch of the lease of the last check. */
  private long epoch;

  VolumeUpkeep(
      ClusterId cluster, VolumeRepository repository, Executor threads, MonotonicClock clock) {
    this.cluster = cluster;
    this.repository = repository;
    this.threads = threads;
    this.clock = clock;
    this.look = Recurring.fromNowOn(clock, EVERY);
    this.lookAtAll = Recurring.fromNowOn(clock, EVERY_BOUND);
  }

  /** Starts a check in the background, unless the previous one still runs. */
  void carry(HeldLease lease, ClusterGateway gateway) {
    if (look.due() && busy.compareAndSet(false, true)) {
      look.done();
      boolean all = lookAtAll.due();
      if (all) {
        lookAtAll.done();
      }
      threads.execute(() -> {
        try {
          look(lease, gateway, all);
        } catch (Throwable failed) {
          FatalErrors.rethrow(failed);
          LOG.warn("cluster {}: its volumes are checked again", cluster.text(), failed);
        } finally {
          busy.set(false);
        }
      });
    }
  }

  private void look(HeldLease lease, ClusterGateway gateway, boolean all) {
    List<Volume> volumes = new ArrayList<>(repository.on(cluster));
    List<Volume> known = volumes.stream().filter(Volume::claimed).toList();
    volumes.addAll(all ? repository.lost(cluster) : List.of());
    SortedSet<UUID> marked = marked(volumes);
    confirmed = marked.isEmpty() ? Collections.emptySortedSet() : repository.confirmed(cluster);
    if (epoch != lease.epoch()) {
      begin(marked(known));
      epoch = lease.epoch();
    }
    SortedMap<UUID, Absent> absent = new TreeMap<>();
    int unanswered = 0;
    for (Volume volume : volumes) {
      VolumeOrder order = due(volume, all) ? repository.order(lease, volume).orElse(null) : null;
      if (order != null) {
        switch (gateway.provide(order)) {
          case VolumeOutcome.There there -> found(lease, volume, there);
          case VolumeOutcome.Lost lost -> absent.put(volume.id(), new Absent(volume, lost));
          case VolumeOutcome.Not not -> unanswered++;
        }
      }
    }
    absent.values().removeIf(one -> one.volume.state() == VolumeState.LOST);
    absent.keySet().forEach(id -> missing.putIfAbsent(id, clock.nanos()));
    missing.keySet().retainAll(known.stream().map(Volume::id).toList());
    turn(known.size());
    mark(lease, marked);
    /* Unchecked volumes may be missing too, so a partial check does not mark volumes as lost. */
    boolean doubtful = !all || BreakerLimit.exceeded(doubted() + unanswered, known.size());
    absent.values().forEach(one -> lost(lease, one, doubtful));
    breaker = open ? repository.breaker(cluster).orElse(null) : null;
  }

  /** A volume without its claim, as of the current check. */
  private record Absent(Volume volume, VolumeOutcome.Lost outcome) {}

  /** Another holder has checked since, so all times restart. Their marks remain. */
  private void begin(SortedSet<UUID> marked) {
    missing.clear();
    marked.forEach(id -> missing.put(id, clock.nanos()));
    open = doubted() > 0;
  }

  /** Number of missing claims without a confirmed loss. */
  private int doubted() {
    return (int) missing.keySet().stream().filter(id -> !confirmed.contains(id)).count();
  }

  /**
   * Returns whether too many claims are missing together. An open breaker waits for all missing
   * volumes, because one deleted volume must not mark the others as lost.
   */
  private boolean many(int claims) {
    int doubted = doubted();
    return BreakerLimit.exceeded(doubted, claims) || open && doubted > 0;
  }

  private void turn(int claims) {
    boolean now = many(claims);
    if (now != open) {
      LOG.warn(
          "cluster {}: the circuit breaker of its volumes {}, {} of {} claims are missing",
          cluster.text(),
          now ? "opens" : "closes",
          doubted(),
          claims);
    }
    open = now;
  }

  /** Volumes whose rows have a mark. */
  private static SortedSet<UUID> marked(List<Volume> volumes) {
    SortedSet<UUID> marked = new TreeSet<>();
    volumes.stream()
        .filter(volume -> volume.missingSince() != null)
        .forEach(volume -> marked.add(volume.id()));
    return marked;
  }

  /**
   * Confirmed losses remain marked until their volumes are lost or found.
   *
   * @param marked the marks in the rows, which may differ from the last that were written, because
   *     a write can fail after its commit
   */
  private void mark(HeldLease lease, SortedSet<UUID> marked) {
    SortedSet<UUID> now = new TreeSet<>(missing.keySet());
    if (!open) {
      now.retainAll(confirmed);
    }
    if (!now.equals(marked)) {
      repository.mark(lease, cluster, now);
    }
  }

  /** Returns the circuit breaker while it is open, or null. */
  @Nullable VolumeBreaker breaker() {
    return breaker;
  }

  private boolean due(Volume volume, boolean all) {
    return switch (volume.state()) {
      case CLAIMED, PLACED, RETAINED, RELEASED -> false;
      case PROVISIONING -> true;
      case BOUND, LOST -> all || !open && missing.containsKey(volume.id());
    };
  }

  private void found(HeldLease lease, Volume volume, VolumeOutcome.There there) {
    missing.remove(volume.id());
    repository
        .noted(lease, volume, there)
        .filter(now -> volume.state() == VolumeState.LOST && now.state() != VolumeState.LOST)
        .ifPresent(
            now -> LOG.info("cluster {}: volume {} is found", cluster.text(), volume.name()));
  }

  private void lost(HeldLease lease, Absent one, boolean doubtful) {
    Volume volume = one.volume;
    String why = one.outcome.message();
    long since = missing.getOrDefault(volume.id(), clock.nanos());
    boolean sure = confirmed.contains(volume.id());
    if (open && !sure) {
      repository.says(
          lease,
          volume,
          why
              + ". Many claims are missing at the same time, so the volume becomes LOST only"
              + " when an operator confirms it");
    } else if (doubtful && !sure || clock.nanos() - since < LOST_AFTER.toNanos()) {
      repository.says(
          lease, volume, why + ". The volume becomes LOST after five minutes without its claim.");
    } else {
      missing.remove(volume.id());
      LOG.warn("cluster {}: volume {} is lost: {}", cluster.text(), volume.name(), why);
      Optional<Volume> _ = repository.noted(lease, volume, one.outcome);
    }
  }
}
