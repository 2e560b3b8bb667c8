package dev.fairlead.placement.laws;

import dev.fairlead.job.AttemptId;
import dev.fairlead.placement.After;
import dev.fairlead.placement.Decision;
import dev.fairlead.placement.reservation.Holder;
import dev.fairlead.quota.QuotaTree;
import dev.fairlead.world.World;
import java.util.Optional;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Once its victims and those told before them have left, the job starts; leave one victim out, and
 * it does not. Who should have left long ago is no longer waited for. Fails when VictimSearch does
 * not take superfluous victims off its list.
 */
final class VictimsNeeded implements Law.Check {
  @Override
  public Optional<String> broken(World world, Random random) {
    Planned planned = Planned.of(world);
    World told = After.of(world, planned.plan());
    SortedSet<AttemptId> leaving = new TreeSet<>();
    Leaving.of(world).stream()
        .filter(l -> !Leaving.by(l.attempt(), world.asOf().minus(Holder.PATIENCE)))
        .forEach(l -> leaving.add(l.attempt().id()));
    for (Decision.Preempt preempt : Leaving.preempts(planned)) {
      preempt.victims().forEach(v -> leaving.add(v.attempt()));
      if (!starts(told, leaving, preempt)) {
        return Optional.of("does not start though all victims have left: " + preempt.victims());
      }
      for (Decision.Preempt.Eviction victim : preempt.victims()) {
        SortedSet<AttemptId> others = new TreeSet<>(leaving);
        others.remove(victim.attempt());
        if (starts(told, others, preempt) && !onlyByBorrowing(told, others, preempt)) {
          return Optional.of("starts though this victim stays: " + victim);
        }
      }
    }
    return Optional.empty();
  }

  private static boolean starts(World told, SortedSet<AttemptId> gone, Decision.Preempt preempt) {
    World left = Leaving.gone(told, l -> gone.contains(l.attempt().id()));
    return Planned.of(left).started(preempt.job(), preempt.reservation().element());
  }

  /** Who borrows may take nothing back: then it is this victim that gives the right to others. */
  private static boolean onlyByBorrowing(
      World told, SortedSet<AttemptId> gone, Decision.Preempt preempt) {
    World left = Leaving.gone(told, l -> gone.contains(l.attempt().id()));
    World started = After.of(left, Planned.of(left).plan());
    QuotaTree tree = new QuotaTree(started.quotaNodes(), started.quotaUses());
    return told.pending().stream()
        .filter(p -> p.job().id().equals(preempt.job()))
        .anyMatch(p ->
            preempt.reservation().charges().keySet().stream()
                .anyMatch(cell -> tree.borrowed(p.job().queue(), cell) > 0));
  }
}
