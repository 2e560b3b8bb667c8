package dev.fairlead.work.workload.service.attempt;

import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptCredential;
import dev.fairlead.work.attempt.CheckpointLimit;
import dev.fairlead.work.job.CheckpointTransitions;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.output.OutputStore;
import dev.fairlead.work.output.Outputs;
import dev.fairlead.work.output.Progress;
import dev.fairlead.work.progress.ProgressStore;
import dev.fairlead.work.spec.ProgressSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Handles calls of attempts, each with its own credential. */
@Service
public class AttemptAnswers {
  private final Transactions transactions;
  private final JobStore jobs;
  private final JobWriter writer;
  private final ProgressStore progress;
  private final OutputStore outputs;
  private final Duration longest;

  public AttemptAnswers(
      Transactions transactions,
      JobStore jobs,
      JobWriter writer,
      ProgressStore progress,
      OutputStore outputs,
      CheckpointLimit limit) {
    this.transactions = transactions;
    this.jobs = jobs;
    this.writer = writer;
    this.progress = progress;
    this.outputs = outputs;
    this.longest = limit.longest();
  }

  /** Applies a call to a job and its attempt. Empty if they do not accept it. */
  @FunctionalInterface
  private interface Said {
    Optional<Transition> of(Job job, Attempt attempt, Instant now);
  }

  /**
   * The work of the attempt so far is saved. An attempt with a request to save its work is stopped.
   *
   * @param text id of the attempt in the path
   * @param position progress of the work, null if unknown
   * @throws Refusal NOT_FOUND for any attempt except the bearer's, and for that one after its end,
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
   * Extends the wait for a requested checkpoint, from now, within the operator's maximum time and
   * the time of the job.
   *
   * @throws Refusal as {@link #saved}, ILLEGAL_STATE when no checkpoint is pending
   */
  public Attempt extended(AttemptCredential by, String text, Duration more) {
    return said(
        by,
        text,
        "It has no pending checkpoint request, or the checkpoint timeout has expired.",
        (job, attempt, now) -> CheckpointTransitions.extended(job, attempt, more, longest, now));
  }

  /**
   * The attempt makes progress. Neither locks nor changes its job.
   *
   * @param reported its numbers, which replace those of the last report
   * @return time until which it may be silent, null while it is not watched: it does not run yet,
   *     or its cluster has no address for calls
   * @throws Refusal NOT_FOUND as {@link #saved}, ILLEGAL_STATE for a job without a progress timeout
   */
  public @Nullable Instant progressed(AttemptCredential by, String text, Progress reported) {
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
            "The attempt cannot report this. Its job does not report progress: set"
                + " progress.timeout when you submit it.");
      }
      Instant now = jobs.now();
      return progress.called(by.tenant(), attempt.id(), reported, now)
          ? now.plus(asked.timeout())
          : null;
    });
  }

  /**
   * Adds outputs of the attempt, and replaces the values of existing names.
   *
   * @param given values by name
   * @return all outputs of the attempt
   * @throws Refusal NOT_FOUND as {@link #saved}, INVALID_FIELD for a name that the job does not
   *     declare, LIMIT_EXCEEDED if all outputs together are too large
   */
  public SortedMap<String, String> output(
      AttemptCredential by, String text, SortedMap<String, String> given) {
    return transactions.call(() -> {
      if (!by.attempt().text().equals(text)) {
        throw notFound();
      }
      Job job = jobs.find(by.tenant(), by.job()).orElseThrow(AttemptAnswers::notFound);
      declared(job, given);
      SortedMap<String, String> all =
          outputs.lock(by.tenant(), job.id(), by.attempt()).orElseThrow(AttemptAnswers::notFound);
      SortedMap<String, String> before = new TreeMap<>(all);
      all.putAll(given);
      int bytes = Outputs.bytes(all);
      if (bytes > Outputs.MOST_BYTES) {
        throw new Refusal(
            ProblemCode.LIMIT_EXCEEDED,
            ("The outputs of a job can have at most %d bytes in total, not %d. Store the data"
                    + " elsewhere and report its URL.")
                .formatted(Outputs.MOST_BYTES, bytes));
      }
      if (!all.equals(before)) {
        outputs.write(by.tenant(), job.id(), by.attempt(), all);
      }
      return all;
    });
  }

  private static void declared(Job job, SortedMap<String, String> given) {
    List<String> names = job.spec().outputs();
    List<FieldProblem> unknown =
        given.keySet().stream()
            .filter(name -> !names.contains(name))
            .map(name ->
                new FieldProblem(
                    "/" + name,
                    ProblemCode.INVALID_FIELD,
                    "The job declares no output \"%s\". Its outputs: %s."
                        .formatted(name, names.isEmpty() ? "none" : String.join(", ", names)),
                    null))
            .toList();
    if (!unknown.isEmpty()) {
      throw new Refusal(ProblemCode.INVALID_FIELD, unknown.getFirst().detail(), unknown);
    }
  }

  /**
   * The job of the attempt, for the code that its members fetch.
   *
   * @throws Refusal NOT_FOUND as {@link #saved}
   */
  public Job job(AttemptCredential by, String text) {
    return transactions.call(() -> {
      if (!by.attempt().text().equals(text)) {
        throw notFound();
      }
      Job job = jobs.find(by.tenant(), by.job()).orElseThrow(AttemptAnswers::notFound);
      Attempt _ = attempt(by);
      return job;
    });
  }

  /** Locks only if something changes, because an array may have thousands of callers. */
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
            new Refusal(ProblemCode.ILLEGAL_STATE, "The attempt cannot report this. " + otherwise));
  }

  /** The same refusal for a foreign, an ended and an unknown attempt. */
  private static Refusal notFound() {
    return new Refusal(
        ProblemCode.NOT_FOUND, "This credential does not belong to a live attempt with this id.");
  }
}
