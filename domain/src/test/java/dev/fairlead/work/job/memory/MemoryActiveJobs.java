package dev.fairlead.work.job.memory;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.PlaceFailure;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.estimate.LearnedRuntimes;
import dev.fairlead.work.job.estimate.RunGroup;
import dev.fairlead.work.job.store.ActiveJobs;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** In-memory implementation of {@link ActiveJobs}. */
public final class MemoryActiveJobs implements ActiveJobs {
  private final MemoryDatabase database;
  private final MemoryJobStore jobs;

  private static final Set<FailureCause> FROM_OUTSIDE =
      Set.of(
          FailureCause.NODE_FAILURE,
          FailureCause.GPU_FAULT,
          FailureCause.NETWORK,
          FailureCause.PLACEMENT_CONFLICT,
          FailureCause.START_TIMEOUT,
          FailureCause.CLUSTER_LOST);

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
  public List<JobElement> elements(Collection<JobId> ids) {
    return ids.stream()
        .sorted()
        .flatMap(id -> jobs.elements(id, 0, Integer.MAX_VALUE).stream())
        .toList();
  }

  @Override
  public List<PlaceFailure> placeFailures() {
    Instant since = jobs.now().minus(PlaceFailure.REMEMBERED);
    return jobs.endedAfter(since).reversed().stream()
        .flatMap(a -> PlaceFailure.of(a).stream())
        .limit(PlaceFailure.MOST)
        .toList();
  }

  @Override
  public SortedMap<QuotaNodeId, Integer> movedBack() {
    Instant since = jobs.now().minus(MOVES_COUNT);
    SortedMap<QuotaNodeId, Integer> moved = new TreeMap<>();
    jobs.endedAfter(since).stream()
        .filter(a -> a.failure() != null && a.failure().right() == EvictionRight.MOVED_BACK)
        .flatMap(a -> jobs.findAll(List.of(a.job())).stream())
        .forEach(job -> moved.merge(job.queue(), 1, Integer::sum));
    return moved;
  }

  @Override
  public List<LearnedRuntimes.Run> endedRuns(Instant after, int most) {
    SortedMap<JobId, List<Attempt>> ended = new TreeMap<>();
    jobs.endedAfter(after).stream()
        .filter(MemoryActiveJobs::byItself)
        .forEach(a -> ended.computeIfAbsent(a.job(), job -> new ArrayList<>()).add(a));
    return jobs.findAll(ended.keySet()).stream()
        .filter(job -> job.run().endedAt() != null)
        .sorted(Comparator.<Job, Instant>comparing(job -> job.run().endedAt()).reversed())
        .limit(most)
        .flatMap(job -> runs(job, ended.get(job.id())).stream())
        .sorted(Comparator.comparing(LearnedRuntimes.Run::ended))
        .toList();
  }

  private static List<LearnedRuntimes.Run> runs(Job job, List<Attempt> ended) {
    return ended.stream()
        .sorted(Comparator.comparing(Attempt::element).thenComparing(Attempt::number).reversed())
        .limit(RUNS_EACH)
        .map(a ->
            new LearnedRuntimes.Run(
                RunGroup.of(job), a.endedAt(), Duration.between(a.startedAt(), a.endedAt())))
        .toList();
  }

  private static boolean byItself(Attempt attempt) {
    boolean ran =
        attempt.startedAt() != null
            && attempt.endedAt() != null
            && attempt.startedAt().isBefore(attempt.endedAt());
    boolean ended =
        attempt.state() == AttemptState.SUCCEEDED || attempt.state() == AttemptState.FAILED;
    return ran
        && ended
        && (attempt.failure() == null || !FROM_OUTSIDE.contains(attempt.failure().cause()));
  }

  private ActiveJob active(Job job) {
    List<Attempt> live =
        jobs.liveAttempts(job.id()).stream().sorted(Comparator.comparing(Attempt::id)).toList();
    List<JobElement> elements =
        job.array() == null ? List.of() : jobs.elements(job.id(), 0, job.array().elements());
    return new ActiveJob(job.seenAs(job.spec().decided()), live, elements);
  }
}
