package dev.fairlead.placement.service;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.lease.HeldLease;
import dev.fairlead.node.Node;
import dev.fairlead.node.PoolWindows;
import dev.fairlead.placement.Plan;
import dev.fairlead.placement.shape.QueueTiers;
import dev.fairlead.quota.QuotaNode;
import dev.fairlead.spec.Deadline;
import dev.fairlead.spec.JobSpec;
import dev.fairlead.supply.SupplyOffer;
import dev.fairlead.world.PendingJob;
import dev.fairlead.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The world of the last plan that was written in full. While its rows stay the same, planning again
 * decides the same, apart from what time alone changes: the start times, retries, deadlines,
 * prices, ends of reservations, openings of tiers and windows that the rows name end it at once,
 * everything else after {@link #WAITING}.
 *
 * @param until from then on the same rows are planned again
 */
record LastPlan(World world, Plan plan, long term, Instant until) {
  /** How long a plan holds while a job waits, so that back-offs and estimates follow the time. */
  static final Duration WAITING = Duration.ofSeconds(5);

  /** How long a plan holds that time alone cannot change. */
  static final Duration QUIET = Duration.ofMinutes(1);

  static LastPlan of(HeldLease lease, World world, Plan plan) {
    Instant latest = world.asOf().plus(timeMatters(world) ? WAITING : QUIET);
    Instant until =
        times(world)
            .filter(time -> !time.isBefore(world.asOf()) && time.isBefore(latest))
            .min(Instant::compareTo)
            .orElse(latest);
    return new LastPlan(world, plan, lease.term(), until);
  }

  /** Whether a plan for these rows would decide the same. */
  boolean holds(HeldLease lease, World now) {
    boolean inTime = !now.asOf().isBefore(world.asOf()) && now.asOf().isBefore(until);
    return term == lease.term() && inTime && sameRows(now);
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
        && world.bookings().equals(now.bookings())
        && world.volumes().equals(now.volumes())
        && world.movedBack().equals(now.movedBack())
        && world.preflights().equals(now.preflights());
  }

  /** When a cluster was last seen decides nothing. */
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

  private static Stream<Instant> times(World world) {
    Stream<@Nullable Instant> jobs = world.pending().stream().flatMap(LastPlan::times);
    Stream<@Nullable Instant> reservations =
        world.reservations().stream().flatMap(r -> Stream.of(r.startsAt(), r.expiresAt()));
    QueueTiers tiers = new QueueTiers(world.quotaNodes(), world.asOf());
    Stream<@Nullable Instant> openings =
        world.pending().stream().map(pending -> tiers.nextOpening(pending.job()));
    return Stream.of(
            jobs,
            reservations,
            openings,
            world.prices().nextChange(world.asOf()).stream(),
            world.offers().stream().map(LastPlan::stockOutEnds),
            world.bookings().stream().map(booking -> booking.nextChange(world.asOf())),
            windows(world),
            limits(world))
        .flatMap(times -> times)
        .flatMap(Stream::ofNullable);
  }

  private static @Nullable Instant stockOutEnds(SupplyOffer offer) {
    return offer.stockOut() == null ? null : offer.stockOut().until();
  }

  /** When windows of the pools of nodes change next. */
  private static Stream<@Nullable Instant> windows(World world) {
    Set<PoolWindows> windows = new HashSet<>();
    PoolWindows last = PoolWindows.NONE;
    for (Node node : world.nodes()) {
      PoolWindows its = node.pool() == null ? PoolWindows.NONE : node.pool().windows();
      if (!its.always() && !its.equals(last)) {
        windows.add(its);
        last = its;
      }
    }
    return windows.stream().map(each -> each.nextChange(world.asOf()));
  }

  /** When windows of quota limits change them next. */
  private static Stream<@Nullable Instant> limits(World world) {
    return world.quotaNodes().stream()
        .filter(QuotaNode::changesWithTime)
        .flatMap(node -> node.limits().stream())
        .map(limit -> limit.nextChange(world.asOf()));
  }

  private static Stream<@Nullable Instant> times(PendingJob pending) {
    JobSpec spec = pending.job().spec();
    return Stream.concat(
        Stream.of(spec.notBefore(), Deadline.latestStart(spec)),
        pending.offers().stream().map(PendingJob.Offer::retryAt));
  }
}
