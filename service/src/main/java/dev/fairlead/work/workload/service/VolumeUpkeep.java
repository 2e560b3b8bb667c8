package dev.fairlead.work.workload.service;

import dev.fairlead.data.volume.Volume;
import dev.fairlead.data.volume.VolumeState;
import dev.fairlead.fleet.cluster.BreakerLimit;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.loop.Recurring;
import dev.fairlead.kernel.problem.FatalErrors;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.VolumeOutcome;
import dev.fairlead.work.workload.service.attempt.VolumeRepository;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
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
 * are missing together, a circuit breaker is open and no volume becomes lost. A lost volume is
 * checked once a minute, and is found when its claim has the same UID.
 */
final class VolumeUpkeep {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeUpkeep.class);
  private static final Duration EVERY = Duration.ofSeconds(5);
  private static final Duration EVERY_BOUND = Duration.ofMinutes(1);
  private static final Duration LOST_AFTER = Duration.ofMinutes(5);
  private final ClusterId cluster;
  private final VolumeRepository desk;
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

  /** Whether the circuit breaker is open. Only the check uses it. */
  private boolean open;

  private volatile @Nullable String trouble;

  /** Term of the lease under which the last check was made. */
  private long term;

  VolumeUpkeep(ClusterId cluster, VolumeRepository desk, Executor threads, MonotonicClock clock) {
    this.cluster = cluster;
    this.desk = desk;
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
    if (term != lease.term()) {
      missing.clear(); // other holders looked in between
      open = false;
      trouble = null;
      term = lease.term();
    }
    List<Volume> volumes = new ArrayList<>(desk.on(cluster));
    volumes.addAll(all ? desk.lost(cluster) : List.of());
    int claims = (int) volumes.stream().filter(VolumeUpkeep::claimed).count();
    for (Volume volume : volumes) {
      if (due(volume, all)) {
        desk.order(lease, volume)
            .ifPresent(order -> noted(lease, volume, gateway.provide(order), claims));
      }
    }
    missing
        .keySet()
        .retainAll(volumes.stream().filter(VolumeUpkeep::claimed).map(Volume::id).toList());
    turn(claims);
  }

  private static boolean claimed(Volume volume) {
    return volume.state() == VolumeState.PROVISIONING || volume.state() == VolumeState.BOUND;
  }

  /**
   * Whether too many claims are missing together. An open breaker waits for all of them, because
   * one deleted volume must not make the others lost.
   */
  private boolean many(int claims) {
    return BreakerLimit.exceeded(missing.size(), claims) || open && !missing.isEmpty();
  }

  private void turn(int claims) {
    boolean now = many(claims);
    if (now != open) {
      LOG.warn(
          "cluster {}: the circuit breaker of its volumes {}, {} of {} claims are missing",
          cluster.text(),
          now ? "opens" : "closes",
          missing.size(),
          claims);
    }
    open = now;
    trouble =
        now
            ? "the claims of %d of %d volumes are missing, as if another API server answered or its etcd was restored. None of these volumes is LOST, and jobs that mount them wait. Bring back the API server that has the claims, or delete the volumes whose data is lost for good"
                .formatted(missing.size(), claims)
            : null;
  }

  /** Returns the trouble of the cluster while the circuit breaker is open, or null. */
  @Nullable String trouble() {
    return trouble;
  }

  private boolean due(Volume volume, boolean all) {
    return switch (volume.state()) {
      case CLAIMED, PLACED, RETAINED, RELEASED -> false;
      case PROVISIONING -> true;
      case BOUND, LOST -> all || !open && missing.containsKey(volume.id());
    };
  }

  private void noted(HeldLease lease, Volume volume, VolumeOutcome outcome, int claims) {
    switch (outcome) {
      case VolumeOutcome.There there -> missing.remove(volume.id());
      case VolumeOutcome.Lost(String why) when volume.state() != VolumeState.LOST -> {
        Long since = missing.putIfAbsent(volume.id(), clock.nanos());
        if (since == null || clock.nanos() - since < LOST_AFTER.toNanos()) {
          desk.says(lease, volume, why + ". The volume is LOST after five minutes without it.");
          return;
        }
        if (many(claims)) {
          desk.says(
              lease,
              volume,
              why + ". Many claims are missing together, so the volume is not yet LOST");
          return;
        }
        missing.remove(volume.id());
        LOG.warn("cluster {}: volume {} is lost: {}", cluster.text(), volume.name(), why);
      }
      case VolumeOutcome.Lost lost -> {}
      case VolumeOutcome.Not not -> {}
    }
    desk.noted(lease, volume, outcome)
        .filter(now -> volume.state() == VolumeState.LOST && now.state() != VolumeState.LOST)
        .ifPresent(
            now -> LOG.info("cluster {}: volume {} is found", cluster.text(), volume.name()));
  }
}
