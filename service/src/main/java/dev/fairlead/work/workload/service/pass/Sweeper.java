package dev.fairlead.work.workload.service.pass;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.service.attempt.AttemptCase;
import dev.fairlead.work.workload.service.attempt.AttemptRepository;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes objects of attempts that were already cleaned up, such as a pod with a late create. It
 * sees only objects with the label of this installation. It removes only objects of an attempt of
 * this cluster that has ended, which is read again under the fence before each removal. Objects of
 * an attempt that the database does not have are not changed, because the attempt may be newer than
 * a restored backup.
 */
final class Sweeper {
  private static final Logger LOG = LoggerFactory.getLogger(Sweeper.class);

  /** Objects that were removed a moment ago may still be shown. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final Duration AGAIN = Duration.ofMinutes(1);
  private static final int MOST_AT_ONCE = 16;
  private static final int MOST_REPORTED = 10_000;

  private final ClusterId cluster;
  private final AttemptRepository repository;
  private final Map<AttemptId, Instant> due = new TreeMap<>();
  private final Set<AttemptId> reported = new TreeSet<>();

  Sweeper(ClusterId cluster, AttemptRepository repository) {
    this.cluster = cluster;
    this.repository = repository;
  }

  /**
   * Removes the objects of finished attempts.
   *
   * @param strays shown attempts without a case
   * @return when each of them is examined again
   */
  Map<AttemptId, Instant> sweep(PassView view, Set<AttemptId> strays) {
    Map<AttemptId, Instant> lookAgain = new TreeMap<>();
    due.keySet().removeIf(id -> view.workload(id).empty());
    int removed = 0;
    for (AttemptId stray : strays) {
      Instant at = due.computeIfAbsent(stray, id -> view.now().plus(PATIENCE));
      boolean may = view.acting() && !view.watch().silent() && removed < MOST_AT_ONCE;
      if (may && !view.now().isBefore(at)) {
        removed++;
        remove(view, stray);
        at = view.now().plus(AGAIN);
        due.put(stray, at);
      }
      lookAgain.put(stray, at.isAfter(view.now()) ? at : view.now().plus(PATIENCE));
    }
    return lookAgain;
  }

  private void remove(PassView view, AttemptId stray) {
    Optional<AttemptCase> over = repository.clearedAway(view.lease(), cluster, stray);
    if (over.isEmpty()) {
      if (reported.size() < MOST_REPORTED && reported.add(stray)) {
        LOG.warn(
            "cluster {} shows objects of attempt {}, which this database does not record as"
                + " ended: not deleted",
            cluster.text(),
            stray.text());
      }
      return;
    }
    ActionOutcome outcome =
        view.gateway()
            .apply(
                WorkloadAction.Retire.of(
                    over.get().attempt(),
                    repository.owners(List.of(over.get())).project(over.get()).namespace()));
    LOG.info("removed leftovers of ended attempt {}: {}", stray.text(), outcome);
  }
}
