package dev.fairlead.job.postgres;

import dev.fairlead.job.ActiveJobs;
import dev.fairlead.job.Attempt;
import dev.fairlead.job.Job;
import dev.fairlead.job.JobElement;
import dev.fairlead.job.JobId;
import dev.fairlead.job.PlaceFailure;
import dev.fairlead.postgres.TenantWall;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * {@link ActiveJobs} on PostgreSQL. One row version guards a job with its elements and attempts, so
 * what was read under a version stays right as long as the version stays: each read asks for the
 * versions of all and for the rows of those that changed.
 */
@Component
class PostgresActiveJobs implements ActiveJobs {
  private final TenantWall wall;
  private final ActiveJobTable table;
  private final AttemptTable attempts;
  private SortedMap<JobId, ActiveJob> known = new TreeMap<>();

  PostgresActiveJobs(TenantWall wall, ActiveJobTable table, AttemptTable attempts) {
    this.wall = wall;
    this.table = table;
    this.attempts = attempts;
  }

  @Override
  public synchronized List<ActiveJob> active() {
    wall.acrossTenants();
    SortedMap<JobId, ActiveJob> now = new TreeMap<>();
    List<JobId> changed = new ArrayList<>();
    table
        .versions()
        .forEach((id, version) -> {
          ActiveJob before = known.get(id);
          if (before != null && before.job().version() == version) {
            now.put(id, before);
          } else {
            changed.add(id);
          }
        });
    if (!changed.isEmpty()) {
      read(changed).forEach(job -> now.put(job.job().id(), job));
    }
    // What a writing transaction sees of itself may still be undone.
    if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
      known = now;
    }
    return List.copyOf(now.values());
  }

  private List<ActiveJob> read(List<JobId> changed) {
    SortedMap<JobId, List<Attempt>> live = new TreeMap<>();
    attempts
        .live(changed)
        .forEach(a -> live.computeIfAbsent(a.job(), j -> new ArrayList<>()).add(a));
    List<Job> jobs = table.jobs(changed, id -> known.get(id));
    List<JobId> arrays = jobs.stream().filter(j -> j.array() != null).map(Job::id).toList();
    SortedMap<JobId, List<JobElement>> elements = new TreeMap<>();
    if (!arrays.isEmpty()) {
      table
          .elements(arrays)
          .forEach(e -> elements.computeIfAbsent(e.job(), j -> new ArrayList<>()).add(e));
    }
    return jobs.stream()
        .map(job ->
            new ActiveJob(
                job,
                live.getOrDefault(job.id(), List.of()),
                elements.getOrDefault(job.id(), List.of())))
        .toList();
  }

  @Override
  public List<NamedRun> runs(Collection<JobId> ids) {
    return ids.isEmpty() ? List.of() : table.runs(ids);
  }

  @Override
  public List<PlaceFailure> placeFailures() {
    wall.acrossTenants();
    return attempts.placeFailed(PlaceFailure.REMEMBERED, PlaceFailure.MOST).stream()
        .flatMap(attempt -> PlaceFailure.of(attempt).stream())
        .toList();
  }
}
