package dev.fairlead.work.job.service.query;

import dev.fairlead.money.efficiency.Efficiency;
import dev.fairlead.money.efficiency.EfficiencyStore;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Reads the GPU efficiency of attempts. */
@Service
public class JobEfficiency {
  private final EfficiencyStore store;

  public JobEfficiency(EfficiencyStore store) {
    this.store = store;
  }

  /**
   * Efficiency of the newest attempt of a job that the caller may read, null for an array, which
   * may have many.
   */
  public @Nullable Efficiency of(Actor actor, JobView view) {
    Attempt attempt = view.attempt();
    return attempt == null || view.job().array() != null
        ? null
        : of(actor, List.of(attempt)).get(attempt.id());
  }

  /** Efficiency of attempts that the caller may read, without attempts that were not sampled. */
  public SortedMap<AttemptId, Efficiency> of(Actor actor, Collection<Attempt> attempts) {
    SortedMap<AttemptId, Efficiency> found = new TreeMap<>();
    if (!attempts.isEmpty()) {
      store
          .of(actor.tenant(), attempts.stream().map(Attempt::id).toList())
          .forEach(row -> found.put(row.attempt(), row));
    }
    return found;
  }
}
