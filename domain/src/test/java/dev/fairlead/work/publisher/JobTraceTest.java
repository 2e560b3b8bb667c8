package dev.fairlead.work.publisher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.trace.JobSpan;
import dev.fairlead.kernel.trace.TraceContext;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class JobTraceTest {
  private static final String PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);

  private List<JobSpan> spans(Attempt attempt, double ratio) {
    return new JobTrace(world.jobOf(attempt), ratio).running(world.attempt(attempt));
  }

  private List<JobSpan> ending(Attempt attempt) {
    return new JobTrace(world.jobOf(attempt), 1).ended(world.attempt(attempt));
  }

  @Test
  void runningJobIsOneTraceFromItsSubmit() {
    Job job = world.submit(Specs.job("train"));
    Attempt attempt = world.run(world.place(job));

    List<JobSpan> spans = spans(attempt, 1);

    assertThat(spans).extracting(JobSpan::name).containsExactly("job", "queue", "launch", "start");
    assertThat(spans).extracting(span -> span.context().trace()).containsOnly(trace(spans));
    JobSpan root = spans.getFirst();
    assertThat(root.parent()).isNull();
    assertThat(root.start()).isEqualTo(job.createdAt());
    assertThat(root.end()).isEqualTo(spans.getLast().end());
    assertThat(spans.subList(1, 4)).extracting(JobSpan::parent).containsOnly(root.context().span());
    assertThat(spans).extracting(span -> span.context().span()).doesNotHaveDuplicates();
    assertThat(spans(attempt, 1)).isEqualTo(spans);
  }

  @Test
  void nextAttemptJoinsTheTraceAndAnEndReportsItsRuntime() {
    Job job = world.submit(Specs.job("train"));
    Attempt first = world.run(world.place(job));
    String trace = trace(spans(first, 1));
    world.fail(first, FailureCause.NODE_FAILURE);

    assertThat(spans(first, 1)).as("told late").extracting(JobSpan::name).contains("job", "start");
    JobSpan run = ending(first).getFirst();
    assertThat(run.name()).isEqualTo("run");
    assertThat(run.failure()).isEqualTo("NODE_FAILURE");
    stores.advance(Duration.ofMinutes(1));
    List<JobSpan> second = spans(world.run(world.place(world.job(job))), 1);
    assertThat(second).extracting(JobSpan::name).containsExactly("launch", "start");
    assertThat(trace(second)).isEqualTo(trace);
  }

  /** Fails when an abandoned placement ends the span of its job, or marks it as failed. */
  @Test
  void attemptThatNeverRanHasASpanUntilItsFailureAndTheNextOneTracesTheJob() {
    Job job = world.submit(Specs.job("train"));
    Attempt attempt = world.place(job);
    world.apply(attempt, new AttemptEvent.Launch());
    world.fail(attempt, FailureCause.NODE_FAILURE);

    assertThat(spans(attempt, 1)).isEmpty();
    List<JobSpan> spans = ending(attempt);

    assertThat(spans).extracting(JobSpan::name).containsExactly("queue", "launch", "start");
    assertThat(spans.getLast().failure()).isEqualTo("NODE_FAILURE");
    List<JobSpan> second = spans(world.run(world.place(world.job(job))), 1);
    assertThat(second).extracting(JobSpan::name).containsExactly("job", "launch", "start");
    assertThat(second.getFirst().failure()).isNull();
  }

  @Test
  void jobCancelledWhileWaitingHasASpan() {
    Job job = world.submit(Specs.job("train"));
    assertThat(new JobTrace(job, 1).ended()).isEmpty();
    world.cancel(job);

    List<JobSpan> spans = new JobTrace(world.job(job), 1).ended();

    assertThat(spans).extracting(JobSpan::name).containsExactly("job");
    assertThat(spans.getFirst().failure()).isEqualTo("CANCELLED");
  }

  /** Fails when the spans of its attempt have a parent that is never sent. */
  @Test
  void jobThatEndedBeforeItWasSeenRunningHasASpan() {
    Job job = world.submit(Specs.job("short"));
    Attempt attempt = world.place(job);
    world.apply(attempt, new AttemptEvent.Launch());
    world.succeed(attempt);

    List<JobSpan> spans = new JobTrace(world.job(job), 1).ended();

    assertThat(spans).extracting(JobSpan::name).containsExactly("job");
    assertThat(spans.getFirst().failure()).isNull();
    assertThat(ending(attempt))
        .extracting(JobSpan::parent)
        .containsOnly(spans.getFirst().context().span());
  }

  @Test
  void submitRequestTakesPrecedenceOverTheTraceContextOfTheJob() {
    String request = "00-" + "a".repeat(32) + "-" + "b".repeat(16) + "-01";
    Job job =
        world.submit(
            Specs.job("train")
                .annotation(TraceContext.PARENT, PARENT)
                .annotation(TraceContext.REQUEST, request));

    assertThat(trace(spans(world.run(world.place(job)), 0))).isEqualTo("a".repeat(32));
  }

  @Test
  void traceContextOfTheJobIsContinued() {
    Job job = world.submit(Specs.job("train").annotation(TraceContext.PARENT, PARENT));
    Attempt attempt = world.run(world.place(job));

    List<JobSpan> spans = spans(attempt, 0.5);

    assertThat(trace(spans)).isEqualTo(PARENT.substring(3, 35));
    assertThat(spans.getFirst().parent()).isEqualTo(PARENT.substring(36, 52));
  }

  /** Fails when the caller's sampling decision, or the ratio, is ignored. */
  @Test
  void unsampledTraceHasNoSpans() {
    String unkept = PARENT.replace("-01", "-00");
    Job given = world.submit(Specs.job("given").annotation(TraceContext.PARENT, unkept));
    Job plain = world.submit(Specs.job("plain"));

    assertThat(spans(world.run(world.place(given)), 1)).isEmpty();
    assertThat(spans(world.run(world.place(plain)), 0)).isEmpty();
  }

  private static String trace(List<JobSpan> spans) {
    return spans.getFirst().context().trace();
  }
}
