package dev.fairlead.job.memory;

import dev.fairlead.attempt.Attempt;
import dev.fairlead.attempt.EvictionRight;
import dev.fairlead.attempt.PlaceFailure;
import dev.fairlead.identity.JobId;
import dev.fairlead.job.ActiveJobs;
import dev.fairlead.job.Job;
import dev.fairlead.job.JobElement;
import dev.fairlead.job.JobState;
import dev.fairlead.quota.QuotaNodeId;
import dev.fairlead.transaction.memory.MemoryDatabase;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Twin of {@link ActiveJobs}. */
public final class MemoryActiveJobs implements ActiveJobs {
  private final MemoryDatabase database;
  private final MemoryJobStore jobs;

  public MemoryActiveJobs(MemoryDatabase database, MemoryJobStore jobs) {
    this.database = database;
    this.jobs = jobs;
  }

  @Override
  public List<ActiveJob> active() {
    return database.read(() -> jobs.active().stream().map(this::active).toList());
  }

  @Override
  public long lostNotes() {
    return 0;
  }

  @Override
  public boolean anyWaits() {
    return database.read(() ->
        jobs.active().stream()
            .anyMatch(job ->
                job.state() == JobState.QUEUED
                    || job.state() == JobState.RUNNING
                        && job.array() != null
                        && job.array().queued() > 0));
  }

  @Override
  public List<NamedRun> runs(Collection<JobId> ids) {
    return jobs.findAll(ids).stream()
        .map(job -> new NamedRun(job.id(), job.tenant(), job.name(), job.run()))
        .toList();
  }

  @Override
  public List<PlaceFailure> placeFailures() {
    Instant since = jobs.now().minus(PlaceFailure.REMEMBERED);
    return database.read(() ->
        jobs.everyAttempt().stream()
            .filter(a -> a.endedAt() != null && a.endedAt().isAfter(since))
            .sorted(Comparator.comparing(Attempt::endedAt).thenComparing(Attempt::id).reversed())
            .flatMap(a -> PlaceFailure.of(a).stream())
            .limit(PlaceFailure.MOST)
            .toList());
  }

  @Override
  public SortedMap<QuotaNodeId, Integer> movedBack() {
    Instant since = jobs.now().minus(MOVES_COUNT);
    SortedMap<QuotaNodeId, Integer> moved = new TreeMap<>();
    List<Attempt> every = database.read(() -> List.copyOf(jobs.everyAttempt()));
    every.stream()
        .filter(a -> a.endedAt() != null && a.endedAt().isAfter(since))
        .filter(a -> a.failure() != null && a.failure().right() == EvictionRight.MOVED_BACK)
        .flatMap(a -> jobs.findAll(List.of(a.job())).stream())
        .forEach(job -> moved.merge(job.queue(), 1, Integer::sum));
    return moved;
  }

  private ActiveJob active(Job job) {
    List<Attempt> live =
        jobs.liveAttempts(job.id()).stream().sorted(Comparator.comparing(Attempt::id)).toList();
    List<JobElement> elements =
        job.array() == null ? List.of() : jobs.elements(job.id(), 0, job.array().elements());
    return new ActiveJob(job, live, elements);
  }
}
