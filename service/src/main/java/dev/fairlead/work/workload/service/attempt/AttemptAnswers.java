package dev.fairlead.work.workload.service.attempt;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptCredential;
import dev.fairlead.work.attempt.CheckpointLimit;
import dev.fairlead.work.job.CheckpointTransitions;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobStore;
import dev.fairlead.work.job.JobWriter;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.progress.ProgressStore;
import dev.fairlead.work.spec.ProgressSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** What attempts say of themselves, each with its own credential. */
@Service
public class AttemptAnswers {
  private final Transactions transactions;
  private final JobStore jobs;
  private final JobWriter writer;
  private final ProgressStore progress;
  private final Duration longest;

  public AttemptAnswers(
      Transactions transactions,
      JobStore jobs,
      JobWriter writer,
      ProgressStore progress,
      CheckpointLimit limit) {
    this.transactions = transactions;
    this.jobs = jobs;
    this.writer = writer;
    this.progress = progress;
    this.longest = limit.longest();
  }

  /** What is said of a job and its attempt; empty when they do not take it. */
  @FunctionalInterface
  private interface Said {
    Optional<Transition> of(Job job, Attempt attempt, Instant now);
  }

  /**
   * The work of the attempt up to now can be taken up again; one that was asked to save it is
   * stopped.
   *
   * @param text id of the attempt in the path
   * @param position where the work stands, null when it does not say
   * @throws Refusal NOT_FOUND for any attempt but the bearer's, and for that one when it has ended;
   *     ILLEGAL_STATE while it does not run
   */
  public Attempt saved(AttemptCredential by, String text, @Nullable String position) {
    return said(
        by,
        text,
        "It does not run.",
        (job, attempt, now) -> CheckpointTransitions.saved(job, attempt, position, now));
  }

  /**
   * The attempt was asked to save its work and is waited for so much longer from now, as far as the
   * operator's longest time and the time of its job allow.
   *
   * @throws Refusal as {@link #saved}; ILLEGAL_STATE when it is not waited for
   */
  public Attempt extended(AttemptCredential by, String text, Duration more) {
    return said(
        by,
        text,
        "It was not asked to save its work, or the wait for that is over.",
        (job, attempt, now) -> CheckpointTransitions.extended(job, attempt, more, longest, now));
  }

  /**
   * The attempt gets on. Nothing of its job is locked or changed.
   *
   * @return until when it may be silent; null while it is not watched: it does not run yet, or its
   *     cluster has no address for calls
   * @throws Refusal NOT_FOUND as {@link #saved}; ILLEGAL_STATE for a job that does not say how
   *     often it calls
   */
  public @Nullable Instant progressed(AttemptCredential by, String text) {
    return transactions.call(() -> {
      if (!by.attempt().text().equals(text)) {
        throw notFound();
      }
      Job job = jobs.find(by.tenant(), by.job()).orElseThrow(AttemptAnswers::notFound);
      Attempt attempt = attempt(by);
      ProgressSpec asked = job.spec().progress();
      if (asked == null) {
        throw new Refusal(
            ProblemCode.ILLEGAL_STATE,
            "The attempt cannot say this. Its job has no progress: give progress.timeout at the"
                + " submit.");
      }
      Instant now = jobs.now();
      return progress.called(by.tenant(), attempt.id(), now) ? now.plus(asked.timeout()) : null;
    });
  }

  /** What changes nothing locks nothing: an array may have thousands that say so. */
  private Attempt said(AttemptCredential by, String text, String otherwise, Said said) {
    return transactions.call(() -> {
      if (!by.attempt().text().equals(text)) {
        throw notFound();
      }
      Job seen = jobs.find(by.tenant(), by.job()).orElseThrow(AttemptAnswers::notFound);
      Attempt before = attempt(by);
      if (before.equals(judged(seen, before, otherwise, said).attempt())) {
        return before;
      }
      Job job =
          jobs.lock(List.of(seen.id())).stream().findFirst().orElseThrow(AttemptAnswers::notFound);
      Attempt now = attempt(by);
      Transition transition = judged(job, now, otherwise, said);
      if (!now.equals(transition.attempt())) {
        writer.write(List.of(transition));
      }
      return Objects.requireNonNull(transition.attempt());
    });
  }

  private Attempt attempt(AttemptCredential by) {
    return jobs.attempts(List.of(by.attempt())).stream()
        .filter(found -> found.live() && found.job().equals(by.job()))
        .findFirst()
        .orElseThrow(AttemptAnswers::notFound);
  }

  private Transition judged(Job job, Attempt attempt, String otherwise, Said said) {
    return said.of(job, attempt, jobs.now())
        .orElseThrow(() ->
            new Refusal(ProblemCode.ILLEGAL_STATE, "The attempt cannot say this. " + otherwise));
  }

  /** The same for another's, for one that has ended and for one that never was. */
  private static Refusal notFound() {
    return new Refusal(
        ProblemCode.NOT_FOUND, "This credential speaks for no attempt of this id that lives.");
  }
}
