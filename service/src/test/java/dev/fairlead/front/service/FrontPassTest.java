package dev.fairlead.front.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.front.FrontAnswer;
import dev.fairlead.front.FrontCondition;
import dev.fairlead.front.FrontJob;
import dev.fairlead.front.FrontRequest;
import dev.fairlead.front.SeenJob;
import dev.fairlead.kernel.problem.FieldProblem;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs of a front cluster, from their creation to their end on it. */
class FrontPassTest extends FrontHarness {
  @Test
  void jobRunsElsewhereAndCompletesWhereItWasCreated() {
    cluster.create(UID, "team-a", "train");
    pass(1);
    assertThat(jobs()).hasSize(1);
    assertThat(jobs().getFirst().name()).isEqualTo("train-0b5e1c1a");
    assertThat(jobs().getFirst().user()).endsWith("/team-a").startsWith("front/");
    assertThat(cluster.held(UID)).isTrue();
    assertThat(cluster.status(UID).is(FrontCondition.COMPLETE)).isFalse();

    pass(20);

    assertThat(jobs()).extracting(Job::state).containsExactly(JobState.SUCCEEDED);
    assertThat(cluster.status(UID).is(FrontCondition.COMPLETE)).isTrue();
    assertThat(cluster.status(UID).succeeded()).isEqualTo(1);
    assertThat(cluster.status(UID).active()).isZero();
    assertThat(cluster.held(UID)).as("nothing keeps it any more").isFalse();
    assertThat(taken()).isFalse();
    cluster.noCalls();
    pass(400);
    assertThat(cluster.calls()).as("calls about what is over").isZero();
    assertThat(jobs()).hasSize(1);
  }

  /**
   * Fails when the pods of an object that runs in place are started a second time on another
   * cluster.
   */
  @Test
  void theJobOfAnObjectInPlaceNamesTheObject() {
    cluster.create(UID, "team-a", "jobset/train");
    pass(1);

    assertThat(jobs()).extracting(Job::name).containsExactly("jobset-train-0b5e1c1a");
    assertThat(jobs().getFirst().spec().annotations())
        .containsEntry(SeenJob.IN_PLACE, "team-a/jobset/train/" + UID);
    cluster.create("another", "team-a", "train");
    pass(1);
    assertThat(jobs().getLast().spec().annotations()).doesNotContainKey(SeenJob.IN_PLACE);
  }

  /**
   * Fails when a Workload is mistaken for an object that another controller runs on its cluster.
   */
  @Test
  void aWorkloadRunsElsewhereUnderItsName() {
    cluster.create(UID, "team-a", "workload/train");
    pass(20);

    assertThat(jobs()).extracting(Job::name).containsExactly("train-0b5e1c1a");
    assertThat(jobs()).extracting(Job::state).containsExactly(JobState.SUCCEEDED);
    assertThat(jobs().getFirst().spec().annotations()).doesNotContainKey(SeenJob.IN_PLACE);
    assertThat(cluster.status(UID).is(FrontCondition.COMPLETE)).isTrue();
  }

  @Test
  void invalidWorkloadReportsEachFieldByItsPointer() {
    documents =
        (actor, project, json) -> {
          throw new Refusal(
              ProblemCode.INVALID_FIELD,
              "2 fields are wrong.",
              List.of(
                  new FieldProblem("/gpu/count", ProblemCode.INVALID_FIELD, "Too many.", null),
                  new FieldProblem("/run", ProblemCode.INVALID_FIELD, "Too long.", null)));
        };
    cluster.create(UID, "team-a", "workload/train");
    pass(2);

    assertThat(cluster.status(UID).condition(FrontCondition.FAILED).orElseThrow().message())
        .isEqualTo("/spec/gpu/count: Too many. /spec/run: Too long.");
    assertThat(cluster.held(UID)).isFalse();
  }

  @Test
  void runningJobShowsItsPodsAsActive() {
    documents = (actor, project, json) -> runsFor("1h").build();
    cluster.create(UID, "team-a", "train");
    pass(10);

    assertThat(cluster.status(UID).active()).isEqualTo(1);
    assertThat(cluster.status(UID).ready()).isEqualTo(1);
    assertThat(cluster.status(UID).startTime()).isNotNull();
    assertThat(cluster.status(UID).condition(FrontCondition.SUBMITTED).orElseThrow().message())
        .contains(jobs().getFirst().id().text());
  }

  /** Fails when any project runs the Jobs of a namespace without a mapping. */
  @Test
  void jobInAnUnmappedNamespaceIsReportedAndNotRun() {
    cluster.create(UID, "team-b", "train");
    pass(3);
    assertThat(jobs()).isEmpty();
    assertThat(cluster.held(UID)).isFalse();
    assertThat(reason(FrontCondition.SUBMITTED)).isEqualTo("NamespaceNotMapped");
    cluster.noCalls();
    pass(400);
    assertThat(cluster.calls()).as("it is told once").isZero();

    map("team-b");
    pass(10);
    assertThat(cluster.status(UID).is(FrontCondition.COMPLETE)).isTrue();
  }

  @Test
  void withoutAMappingTheClusterIsNotWatched() {
    stores.fronts().remove(front, "team-a");
    cluster.create(UID, "team-a", "train");
    pass(2);
    assertThat(cluster.followed()).isFalse();
    assertThat(cluster.calls()).isZero();
  }

  @Test
  void deletedJobCancelsItsRunAndIsGone() {
    documents = (actor, project, json) -> runsFor("1h").build();
    cluster.create(UID, "team-a", "train");
    pass(10);
    assertThat(jobs()).extracting(Job::state).containsExactly(JobState.RUNNING);

    cluster.delete(UID);
    assertThat(cluster.has(UID)).as("until the cancel is stored").isTrue();
    pass(40);

    assertThat(jobs()).extracting(Job::state).containsExactly(JobState.CANCELLED);
    assertThat(cluster.has(UID)).isFalse();
    assertThat(taken()).isFalse();
  }

  /** Fails when a Job whose finalizer an operator removed leaves its job running. */
  @Test
  void jobOfAJobThatVanishedDuringAnOutageIsCancelled() {
    documents = (actor, project, json) -> runsFor("1h").build();
    cluster.create(UID, "team-a", "train");
    pass(10);
    cluster.vanish(UID);
    // the process that would have received the event no longer exists
    List<String> _ = cluster.changed(10);
    pass = newPass();
    pass(40);

    assertThat(jobs()).extracting(Job::state).containsExactly(JobState.CANCELLED);
    assertThat(taken()).isFalse();
  }

  /** Fails when silence counts as an end. */
  @Test
  void unresponsiveClusterCancelsNothing() {
    documents = (actor, project, json) -> runsFor("1h").build();
    cluster.create(UID, "team-a", "train");
    pass(10);
    cluster.away(true);
    cluster.vanish(UID);
    pass(400);

    assertThat(jobs()).extracting(Job::state).containsExactly(JobState.RUNNING);
  }

  /**
   * A process that is killed after any of its calls leaves one job and one end. Fails when the
   * submit has no key, or its row is not stored first.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7})
  void aKillAfterAnyCallYieldsOneJobAndOneEnd(int call) {
    cluster.create(UID, "team-a", "train");
    cluster.killsAt(call);
    for (int i = 0; i < 40; i++) {
      try {
        pass(1);
      } catch (FrontCluster.Killed dead) {
        pass = newPass();
      }
    }
    assertThat(jobs()).extracting(Job::state).containsExactly(JobState.SUCCEEDED);
    assertThat(cluster.status(UID).is(FrontCondition.COMPLETE)).isTrue();
    assertThat(cluster.held(UID)).isFalse();
    assertThat(taken()).isFalse();
  }

  /**
   * Fails without the key: the commit succeeded, and the process died before it recorded the job.
   */
  @Test
  void killBetweenSubmitAndNoteYieldsOneJob() {
    cluster.create(UID, "team-a", "train");
    stores.fronts().failsOnUpdate(1);
    pass(1);
    assertThat(jobs()).hasSize(1);
    pass = newPass();
    pass(20);

    assertThat(jobs()).hasSize(1);
    assertThat(cluster.status(UID).is(FrontCondition.COMPLETE)).isTrue();
  }

  /** Fails when a key that is forgotten after a day makes a second job. */
  @Test
  void submitUnrecordedForTwoDaysYieldsOneJob() {
    documents = (actor, project, json) -> runsFor("100h").build();
    cluster.create(UID, "team-a", "train");
    stores.fronts().failsOnUpdate(1);
    pass(1);
    stores.advance(Duration.ofHours(48));
    pass = newPass();
    pass(10);

    assertThat(jobs()).hasSize(1);
    assertThat(reason(FrontCondition.SUBMITTED)).isEqualTo("Submitted");
  }

  /** Fails when a job continues without its Job because the process died before it recorded it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void jobDeletedBeforeItsSubmitIsRecordedIsCancelled(boolean seen) {
    documents = (actor, project, json) -> runsFor("1h").build();
    cluster.create(UID, "team-a", "train");
    stores.fronts().failsOnUpdate(1);
    pass(1);
    assertThat(jobs()).hasSize(1);
    Consumer<String> goes = seen ? cluster::delete : cluster::vanish;
    goes.accept(UID);
    pass = newPass();
    pass(40);

    assertThat(jobs()).extracting(Job::state).containsExactly(JobState.CANCELLED);
    assertThat(cluster.has(UID)).isFalse();
    assertThat(taken()).isFalse();
  }

  /** Fails when an unknown Job is held permanently. */
  @Test
  void jobHeldByADeadProcessIsReleasedWithoutAMapping() {
    cluster.create(UID, "team-a", "train");
    cluster.killsAt(2);
    assertThatThrownBy(() -> pass(1)).isInstanceOf(FrontCluster.Killed.class);
    assertThat(cluster.held(UID)).isTrue();
    stores.fronts().remove(front, "team-a");
    cluster.delete(UID);
    pass = newPass();
    pass(5);

    assertThat(cluster.has(UID)).isFalse();
    assertThat(taken()).isFalse();
    assertThat(jobs()).isEmpty();
  }

  /** Held and noted, and not submitted. */
  private void waitsForItsSubmit() {
    cluster.create(UID, "team-a", "train");
    FrontAnswer _ = cluster.hold(cluster.job(UID).orElseThrow());
    Project of = fairlead.project();
    Instant now = stores.clock().instant();
    stores
        .fronts()
        .insert(
            List.of(
                new FrontJob(
                    front, UID, "team-a", "train", of.tenant(), of.id(), null, false, now)));
  }

  /** Fails when waiting Jobs are submitted after an operator removed the mapping. */
  @Test
  void waitingJobIsNotSubmittedOnceItsNamespaceIsUnmapped() {
    waitsForItsSubmit();
    map("team-b");
    stores.fronts().remove(front, "team-a");
    pass(5);

    assertThat(jobs()).isEmpty();
    assertThat(cluster.held(UID)).isFalse();
    assertThat(taken()).isFalse();
    assertThat(reason(FrontCondition.SUBMITTED)).isEqualTo("NamespaceNotMapped");
  }

  /** Fails when jobs from before the removal of the mapping are forgotten. */
  @Test
  void submittedJobKeepsRunningAfterItsNamespaceIsUnmapped() {
    cluster.create(UID, "team-a", "train");
    stores.fronts().failsOnUpdate(1);
    pass(1);
    map("team-b");
    stores.fronts().remove(front, "team-a");
    pass = newPass();
    pass(20);

    assertThat(jobs()).hasSize(1);
    assertThat(cluster.status(UID).is(FrontCondition.COMPLETE)).isTrue();
  }

  /** Fails when a delete waits for the next try of a submit. */
  @Test
  void waitingJobIsReleasedOnItsDeletion() {
    documents =
        (actor, project, json) -> {
          throw new Refusal(ProblemCode.LIMIT_EXCEEDED, "the queue is full");
        };
    waitsForItsSubmit();
    pass(600);
    cluster.delete(UID);
    pass(2);

    assertThat(cluster.has(UID)).isFalse();
    assertThat(taken()).isFalse();
  }

  /** Fails when a Job that its API server cannot write blocks later ones permanently. */
  @Test
  void jobOnAnUnresponsiveClusterDelaysNoOther() {
    String silent = "00000000-8f0e-4a56-9c39-0f3c6f6f2f10";
    cluster.create(silent, "team-a", "huge");
    cluster.silentAbout(silent);
    cluster.create(UID, "team-a", "train");
    pass(20);

    assertThat(cluster.status(UID).is(FrontCondition.COMPLETE)).isTrue();
    cluster.noCalls();
    pass(1000);
    assertThat(cluster.calls()).as("it is tried less and less often").isBetween(3, 12);
  }

  /** Fails when a Job whose row could not be removed is counted as adopted forever. */
  @Test
  void aReleasedJobWhoseRowIsNotRemovedIsReleasedAgain() {
    cluster.create(UID, "team-a", "train");
    stores.fronts().failsOnRemove(2);
    pass(60);

    assertThat(jobs()).extracting(Job::state).containsExactly(JobState.SUCCEEDED);
    assertThat(cluster.held(UID)).isFalse();
    assertThat(cluster.writes()).containsOnlyOnce("release train");
    assertThat(taken()).isFalse();
  }

  /** Fails when a new Job waits until all existing Jobs have been checked again. */
  @Test
  void newJobIsHandledBeforeUnchangedOnes() {
    for (int i = 0; i < 600; i++) {
      cluster.create("%08d-8f0e-4a56".formatted(i), "team-b", "other-" + i);
    }
    pass(10);
    pass = newPass();
    String last = "ffffffff-8f0e-4a56-9c39-0f3c6f6f2f10";
    cluster.create(last, "team-a", "train");
    pass(1);

    assertThat(jobs()).hasSize(1);
  }

  /** Fails when a job that a lost database knew is run twice. */
  @Test
  void jobOfAnEarlierDatabaseIsNotRunAgain() {
    documents = (actor, project, json) -> runsFor("1h").build();
    cluster.create(UID, "team-a", "train");
    pass(10);
    stores.fronts().remove(stores.fronts().find(front, List.of(UID)));
    pass = newPass();
    pass(10);

    assertThat(jobs()).hasSize(1);
    assertThat(reason(FrontCondition.FAILED)).isEqualTo("JobLost");
  }

  @Test
  void jobIsSuspendedAndResumes() {
    documents = (actor, project, json) -> runsFor("5s").build();
    cluster.create(UID, "team-a", "train", new FrontRequest.Document("{}"), true);
    pass(3);
    assertThat(jobs()).isEmpty();
    assertThat(cluster.status(UID).is(FrontCondition.SUSPENDED)).isTrue();

    cluster.suspend(UID, false);
    pass(3);
    assertThat(jobs()).hasSize(1);
    assertThat(cluster.status(UID).is(FrontCondition.SUSPENDED)).isFalse();

    cluster.suspend(UID, true);
    pass(40);
    assertThat(jobs()).extracting(Job::state).containsExactly(JobState.SUSPENDED);
    assertThat(cluster.status(UID).is(FrontCondition.SUSPENDED)).isTrue();
    assertThat(cluster.status(UID).active()).isZero();

    cluster.suspend(UID, false);
    pass(40);
    assertThat(cluster.status(UID).is(FrontCondition.COMPLETE)).isTrue();
  }

  /** Fails when fields that a job cannot express are dropped. */
  @Test
  void inexpressibleJobFailsAndNamesTheField() {
    cluster.create(
        UID,
        "team-a",
        "train",
        new FrontRequest.Inexpressible("spec.template.spec.hostNetwork", "no job has it"),
        false);
    pass(3);

    assertThat(jobs()).isEmpty();
    assertThat(cluster.held(UID)).isFalse();
    FrontCondition failed = cluster.status(UID).condition(FrontCondition.FAILED).orElseThrow();
    assertThat(failed.reason()).isEqualTo("NotExpressible");
    assertThat(failed.message()).contains("spec.template.spec.hostNetwork", "no job has it");
  }

  /** Fails when a temporarily refused Job is never tried again, or in each pass. */
  @Test
  void temporarilyRejectedJobWaitsAndIsRetried() {
    documents =
        (actor, project, json) -> {
          throw new Refusal(ProblemCode.LIMIT_EXCEEDED, "the queue is full");
        };
    cluster.create(UID, "team-a", "train");
    pass(2);
    assertThat(reason(FrontCondition.SUBMITTED)).isEqualTo("LimitExceeded");
    cluster.noCalls();
    pass(1000);
    assertThat(cluster.calls()).isBetween(3, 12);

    documents = (actor, project, json) -> runsFor("1s").build();
    pass(400);
    assertThat(cluster.status(UID).is(FrontCondition.COMPLETE)).isTrue();
  }

  @Test
  void failedJobIsShownAsFailed() {
    documents =
        (actor, project, json) ->
            runsFor("1s").annotation("sim.fairlead.dev/outcome", "fail").build();
    cluster.create(UID, "team-a", "train");
    pass(40);

    assertThat(reason(FrontCondition.FAILED)).isEqualTo("BackoffLimitExceeded");
    assertThat(cluster.status(UID).failed()).isPositive();
    assertThat(cluster.held(UID)).isFalse();
  }

  /** Fails when the remaining completions continue for a failed Job. */
  @Test
  void permanentlyFailedCompletionEndsTheOthers() {
    documents =
        (actor, project, json) ->
            runsFor("1s").array("0-99%1").annotation("sim.fairlead.dev/outcome", "fail").build();
    cluster.create(UID, "team-a", "sweep");
    pass(60);

    assertThat(jobs()).extracting(Job::state).containsExactly(JobState.CANCELLED);
    FrontCondition failed = cluster.status(UID).condition(FrontCondition.FAILED).orElseThrow();
    assertThat(failed.reason()).isEqualTo("BackoffLimitExceeded");
    assertThat(cluster.status(UID).failed()).isBetween(1, 20);
  }

  /** Fails when a pass costs a call for each existing Job. */
  @Test
  void unchangedJobsCauseNoCalls() {
    documents = (actor, project, json) -> runsFor("1h").build();
    for (int i = 0; i < 100; i++) {
      cluster.create("%08d-8f0e-4a56".formatted(i), "team-a", "train-" + i);
    }
    pass(30);
    assertThat(jobs()).hasSize(100);
    cluster.noCalls();
    pass(60);
    assertThat(cluster.calls()).isZero();
    pass = newPass();
    pass(60);
    assertThat(cluster.calls()).as("also of a process that begins").isZero();
  }
}
