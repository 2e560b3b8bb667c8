package dev.fairlead.workload.service;

import dev.fairlead.identity.ClusterId;
import dev.fairlead.lease.HeldLease;
import dev.fairlead.loop.MonotonicClock;
import dev.fairlead.loop.Recurring;
import dev.fairlead.problem.FatalErrors;
import dev.fairlead.volume.Volume;
import dev.fairlead.volume.VolumeState;
import dev.fairlead.workload.ClusterGateway;
import dev.fairlead.workload.VolumeOutcome;
import dev.fairlead.workload.service.attempt.VolumeRepository;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the claims of volumes on one cluster, beside the supervisor's turns: tells when one is
 * bound, and when one is gone, also while no job mounts it. Makes none.
 */
final class VolumeUpkeep {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeUpkeep.class);
  private static final Duration EVERY = Duration.ofSeconds(5);
  private static final Duration EVERY_BOUND = Duration.ofMinutes(1);
  private final ClusterId cluster;
  private final VolumeRepository desk;
  private final Executor threads;
  private final Recurring look;
  private final Recurring lookAtAll;
  private final AtomicBoolean busy = new AtomicBoolean();

  VolumeUpkeep(ClusterId cluster, VolumeRepository desk, Executor threads, MonotonicClock clock) {
    this.cluster = cluster;
    this.desk = desk;
    this.threads = threads;
    this.look = Recurring.fromNowOn(clock, EVERY);
    this.lookAtAll = Recurring.fromNowOn(clock, EVERY_BOUND);
  }

  /** Looks in the background, unless the look before is not at its end. */
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
          LOG.warn("cluster {}: its volumes are looked at again", cluster, failed);
        } finally {
          busy.set(false);
        }
      });
    }
  }

  private void look(HeldLease lease, ClusterGateway gateway, boolean all) {
    for (Volume volume : desk.on(cluster)) {
      boolean bound = volume.state() == VolumeState.BOUND;
      if (volume.state() == VolumeState.PROVISIONING || bound && all) {
        desk.order(lease, volume)
            .ifPresent(order -> {
              VolumeOutcome outcome = gateway.provide(order);
              if (outcome instanceof VolumeOutcome.Lost(String why)) {
                LOG.warn("cluster {}: volume {} is lost: {}", cluster, volume.name(), why);
              }
              desk.noted(lease, volume, outcome);
            });
      }
    }
  }
}
