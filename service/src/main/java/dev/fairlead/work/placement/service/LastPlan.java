package dev.fairlead.work.placement.service;

import dev.fairlead.care.supply.SupplyOffer;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.placement.Plan;
import dev.fairlead.work.placement.shape.QueueTiers;
import dev.fairlead.work.spec.Deadline;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The snapshot of the last plan that was written in full. While its rows do not change, a new plan
 * would be equal, except for effects of time. The start times, retries, deadlines, prices, ends of
 * reservations, and openings of tiers and windows in the rows end its validity immediately. Every
 * other effect waits for {@link #WAITING}.
 *
 * @param until time after which the same rows are planned again
 */
record LastPlan(World world, Plan plan, long epoch, Instant until) {
  /** Validity of a plan while a job waits, so that back-offs and estimates advance. */
  static final Duration WAITING = Duration.ofSeconds(5);

  /** Validity of a plan that time alone cannot change. */
  static final Duration QUIET = Duration.ofMinutes(1);

  static LastPlan of(HeldLease lease, World world, Plan plan) {
    Instant latest = world.asOf().plus(timeMatters(world) ? WAITING : QUIET);
    return new LastPlan(world, plan, lease.epoch(), new Earliest(world.asOf(), latest).of(world));
  }

  /** Returns whether a plan for these rows would be equal. */
  boolean holds(HeldLease lease, World now) {
    boolean inTime = !now.asOf().isBefore(world.asOf()) && now.asOf().isBefore(until);
    return epoch == lease.epoch() && inTime && sameRows(now);
  }

  private boolean sameRows(World now) {
    return sameClusters(now.clusters())
        && world.nodes().equals(now.nodes())
        && world.quotaNodes().equals(now.quotaNodes())
        && world.quotaUses().equals(now.quotaUses())
        && world.pending().equals(now.pending())
        && world.live().equals(now.live())
        && world.reservations().equals(now.reservations())
        && world.placeFailures().equals(now.placeFailures())
        && world.pastUses().equals(now.pastUses())
        && world.prices().equals(now.prices())
        && world.budgets().equals(now.budgets())
        && world.licences().equals(now.licences())
        && world.offers().equals(now.offers())
        && world.advanceReservations().equals(now.advanceReservations())
        && world.domainQuarantines().equals(now.domainQuarantines())
        && world.volumes().equals(now.volumes())
        && world.movedBack().equals(now.movedBack())
        && world.preflights().equals(now.preflights());
  }

  /** Ignores when a cluster was last seen. */
  private boolean sameClusters(List<Cluster> now) {
    List<Cluster> then = world.clusters();
    for (int i = 0; i < then.size() && then.size() == now.size(); i++) {
      boolean same =
          then.get(i).id().equals(now.get(i).id()) && then.get(i).version() == now.get(i).version();
      if (!same) {
        return false;
      }
    }
    return then.size() == now.size();
  }

  private static boolean timeMatters(World world) {
    return !world.pending().isEmpty()
        || !world.reservations().isEmpty()
        || world.live().stream().anyMatch(live -> live.job().spec().elastic());
  }

  /** Collects the earliest future time in the rows. */
  private static final class Earliest {
    private final Instant now;
    private Instant first;

    Earliest(Instant now, Instant latest) {
      this.now = now;
      this.first = latest;
    }

    private void at(@Nullable Instant time) {
      if (time != null && !time.isBefore(now) && time.isBefore(first)) {
        first = time;
      }
    }

    Instant of(World world) {
      jobs(world);
      for (Reservation reservation : world.reservations()) {
        at(reservation.startsAt());
        at(reservation.expiresAt());
      }
      world.prices().nextChange(now).ifPresent(this::at);
      for (SupplyOffer offer : world.offers()) {
        at(offer.stockOut() == null ? null : offer.stockOut().until());
      }
      world
          .advanceReservations()
          .forEach(advanceReservation -> at(advanceReservation.nextChange(now)));
      windows(world.nodes());
      for (QuotaNode node : world.quotaNodes()) {
        if (node.changesWithTime()) {
          node.limits().forEach(limit -> at(limit.nextChange(now)));
        }
      }
      return first;
    }

    /** Loops instead of streams, because of the number of jobs. */
    private void jobs(World world) {
      QueueTiers tiers = new QueueTiers(world.quotaNodes(), now);
      for (PendingJob pending : world.pending()) {
        JobSpec spec = pending.job().spec();
        at(spec.notBefore());
        at(Deadline.latestStart(spec));
        at(tiers.nextOpening(pending.job()));
        pending.job().checks().forEach(check -> at(check.retryAt()));
        for (PendingJob.Offer offer : pending.offers()) {
          at(offer.retryAt());
        }
      }
    }

    /** The next change of windows of the nodes' pools. */
    private void windows(List<Node> nodes) {
      Set<PoolWindows> windows = new HashSet<>();
      PoolWindows last = PoolWindows.NONE;
      for (Node node : nodes) {
        PoolWindows its = node.pool() == null ? PoolWindows.NONE : node.pool().windows();
        if (!its.always() && !its.equals(last)) {
          windows.add(its);
          last = its;
        }
      }
      windows.forEach(each -> at(each.nextChange(now)));
    }
  }
}
