package dev.fairlead.work.job;

import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.job.Transition.AllocationChange;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Requests and reports of admission checks of waiting jobs. Pure. Empty results mean that nothing
 * changes.
 */
public final class CheckTransitions {
  private CheckTransitions() {}

  /**
   * A report of a check controller.
   *
   * @param request version of the job that it judged, as requested
   * @param retryAfter time until the next request, read with RETRY only
   */
  public record Report(
      String check, JobCheck.State state, long request, String message, Duration retryAfter) {
    /** Returns whether the check has this result of this request already. */
    public boolean repeats(JobCheck stored) {
      return stored.name().equals(check)
          && stored.request() == request
          && stored.state() == state
          && Objects.requireNonNullElse(stored.message(), "").equals(message);
    }
  }

  /**
   * Checks of this list to request for the next attempt: without a current request, or with a due
   * retry.
   */
  public static List<String> due(Job job, List<String> named, Instant now) {
    return named.stream()
        .filter(name ->
            job.checks().stream()
                .noneMatch(
                    check -> check.name().equals(name) && job.current(check) && !check.due(now)))
        .toList();
  }

  /**
   * Requests the due checks. Checks that the queue no longer names are dropped.
   *
   * @param named checks of the queue
   */
  public static Optional<Transition> ask(Job job, List<String> named, Instant now, String actor) {
    List<String> due = due(job, named, now);
    if (due.isEmpty() || !waits(job)) {
      return Optional.empty();
    }
    List<JobCheck> checks = new ArrayList<>();
    job.checks().stream()
        .filter(
            each -> job.current(each) && named.contains(each.name()) && !due.contains(each.name()))
        .forEach(checks::add);
    List<Fact> facts = new ArrayList<>();
    long request = job.version() + 1;
    for (String name : due) {
      checks.add(
          new JobCheck(
              name, JobCheck.State.PENDING, job.checkedAttempt(), request, now, null, null));
      facts.add(Fact.of(EventTypes.CHECK_REQUESTED).with("check", name).with("request", request));
    }
    return Optional.of(stored(job, checks, facts, actor));
  }

  /**
   * Applies the report of a controller. A rejection fails the job, or all waiting elements of an
   * array. The result is empty if the job no longer waits for this request, because it started,
   * ended or changed, or because the check was requested again.
   */
  public static Optional<Transition> report(Job job, Report report, Instant now, String actor) {
    List<JobCheck> checks = new ArrayList<>(job.checks());
    boolean asked = false;
    for (int i = 0; i < checks.size(); i++) {
      JobCheck check = checks.get(i);
      if (check.name().equals(report.check())
          && check.request() == report.request()
          && job.current(check)
          && !check.due(now)) {
        asked = true;
        checks.set(
            i,
            new JobCheck(
                check.name(),
                report.state(),
                check.attempt(),
                check.request(),
                now,
                report.message(),
                report.state() == JobCheck.State.RETRY ? now.plus(report.retryAfter()) : null));
      }
    }
    if (!asked || !waits(job)) {
      return Optional.empty();
    }
    Fact fact =
        Fact.of(EventTypes.CHECK_REPORTED)
            .with("check", report.check())
            .with("request", report.request())
            .with("state", report.state().name())
            .with("message", report.message());
    if (report.state() != JobCheck.State.REJECTED) {
      return Optional.of(stored(job, checks, List.of(fact), actor));
    }
    String why = "admission check '%s' rejected it".formatted(report.check());
    Failure failure =
        Failure.of(
            FailureCause.CHECK_REJECTED,
            report.message().isEmpty() ? why : why + ": " + report.message(),
            job.run().attempts());
    return JobTransitions.unstarted(job.checkedBy(checks), failure, now, actor)
        .map(ended -> ended.after(fact));
  }

  private static boolean waits(Job job) {
    return job.array() == null
        ? job.state() == JobState.QUEUED
        : (job.state() == JobState.QUEUED || job.state() == JobState.RUNNING)
            && job.array().queued() > 0;
  }

  private static Transition stored(Job job, List<JobCheck> checks, List<Fact> facts, String actor) {
    Job next = job.checkedBy(checks).next(job.run(), job.array());
    return new Transition(next, List.of(), null, AllocationChange.KEEP, facts, actor);
  }
}
