package dev.fairlead.work.world.memory;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.ArrayProgress;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.output.OutputReference;
import dev.fairlead.work.output.OutputStore;
import dev.fairlead.work.spec.JobSpec.Dependency;
import dev.fairlead.work.world.ElementDependencies;
import dev.fairlead.work.world.ElementDependencies.Outcome;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.PendingJob.FailedDependency;
import dev.fairlead.work.world.PendingJob.Offer;
import dev.fairlead.work.world.Standing;
import dev.fairlead.work.world.World;
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
    Outcome split = split(job);
    List<Offer> offers = split.offers();
    if (offers.isEmpty()) {
      return Optional.empty();
    }
    List<String> unmet = new ArrayList<>(split.unmet());
    FailedDependency dead = split.dead();
    boolean mayBeSkipped = false;
    for (Dependency dependency : job.spec().dependsOn()) {
      Optional<Job> other = jobs.find(job.tenant(), dependency.job());
      if (dependency.perElement() && other.isPresent()) {
        continue;
      }
      String name = other.map(Job::name).orElse(dependency.job().text());
      switch (Standing.of(other.map(Job::run).orElse(null), dependency.condition())) {
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

  /** Elements of the job that must end. */
  List<World.DeadElements> dead(Job job) {
    return split(job).ended().stream().map(each -> new World.DeadElements(job, each)).toList();
  }

  private Outcome split(Job job) {
    ArrayProgress array = job.array();
    if (array == null) {
      return new Outcome(offer(job), List.of(), null, List.of());
    }
    int free = Math.max(0, Math.min(array.limit() - array.live(), array.queued()));
    List<Offer> waiting = waiting(job, array);
    if (!ElementDependencies.has(job)) {
      return new Outcome(waiting.stream().limit(free).toList(), List.of(), null, List.of());
    }
    return ElementDependencies.of(
            job,
            dependency ->
                jobs.find(job.tenant(), dependency.job())
                    .map(other ->
                        new ElementDependencies.Array(
                            other.name(),
                            other.run(),
                            jobs.elements(other.id(), 0, Integer.MAX_VALUE)))
                    .orElse(null))
        .split(waiting, free);
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
  private List<Offer> waiting(Job job, ArrayProgress array) {
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
    Instant now = jobs.now();
    return offers.stream()
        .sorted(Comparator.comparing((Offer o) -> later(o, now)).thenComparingInt(Offer::index))
        .toList();
  }

  private static boolean later(Offer offer, Instant now) {
    return offer.retryAt() != null && offer.retryAt().isAfter(now);
  }
}
