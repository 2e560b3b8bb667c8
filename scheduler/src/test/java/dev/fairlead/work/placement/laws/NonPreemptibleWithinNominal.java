package dev.fairlead.work.placement.laws;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.After;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.world.World;
import java.util.Optional;
import java.util.Random;

/**
 * Non-preemptible jobs use only nominal quota: neither a start nor a reservation by evictions
 * exceeds it, and no other job starts if it is already exceeded. Fails when QuotaTree.admits
 * considers only the available quota, and when Evictions tries every assignment.
 */
final class NonPreemptibleWithinNominal implements Law.Check {
  @Override
  public Optional<String> broken(World world, Random random) {
    Planned planned = Planned.of(world);
    World after = After.of(world, planned.plan());
    QuotaTree before = new QuotaTree(world.quotaNodes(), world.quotaUses());
    QuotaTree then = new QuotaTree(after.quotaNodes(), after.quotaUses());
    for (Decision decision : planned.plan().decisions()) {
      if (decision instanceof Decision.Preempt preempt) {
        take(then, world, preempt.reservation());
      }
    }
    for (QuotaNode node : world.quotaNodes()) {
      for (QuotaLimit limit : node.limits()) {
        QuotaCell cell = new QuotaCell(limit.flavor(), limit.resource());
        long had = before.nonPreemptible(node.id(), cell);
        long has = then.nonPreemptible(node.id(), cell);
        if (has > had && has > then.nominal(node.id(), cell)) {
          return Optional.of(
              "jobs that are never evicted use " + has + " of " + limit + " of " + node.name());
        }
      }
    }
    return Optional.empty();
  }

  private static void take(QuotaTree tree, World world, Reservation reservation) {
    Job job =
        world.pending().stream()
            .filter(p -> p.job().id().equals(reservation.job()))
            .findFirst()
            .orElseThrow()
            .job();
    reservation
        .charges()
        .forEach(
            (cell, amount) -> tree.use(job.queue(), cell, amount, job.spec().nonPreemptible()));
  }
}
