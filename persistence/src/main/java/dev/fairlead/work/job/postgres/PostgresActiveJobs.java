package dev.fairlead.work.job.postgres;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.postgres.ChangeNotes;
import dev.fairlead.kernel.postgres.RowCache;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.PlaceFailure;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.estimate.LearnedRuntimes;
import dev.fairlead.work.job.postgres.read.ActiveJobTable;
import dev.fairlead.work.job.postgres.read.AttemptTable;
import dev.fairlead.work.job.store.ActiveJobs;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.springframework.stereotype.Component;

/**
 * {@link ActiveJobs} on PostgreSQL. One row version guards a job with its elements and attempts, so
 * a note of the job's row covers them all.
 */
@Component
class PostgresActiveJobs implements ActiveJobs {
  private final Transactions transactions;
  private final ActiveJobTable table;
  private final AttemptTable attempts;
  private final RowCache<ActiveJob> cache;

  PostgresActiveJobs(
      Transactions transactions, ActiveJobTable table, AttemptTable attempts, ChangeNotes notes) {
    this.transactions = transactions;
    this.table = table;
    this.attempts = attempts;
    cache = new RowCache<>(notes, ChangeNotes.Kind.JOB, new Source(), System::nanoTime);
  }

  @Override
  public List<ActiveJob> active() {
    return transactions.forAllTenants(cache::rows);
  }

  @Override
  public boolean anyWaits() {
    return transactions.forAllTenants(table::anyWaits);
  }

  @Override
  public long lostNotes() {
    return cache.lostNotes();
  }

  private final class Source implements RowCache.Rows<ActiveJob> {
    @Override
    public List<RowCache.Version> versions(UUID after, int most) {
      return table.versions(after, most);
    }

    @Override
    public List<ActiveJob> read(Collection<UUID> ids, SortedMap<UUID, ActiveJob> known) {
      return PostgresActiveJobs.this.read(ids.stream().map(JobId::new).toList(), known);
    }

    @Override
    public UUID id(ActiveJob job) {
      return job.job().id().value();
    }

    @Override
    public long version(ActiveJob job) {
      return job.job().version();
    }
  }

  private List<ActiveJob> read(List<JobId> changed, SortedMap<UUID, ActiveJob> known) {
    List<Job> jobs = table.jobs(changed, id -> known.get(id.value()));
    if (jobs.isEmpty()) {
      return List.of();
    }
    List<JobId> active = jobs.stream().map(Job::id).toList();
    SortedMap<JobId, List<Attempt>> live = new TreeMap<>();
    attempts
        .live(active)
        .forEach(a -> live.computeIfAbsent(a.job(), j -> new ArrayList<>()).add(a));
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
    return ids.isEmpty() ? List.of() : transactions.forAllTenants(() -> table.runs(ids));
  }

  @Override
  public List<JobElement> elements(Collection<JobId> ids) {
    return transactions.forAllTenants(() -> table.elementsWithArchive(List.copyOf(ids)));
  }

  @Override
  public List<PlaceFailure> placeFailures() {
    return transactions
        .forAllTenants(() -> attempts.placeFailed(PlaceFailure.REMEMBERED, PlaceFailure.MOST))
        .stream()
        .flatMap(attempt -> PlaceFailure.of(attempt).stream())
        .toList();
  }

  @Override
  public SortedMap<QuotaNodeId, Integer> movedBack() {
    return transactions.forAllTenants(() -> attempts.movedBack(MOVES_COUNT));
  }

  @Override
  public List<LearnedRuntimes.Run> endedRuns(Instant after, int most) {
    return transactions.forAllTenants(() -> table.endedRuns(after, most));
  }
}
