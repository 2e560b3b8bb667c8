package dev.fairlead.work.publisher;

import dev.fairlead.kernel.identity.Sha256;
import dev.fairlead.kernel.trace.JobSpan;
import dev.fairlead.kernel.trace.JobSpanBuilder;
import dev.fairlead.kernel.trace.TraceContext;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The trace of a job: {@code job}, from its submit until it first ran or ended, and below it {@code
 * queue}, {@code launch}, {@code start} and {@code run} of its attempts. All data comes from its
 * rows, and ids are derived from the ids of rows, so that a repeated stage is the same span.
 */
public final class JobTrace {
  private final Job job;
  private final TraceContext root;
  private final @Nullable String above;

  /**
   * Spans of a job.
   *
   * @param ratio sampled part of the traces of jobs without a submitted context, 0 to 1
   */
  public JobTrace(Job job, double ratio) {
    this.job = job;
    SortedMap<String, String> said = job.spec().annotations();
    Optional<TraceContext> given =
        Optional.ofNullable(said.getOrDefault(TraceContext.REQUEST, said.get(TraceContext.PARENT)))
            .flatMap(TraceContext::parse);
    String digits = Sha256.hex(job.id().text());
    this.above = given.map(TraceContext::span).orElse(null);
    this.root =
        given
            .orElseGet(() -> TraceContext.begin(digits.substring(0, 32), ratio))
            .below(digits.substring(48));
  }

  /**
   * Returns the stages until the attempt runs. Called when it runs. Returns none for an unsampled
   * trace.
   */
  public List<JobSpan> running(Attempt attempt) {
    Instant started = attempt.startedAt();
    if (started == null || !root.sampled()) {
      return List.of();
    }
    List<JobSpan> spans = until(attempt, started, null);
    Instant first = job.run().startedAt();
    if (first != null && !started.isAfter(first)) {
      spans.addFirst(job(started, null, attributes(attempt)));
    }
    return spans;
  }

  /** Runtime or progress of the attempt, read when it ended. */
  public List<JobSpan> ended(Attempt attempt) {
    Instant started = attempt.startedAt();
    Instant ended = attempt.endedAt();
    if (ended == null || !root.sampled()) {
      return List.of();
    }
    String failure =
        attempt.state() == AttemptState.SUCCEEDED
            ? null
            : failure(attempt.failure(), attempt.state());
    return started == null
        ? until(attempt, ended, failure)
        : List.of(span("run", attempt, started, ended, failure));
  }

  /**
   * Returns the spans of an ended job that was never observed running. Callers use this method when
   * a job has ended.
   */
  public List<JobSpan> ended() {
    Instant ended = job.run().endedAt();
    Instant started = job.run().startedAt();
    /* An attempt that ended before it was seen running counts as started at its end. */
    boolean told = started != null && (ended == null || started.isBefore(ended));
    if (ended == null || told || !root.sampled()) {
      return List.of();
    }
    String failure =
        job.state() == JobState.SUCCEEDED ? null : failure(job.run().failure(), job.state());
    return List.of(job(ended, failure, attributes()));
  }

  private List<JobSpan> until(Attempt attempt, Instant end, @Nullable String failure) {
    List<JobSpan> spans = new ArrayList<>();
    if (attempt.number() == 1) {
      spans.add(span("queue", attempt, job.createdAt(), attempt.createdAt(), null));
    }
    Instant launched = attempt.launchedAt();
    Instant sent = launched == null ? attempt.createdAt() : launched;
    spans.add(span("launch", attempt, attempt.createdAt(), sent, null));
    spans.add(span("start", attempt, sent, end, failure));
    return spans;
  }

  private JobSpan job(Instant end, @Nullable String failure, SortedMap<String, String> attributes) {
    return JobSpanBuilder.builder()
        .context(root)
        .parent(above)
        .name("job")
        .server(false)
        .start(job.createdAt())
        .end(end)
        .attributes(attributes)
        .failure(failure)
        .build();
  }

  private JobSpan span(
      String name, Attempt attempt, Instant start, Instant end, @Nullable String failure) {
    String id = Sha256.hex(attempt.id().text() + name).substring(48);
    Instant last = end.isBefore(start) ? start : end;
    return JobSpanBuilder.builder()
        .context(root.below(id))
        .parent(root.span())
        .name(name)
        .server(false)
        .start(start)
        .end(last)
        .attributes(attributes(attempt))
        .failure(failure)
        .build();
  }

  private static String failure(@Nullable Failure failure, Enum<?> state) {
    return failure == null ? state.name() : failure.cause().name();
  }

  private SortedMap<String, String> attributes() {
    SortedMap<String, String> said = new TreeMap<>();
    said.put("fairlead.job", job.id().text());
    said.put("fairlead.job.name", job.name());
    said.put("fairlead.project", job.project().text());
    said.put("fairlead.queue", job.queue().text());
    return said;
  }

  private SortedMap<String, String> attributes(Attempt attempt) {
    SortedMap<String, String> said = attributes();
    said.put("fairlead.attempt", attempt.id().text());
    said.put("fairlead.attempt.number", String.valueOf(attempt.number()));
    said.put("fairlead.cluster", attempt.cluster().text());
    said.put("fairlead.members", String.valueOf(attempt.withFinished().size()));
    if (job.array() != null) {
      said.put("fairlead.element", String.valueOf(attempt.element()));
    }
    return said;
  }
}
