package dev.fairlead.work.placement.laws;

import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.estimate.PreemptionRisk;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.placement.preemption.PreemptionRisks;
import dev.fairlead.work.world.World;
import java.util.Optional;
import java.util.Random;

/**
 * An evicted job was warned of the queue, right and priority that could evict it. Fails when
 * PreemptionRisks omits a right or a queue, or raises the lowest priority.
 */
final class VictimsWarned implements Law.Check {
  @Override
  public Optional<String> broken(World world, Random random) {
    QuotaTree tree = QuotaTree.at(world.quotaNodes(), world.quotaUses(), world.asOf());
    for (Decision decision : Planned.of(world).plan().decisions()) {
      if (decision instanceof Decision.Preempt preempt) {
        for (Decision.Preempt.Eviction victim : preempt.victims()) {
          if (victim.right() != EvictionRight.MOVED && !warned(world, tree, preempt, victim)) {
            return Optional.of(
                victim.job().text() + " was not warned of " + victim.right() + " by " + preempt);
          }
        }
      }
    }
    return Optional.empty();
  }

  private static boolean warned(
      World world, QuotaTree tree, Decision.Preempt preempt, Decision.Preempt.Eviction victim) {
    Job by = pending(world, preempt.job());
    String queue = tree.node(by.queue()).orElseThrow().name();
    World.LiveAttempt leaves =
        world.live().stream()
            .filter(live -> live.attempt().id().equals(victim.attempt()))
            .findFirst()
            .orElseThrow();
    PreemptionRisk risk = PreemptionRisks.of(tree, leaves.job(), leaves.attempt().charges());
    return risk.by().stream()
        .anyMatch(may ->
            may.queue().equals(queue)
                && may.right() == victim.right()
                && may.fromPriority() <= by.priority());
  }

  private static Job pending(World world, JobId job) {
    return world.pending().stream()
        .filter(each -> each.job().id().equals(job))
        .findFirst()
        .orElseThrow()
        .job();
  }
}
