package dev.fairlead.work.job;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests and reports of admission checks. */
class CheckTransitionsTest {
  private static final List<String> NAMED = List.of("budget", "review");

  private final TestWorld world = TestWorld.in(MemoryStores.empty(1));
  private Job job;

  @BeforeEach
  void aJobWhoseChecksAreRequested() {
    Job queued = world.newJob(Specs.job("a").build());
    job = CheckTransitions.ask(queued, NAMED, world.now(), "scheduler").orElseThrow().job();
  }

  private Optional<Transition> report(
      Job of, String check, JobCheck.State state, long request, Instant at) {
    return CheckTransitions.report(
        of,
        new CheckTransitions.Report(check, state, request, "why", Duration.ofMinutes(5)),
        at,
        "controller");
  }

  private Job reported(String check, JobCheck.State state) {
    return report(job, check, state, job.version(), world.now()).orElseThrow().job();
  }

  @Test
  void eachRequestIsAnEventAndIsNotRepeated() {
    assertThat(job.checks()).allMatch(check -> check.state() == JobCheck.State.PENDING);
    assertThat(CheckTransitions.ask(job, NAMED, world.now(), "scheduler")).isEmpty();
    assertThat(job.unchecked(NAMED)).isEqualTo(NAMED);
  }

  @Test
  void jobIsAdmittedWhenTheLastCheckIsReady() {
    job = reported("budget", JobCheck.State.READY);
    assertThat(job.unchecked(NAMED)).containsExactly("review");
    Job both =
        report(job, "review", JobCheck.State.READY, job.version() - 1, world.now())
            .orElseThrow()
            .job();
    assertThat(both.unchecked(NAMED)).isEmpty();
    assertThat(both.unchecked(List.of("another"))).containsExactly("another");
  }

  /** Fails when an answer to an old request or from an unknown check counts. */
  @Test
  void onlyTheCurrentRequestIsAnswered() {
    Instant now = world.now();
    assertThat(report(job, "budget", JobCheck.State.READY, job.version() - 1, now)).isEmpty();
    assertThat(report(job, "other", JobCheck.State.READY, job.version(), now)).isEmpty();
  }

  /** Fails when a check waits for hours because the clock was ahead when its retry was stored. */
  @Test
  void retryIsRequestedImmediatelyAfterTheClockIsSetBack() {
    Job waits = reported("budget", JobCheck.State.RETRY);
    Instant setBack = world.now().minus(Duration.ofHours(3));
    assertThat(CheckTransitions.due(waits, NAMED, setBack)).contains("budget");
  }

  @Test
  void retryIsRequestedWhenItIsDue() {
    Job waits = reported("budget", JobCheck.State.RETRY);
    Instant early = world.now().plus(Duration.ofMinutes(4));
    Instant due = world.now().plus(Duration.ofMinutes(5));

    assertThat(CheckTransitions.due(waits, NAMED, early)).isEmpty();
    assertThat(CheckTransitions.due(waits, NAMED, due)).containsExactly("budget");
    assertThat(report(waits, "budget", JobCheck.State.READY, job.version(), due)).isEmpty();
    Transition again = CheckTransitions.ask(waits, NAMED, due, "scheduler").orElseThrow();
    assertThat(again.facts()).extracting(Fact::type).containsExactly("JobCheckRequested");
    assertThat(again.job().checks())
        .extracting(JobCheck::request)
        .containsExactlyInAnyOrder(job.version(), again.job().version());
  }

  @Test
  void aRejectionFailsTheJobWithItsCause() {
    Transition ended =
        report(job, "review", JobCheck.State.REJECTED, job.version(), world.now()).orElseThrow();

    assertThat(ended.job().state()).isEqualTo(JobState.FAILED);
    assertThat(ended.job().run().failure().cause()).isEqualTo(FailureCause.CHECK_REJECTED);
    assertThat(ended.job().run().failure().message())
        .satisfies(reason("check-transitions.admission-check-review-rejected", "review"));
    assertThat(ended.facts())
        .extracting(Fact::type)
        .containsExactly("JobCheckReported", "JobFailed");
  }

  /** Fails when a rejection ends running elements, or does not end waiting elements. */
  @Test
  void aRejectionFailsTheWaitingElementsOfAnArray() {
    Job array = world.newJob(Specs.job("array").array("0-3").build());
    Job asked = CheckTransitions.ask(array, NAMED, world.now(), "scheduler").orElseThrow().job();

    Job ended =
        report(asked, "budget", JobCheck.State.REJECTED, asked.version(), world.now())
            .orElseThrow()
            .job();

    assertThat(asked.checks()).allMatch(check -> check.attempt() == 0);
    assertThat(ended.array().failed()).isEqualTo(4);
    assertThat(ended.state()).isEqualTo(JobState.FAILED);
  }

  @Test
  void jobThatIsNotWaitingIsNeitherCheckedNorReported() {
    Job suspended =
        OwnerTransitions.suspend(job, List.of(), world.now(), "ana").orElseThrow().getLast().job();

    assertThat(report(suspended, "budget", JobCheck.State.READY, job.version(), world.now()))
        .isEmpty();
    assertThat(CheckTransitions.ask(suspended, List.of("new"), world.now(), "s")).isEmpty();
  }
}
