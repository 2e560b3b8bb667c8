package dev.fairlead.trace;

import dev.fairlead.identity.Sha256;
import dev.fairlead.job.Attempt;
import dev.fairlead.job.AttemptState;
import dev.fairlead.job.Failure;
import dev.fairlead.job.Job;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The trace of a job: {@code job}, from its submit until it first ran, and below it {@code queue},
 * {@code launch} and {@code start} of each attempt, later {@code run}. All is said by its rows, and
 * ids are made of theirs, so whoever tells of a stage again tells the same.
 */
public final class JobTrace {
  private final Job job;
  private final Attempt attempt;
  private final TraceContext root;
  private final @Nullable String above;

  private JobTrace(Job job, Attempt attempt, double ratio) {
    this.job = job;
    this.attempt = attempt;
    String digits = Sha256.hex(job.id().text());
    Optional<TraceContext> given =
        Optional.ofNullable(job.spec().annotations().get(TraceContext.ANNOTATION))
            .flatMap(TraceContext::parse);
    this.above = given.map(TraceContext::span).orElse(null);
    this.root =
        given
            .orElseGet(() -> TraceContext.begin(digits.substring(0, 32), ratio))
            .below(digits.substring(48));
  }

  /**
   * How it came to run, to be asked for when it does.
   *
   * @param ratio part of the traces that is kept of jobs that came without a context, 0 to 1
   * @return none when the trace is not kept
   */
  public static List<JobSpan> beginning(Job job, Attempt attempt, double ratio) {
    JobTrace trace = new JobTrace(job, attempt, ratio);
    Instant started = attempt.startedAt();
    return started == null || !trace.root.sampled() ? List.of() : trace.until(started, null);
  }

  /** How long it ran, or how far it came; as {@link #beginning}, to be asked for when it ended. */
  public static List<JobSpan> ending(Job job, Attempt attempt, double ratio) {
    JobTrace trace = new JobTrace(job, attempt, ratio);
    Instant started = attempt.startedAt();
    Instant ended = attempt.endedAt();
    if (ended == null || !trace.root.sampled()) {
      return List.of();
    }
    String failure = trace.failure();
    return started == null
        ? trace.until(ended, failure)
        : List.of(trace.span("run", started, ended, failure));
  }

  private List<JobSpan> until(Instant end, @Nullable String failure) {
    List<JobSpan> spans = new ArrayList<>();
    if (attempt.number() == 1 && attempt.element() == 0) {
      spans.add(
          new JobSpan(root, above, "job", false, job.createdAt(), end, attributes(), failure));
      spans.add(span("queue", job.createdAt(), attempt.createdAt(), null));
    }
    Instant launched = attempt.launchedAt();
    Instant sent = launched == null ? attempt.createdAt() : launched;
    spans.add(span("launch", attempt.createdAt(), sent, null));
    spans.add(span("start", sent, end, failure));
    return spans;
  }

  private JobSpan span(String name, Instant start, Instant end, @Nullable String failure) {
    String id = Sha256.hex(attempt.id().text() + name).substring(48);
    Instant last = end.isBefore(start) ? start : end;
    return new JobSpan(
        root.below(id), root.span(), name, false, start, last, attributes(), failure);
  }

  private @Nullable String failure() {
    Failure failure = attempt.failure();
    if (attempt.state() == AttemptState.SUCCEEDED) {
      return null;
    }
    return failure == null ? attempt.state().name() : failure.cause().name();
  }

  private SortedMap<String, String> attributes() {
    SortedMap<String, String> said = new TreeMap<>();
    said.put("fairlead.job", job.id().text());
    said.put("fairlead.job.name", job.name());
    said.put("fairlead.project", job.project().text());
    said.put("fairlead.queue", job.queue().text());
    said.put("fairlead.attempt", attempt.id().text());
    said.put("fairlead.attempt.number", String.valueOf(attempt.number()));
    said.put("fairlead.cluster", attempt.cluster().text());
    said.put("fairlead.members", String.valueOf(attempt.members().size()));
    if (job.array() != null) {
      said.put("fairlead.element", String.valueOf(attempt.element()));
    }
    return said;
  }
}
