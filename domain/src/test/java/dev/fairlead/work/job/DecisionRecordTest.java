package dev.fairlead.work.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Explanation;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DecisionRecordTest {
  private final TestWorld world = TestWorld.in(MemoryStores.empty(7));

  /** Fails when only ordered stops count as evictions, or all stops by the cluster do. */
  @ParameterizedTest
  @CsvSource({
    "LOST, NODE_FAILURE, LOSS",
    "LOST, CLUSTER_LOST, LOSS",
    "FAILED, NODE_FAILURE, LOSS",
    "EVICTED, EVICTED, EVICTION",
    "EVICTED, PLACEMENT_CONFLICT,",
    "FAILED, USER_ERROR,"
  })
  void immediateEndIsRecordedWithItsFailure(
      AttemptState end, FailureCause failure, StopCause recorded) {
    Attempt attempt = world.run(world.place(world.submit(Specs.job("train"))));

    Transition ended =
        world.move(attempt, new AttemptEvent.Ended(end, Failure.of(failure, "why", 1)));

    assertThat(DecisionRecord.eviction(ended).map(DecisionRecord.Evicted::cause).orElse(null))
        .isEqualTo(recorded);
  }

  @Test
  void gpuFaultThatEndsAnAttemptImmediatelyIsAnIsolation() {
    Attempt attempt = world.run(world.place(world.submit(Specs.job("train"))));
    Failure fault = Failure.ofIncident("XID 79", 1, "worker-0", "n0", "GPU-1", "inc_1");

    Transition ended = world.move(attempt, new AttemptEvent.Ended(AttemptState.FAILED, fault));

    assertThat(DecisionRecord.eviction(ended))
        .map(DecisionRecord.Evicted::cause)
        .contains(StopCause.ISOLATION);
  }

  /** Fails when the ends of the other members hide the eviction that caused them. */
  @Test
  void evictionOfOneMemberIsRecordedAsAnEvictionOfTheGang() {
    Attempt attempt = world.run(world.place(world.submit(Specs.job("train"))));
    Failure evicted = Failure.of(FailureCause.EVICTED, "out of disk", 1);
    AttemptEvent.Stop stop =
        new AttemptEvent.Stop(
            StopCause.MEMBER_FAILED, evicted, world.now().plus(Duration.ofSeconds(30)));
    Transition told = world.move(attempt, stop);
    world.apply(attempt, stop);

    Transition ended =
        world.move(told.attempt(), new AttemptEvent.Ended(AttemptState.EVICTED, evicted));

    assertThat(DecisionRecord.eviction(told)).isEmpty();
    assertThat(DecisionRecord.eviction(ended))
        .map(DecisionRecord.Evicted::cause)
        .contains(StopCause.EVICTION);
  }

  /** Fails when a first start counts as a return, or each check of a hidden attempt as a loss. */
  @Test
  void attemptIsUnreachableFromItsLossToItsReturn() {
    Attempt attempt = world.run(world.place(world.submit(Specs.job("train"))));

    Transition lost = world.move(attempt, new AttemptEvent.Unreachable());
    Attempt unknown = world.apply(attempt, new AttemptEvent.Unreachable());
    Transition back = world.move(unknown, new AttemptEvent.Seen(AttemptState.RUNNING));

    assertThat(DecisionRecord.sight(lost))
        .map(DecisionRecord.Unreachable::kind)
        .contains(DecisionRecord.Kind.UNREACHABLE);
    assertThat(DecisionRecord.sight(lost).orElseThrow().members())
        .isEqualTo(attempt.members().size());
    assertThat(DecisionRecord.sight(back))
        .map(DecisionRecord.Unreachable::kind)
        .contains(DecisionRecord.Kind.REACHABLE);
    assertThat(DecisionRecord.eviction(lost)).isEmpty();
  }

  /** Fails when a lost cluster writes a row for each element of an array. */
  @Test
  void elementsLostTogetherAreOneRecord() {
    JobId job = world.submit(Specs.job("sweep")).id();

    List<DecisionRecord> together =
        DecisionRecord.together(List.of(unreachable(job, 7, "n2"), unreachable(job, 3, "n1")));

    assertThat(together)
        .extracting(DecisionRecord::body)
        .containsExactly(
            new DecisionRecord.Unreachable(
                false, 3, 2, 1, world.cluster().id(), 4, List.of("n1", "n2")));
  }

  private DecisionRecord unreachable(JobId job, int element, String node) {
    return new DecisionRecord(
        job,
        world.now(),
        new DecisionRecord.Unreachable(
            false, element, 1, 1, world.cluster().id(), 2, List.of(node)));
  }

  /** Fails when a drained array writes a row for each element. */
  @Test
  void elementsWaitingForTheSameReasonAreOneRecord() {
    JobId job = world.submit(Specs.job("sweep")).id();

    List<DecisionRecord> together =
        DecisionRecord.together(
            List.of(
                evicted(job, 4, StopCause.DRAIN),
                evicted(job, 2, StopCause.DRAIN),
                evicted(job, 3, StopCause.ISOLATION)));

    assertThat(together)
        .extracting(DecisionRecord::body)
        .containsExactly(
            new DecisionRecord.Evicted(2, 2, 1, StopCause.DRAIN, null, "why 2", 16, null, null),
            new DecisionRecord.Evicted(3, 1, 1, StopCause.ISOLATION, null, "why 3", 8, null, null));
  }

  private DecisionRecord evicted(JobId job, int element, StopCause cause) {
    return new DecisionRecord(
        job,
        world.now(),
        new DecisionRecord.Evicted(element, 1, 1, cause, null, "why " + element, 8, null, null));
  }

  @Test
  void longTextsAreTruncated() {
    String endless = "x".repeat(DecisionRecord.TEXT - 1) + "\uD83D\uDE00" + "x";
    Blocker.Scope scope = new Blocker.Scope(Blocker.Scope.Kind.FLEET, "");
    Blocker blocker = new Blocker(Reason.CAPACITY, scope, endless, new TreeMap<>(), endless);
    Explanation why = new Explanation(world.now(), List.of(blocker), List.of(), List.of(), null);

    Blocker cut = DecisionRecord.Waited.of(why, true).explanation().first();

    assertThat(cut.message()).as("no half of a character").isEqualTo("x".repeat(499));
    assertThat(cut.action()).isEqualTo(cut.message());
  }
}
