package dev.fairlead.work.world.memory;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.ArrayProgress;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.JobStatus;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.output.OutputReference;
import dev.fairlead.work.output.OutputStore;
import dev.fairlead.work.spec.JobSpec.Dependency;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.PendingJob.FailedDependency;
import dev.fairlead.work.world.PendingJob.Offer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The pending part of a job. */
final class PendingJobs {
  private final JobStore jobs;
  private final OutputStore outputs;

  PendingJobs(JobStore jobs, OutputStore outputs) {
    this.jobs = jobs;
    this.outputs = outputs;
  }

  /** Empty when the job has nothing to place. */
  Optional<PendingJob> of(Job job) {
    List<Offer> offers = job.array() == null ? offer(job) : offers(job, job.array());
    if (offers.isEmpty()) {
      return Optional.empty();
    }
    List<String> unmet = new ArrayList<>();
    FailedDependency dead = null;
    boolean mayBeSkipped = false;
    for (Dependency dependency : job.spec().dependsOn()) {
      Optional<Job> other = jobs.find(job.tenant(), dependency.job());
      String name = other.map(Job::name).orElse(dependency.job().text());
      switch (standing(other.map(Job::run), dependency.condition())) {
        case MET -> {
          FailedDependency silent = silent(job, other.orElseThrow());
          dead = silent == null ? dead : FailedDependency.first(dead, silent);
        }
        case UNMET -> {
          unmet.add(name);
          mayBeSkipped |= dependency.condition() == Dependency.Condition.FAILED;
        }
        case DEAD ->
            dead =
                FailedDependency.first(
                    dead,
                    FailedDependency.of(
                        name, dependency.condition(), other.map(Job::run).orElse(null)));
      }
    }
    boolean waits = mayBeSkipped && dead != null && dead.missing() != null;
    return Optional.of(new PendingJob(job, offers, unmet, waits ? null : dead));
  }

  private FailedDependency silent(Job job, Job other) {
    Set<String> reported =
        outputs.names(List.of(other.id())).getOrDefault(other.id(), Collections.emptySortedSet());
    return OutputReference.all(job.spec()).stream()
        .filter(each -> other.run().ended() && each.names(other.id(), other.name()))
        .filter(each -> !reported.contains(each.output()))
        .findFirst()
        .map(each -> FailedDependency.without(each, other.name(), other.state()))
        .orElse(null);
  }

  private List<Offer> offer(Job job) {
    boolean waits = job.state() == JobState.QUEUED && jobs.liveAttempts(job.id()).isEmpty();
    return waits ? List.of(new Offer(0, job.run().attempts(), job.run().retryAt())) : List.of();
  }

  /**
   * Elements without a back-off come first, so that elements in back-off do not take their slots.
   */
  private List<Offer> offers(Job job, ArrayProgress array) {
    if (job.state() != JobState.QUEUED && job.state() != JobState.RUNNING) {
      return List.of();
    }
    Set<Integer> live = new TreeSet<>();
    jobs.liveAttempts(job.id()).stream().map(Attempt::element).forEach(live::add);
    List<JobElement> rows = jobs.elements(job.id(), 0, array.elements());
    List<JobElement> again =
        rows.stream()
            .filter(e -> e.run().state() == JobState.QUEUED && !live.contains(e.index()))
            .toList();
    boolean expired = // those that expired have rows that wait, or none
        array.failed() > rows.stream().filter(e -> e.run().state() == JobState.FAILED).count();
    if (expired) { // and waited before all jobs that wait now
      again =
          again.stream()
              .sorted(Comparator.comparing((JobElement e) -> e.run().changedAt()).reversed())
              .limit(Math.max(0, array.queued()))
              .toList();
    }
    List<Offer> offers = new ArrayList<>();
    again.forEach(e -> offers.add(new Offer(e.index(), e.run().attempts(), e.run().retryAt())));
    Set<Integer> started = new TreeSet<>();
    rows.forEach(element -> started.add(element.index()));
    for (int i = 0; i < array.elements() && !expired; i++) {
      if (!started.contains(i)) {
        offers.add(new Offer(i, 0, null));
      }
    }
    int free = Math.min(array.limit() - array.live(), array.queued());
    Instant now = jobs.now();
    return offers.stream()
        .sorted(Comparator.comparing((Offer o) -> later(o, now)).thenComparingInt(Offer::index))
        .limit(Math.max(0, free))
        .toList();
  }

  private static boolean later(Offer offer, Instant now) {
    return offer.retryAt() != null && offer.retryAt().isAfter(now);
  }

  /** State of a dependency. */
  private enum Standing {
    MET,
    UNMET,
    DEAD
  }

  private static Standing standing(Optional<JobStatus> other, Dependency.Condition condition) {
    if (other.isEmpty()) {
      return Standing.DEAD;
    }
    JobStatus run = other.get();
    boolean met =
        switch (condition) {
          case SUCCEEDED -> run.state() == JobState.SUCCEEDED;
          case FAILED -> run.state() == JobState.FAILED;
          case ENDED -> run.ended();
          case STARTED -> run.startedAt() != null;
        };
    return met ? Standing.MET : run.ended() ? Standing.DEAD : Standing.UNMET;
  }
}
