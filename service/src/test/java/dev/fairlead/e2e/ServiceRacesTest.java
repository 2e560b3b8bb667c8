package dev.fairlead.e2e;

import static dev.fairlead.kernel.text.Texts.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.people.audit.ConfigChange;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.Replica;
import dev.fairlead.work.serving.RolloutPhase;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.ServiceVersion;
import dev.fairlead.work.serving.service.RolloutOrder;
import dev.fairlead.work.serving.service.ServiceDiagnosis;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Changes of a service between the steps of its loop, and replicas of earlier replicas' numbers.
 */
class ServiceRacesTest extends ServiceScene {
  /** An abort between the submit of a job and its record: fails when the job remains forever. */
  /** Fails when the alert of a pause fires for a rollout that no command can resume. */
  @Test
  void pauseOfADeletedServiceIsNotReported() {
    serving();
    apply(server("v2"), 3, 5);
    services.order(fairlead.ana(), RolloutOrder.PAUSE, CHAT, 2, false);
    services.remove(fairlead.ana(), CHAT, false);
    assertThat(state().pause()).isEmpty();
    loop.tick();
    assertThat(metrics.get(Metric.ROLLOUTS_PAUSED.meter()).gauge().value()).isZero();
  }

  @Test
  void aJobThatWasSubmittedAndNotStoredIsCancelledWithItsRollout() {
    serving();
    apply(server("v2"), 3, 5);
    pass(1);
    assertThat(jobs()).hasSize(4);
    withReplicas(each -> each.version() == 2 ? restarted(each, 0, null) : each);
    services.order(fairlead.ana(), RolloutOrder.ABORT, CHAT, 2, false);
    pass(20);
    assertThat(jobs()).filteredOn(job -> !job.run().ended()).hasSize(3);
    assertThat(state().replicas()).hasSize(3);
  }

  /** Fails when a user who has read version 2 ends the rollout of version 3. */
  @Test
  void commandForAReplacedRolloutIsRejected() {
    serving();
    apply(server("v2"), 3, 5);
    apply(server("v3"), 3, 5);
    assertThatThrownBy(() -> services.order(fairlead.ana(), RolloutOrder.PROMOTE, CHAT, 2, false))
        .isInstanceOf(Refusal.class)
        .satisfies(problem("service-races.version-last-rollout-moves", 2, 3));
    assertThatThrownBy(() -> services.order(fairlead.ana(), RolloutOrder.ABORT, CHAT, 2, false))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("WAITING_FOR_REPLICAS");
    assertThat(phase()).isEqualTo(RolloutPhase.WAITING_FOR_REPLICAS);
    services.order(fairlead.ana(), RolloutOrder.ABORT, CHAT, 3, false);
    assertThat(phase()).isEqualTo(RolloutPhase.ABORTED);
  }

  /** Fails when a repeated command ends a step, or a long pause is not reported. */
  @Test
  void repeatedResumeChangesNothingAndALongPauseIsReported() {
    serving();
    apply(server("v2"), 3, 5);
    services.order(fairlead.ana(), RolloutOrder.PAUSE, CHAT, 2, false);
    pass(40);
    assertThat(chat().rollout().share()).isZero();
    assertThat(chat().rollout().reason())
        .startsWith("paused by ana since ")
        .contains("retains 1 replicas of version 2");
    ServiceDiagnosis doctor =
        new ServiceDiagnosis(stores.services(), stores.configs(), stores.tenants(), stores.clock());
    assertThat(doctor.look()).hasSize(1);

    stores.clock().advance(Duration.ofHours(5));
    pass(10); // the lease has expired
    assertThat(metrics.get(Metric.ROLLOUTS_PAUSED.meter()).gauge().value())
        .isBetween(18_000.0, 18_100.0);
    assertThat(doctor.look())
        .anyMatch(check ->
            check.found().contains("project/chat is paused by ana since ")
                && check.next().contains("FairleadRolloutPaused"));

    services.order(fairlead.ana(), RolloutOrder.RESUME, CHAT, 2, false);
    long revision = state().revision();
    services.order(fairlead.ana(), RolloutOrder.RESUME, CHAT, 2, false);
    assertThat(state().revision()).isEqualTo(revision);
    loop.tick();
    assertThat(metrics.get(Metric.ROLLOUTS_PAUSED.meter()).gauge().value()).isZero();
  }

  @Test
  void aJobThatWasSubmittedAndNotStoredIsCancelledWithItsService() {
    serving();
    withReplicas(each -> restarted(each, 0, null));
    services.remove(fairlead.ana(), CHAT, false);
    pass(20);
    assertThat(stores.services().all()).isEmpty();
    assertThat(jobs()).hasSize(3).allMatch(job -> job.state() == JobState.CANCELLED);
  }

  /** Fails when a replica gets the ended job of an earlier replica of its number. */
  @Test
  void aRollbackToAVersionWhoseReplicasEndedStartsNewJobs() {
    apply(server("v1"), 1, 2);
    pass(15);
    apply(server("v2"), 1, 2);
    services.order(fairlead.ana(), RolloutOrder.PROMOTE, CHAT, 2, false);
    pass(640);
    assertThat(state().replicas()).hasSize(1).allMatch(each -> each.version() == 2);

    services.rollback(fairlead.ana(), CHAT, 1, false);
    pass(2);
    assertThat(state().replicas())
        .filteredOn(each -> each.version() == 1)
        .hasSize(1)
        .allMatch(each -> each.restarts() == 0);
    pass(13);
    assertThat(weight(1)).isEqualTo(100);
  }

  /**
   * Steps that change while a version has five percent: fails when it is promoted with one replica.
   */
  @Test
  void otherStepsPromoteNoVersionWithoutItsReplicas() {
    serving();
    Specs good = server("v2").annotation("sim.fairlead.dev/requests", "4000");
    apply(good, 3, 5);
    for (int i = 0; i < 60 && phase() != RolloutPhase.OBSERVING; i++) {
      pass(1);
    }
    pass(4);
    apply(good, 3, 5, List.of(100));
    for (int i = 0; i < 200 && phase() != RolloutPhase.PROMOTED; i++) {
      pass(1);
    }
    assertThat(phase()).isEqualTo(RolloutPhase.PROMOTED);
    assertThat(chat().backends())
        .filteredOn(each -> each.version() == 2)
        .allMatch(each -> each.ready() >= 3);
  }

  /** Fails when the number of a replica decides, and not whether the floor needs it. */
  @Test
  void replicaStartedWhileOthersStopBelongsToTheFloor() {
    serving();
    withReplicas(each ->
        each.ordinal() > 0
            ? each
            : new Replica(1, 0, each.since(), 0, each.job(), null, true, "", false));
    loop.tick();
    assertThat(jobs())
        .hasSize(4)
        .anyMatch(job -> job.name().equals("chat-v1-3"))
        .noneMatch(job -> job.spec().preemption().allowed());
  }

  /** Fails when the crashes of a year ago delay the next start. */
  @Test
  void nextJobStartsSoonAfterALongRun() {
    apply(server("v1"), 1, 2);
    pass(15);
    withReplicas(each -> restarted(each, 8, each.job()));
    pass(610);
    Job job = jobs().getFirst();
    fairlead
        .attempts(job)
        .forEach(attempt ->
            cluster.failPod(attempt.id(), MemberKey.of(attempt.members().getFirst()), 1));
    pass(20);
    assertThat(weight(1)).isEqualTo(100);
    assertThat(chat().replicas().getFirst().restarts()).isEqualTo(1);
  }

  /** Fails when a rollback continues with a version that was deleted after it read it. */
  @Test
  void aVersionIsNotDeletedUnderARollback() {
    serving();
    apply(server("v2"), 3, 5);
    services.order(fairlead.ana(), RolloutOrder.ABORT, CHAT, 2, false);
    apply(server("v3"), 3, 5);
    services.order(fairlead.ana(), RolloutOrder.ABORT, CHAT, 3, false);
    pass(20);
    ServiceState read = state();
    services.deleteVersion(fairlead.ana(), CHAT, 2, false);
    assertThatThrownBy(() -> stores.services().update(read.rolledBack(2, stores.clock().instant())))
        .isInstanceOf(Conflict.class);
  }

  /** Fails when the history does not show a revert, or a revert gives a new service an old id. */
  @Test
  void revertChangesTheCurrentService() {
    apply(server("v1"), 2, 5);
    String name = state().document();
    ModelService first = services.stored(fairlead.ana(), name).orElseThrow().value();
    services.remove(fairlead.ana(), CHAT, false);
    pass(20);
    apply(server("v1"), 3, 5);
    services.restore(
        fairlead.ana(), services.stored(fairlead.ana(), name).orElseThrow().with(first));

    ModelService now = services.stored(fairlead.ana(), name).orElseThrow().value();
    assertThat(now.minReplicas()).isEqualTo(2);
    assertThat(now.id()).isEqualTo(state().id()).isNotEqualTo(first.id());
    ConfigChange change =
        stores
            .audit()
            .versions(
                fairlead.ana().tenant(),
                new TreeSet<>(List.of(ConfigKind.MODEL_SERVICE)),
                name,
                Long.MAX_VALUE,
                1)
            .getFirst()
            .change();
    assertThat(change.before()).contains("\"minReplicas\":3");
    assertThat(change.after()).contains("\"minReplicas\":2");
  }

  /** Fails when versions of a service grow without a limit, or deleting one makes no room. */
  @Test
  void versionsHaveAMaximum() {
    apply(server("v1"), 2, 4);
    ServiceVersion first =
        stores.services().version(state().tenant(), state().id(), 1).orElseThrow();
    for (int number = 2; number <= ServiceVersion.MOST; number++) {
      stores
          .services()
          .insert(
              state().tenant(),
              new ServiceVersion(
                  first.service(),
                  ServiceVersion.MOST + number,
                  first.job(),
                  first.createdBy(),
                  first.createdAt(),
                  first.endpoint()));
    }
    assertThatThrownBy(() -> apply(server("v2"), 2, 4))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("10000 versions");
    services.deleteVersion(fairlead.ana(), CHAT, 2 * ServiceVersion.MOST, false);
    assertThat(apply(server("v2"), 2, 4).latestVersion()).isEqualTo(2);
  }

  /** Fails when a floor above the quota is silent, or starts more than the quota. */
  @Test
  void floorAboveTheQuotaHasAReason() {
    quota(1);
    apply(server("v1"), 3, 4);
    pass(30);
    assertThat(ready()).isEqualTo(1);
    assertThat(weight(1)).isEqualTo(100);
    assertThat(chat().replicas())
        .anySatisfy(each -> assertThat(each.reason()).contains("waits", "quota"));
  }
}
