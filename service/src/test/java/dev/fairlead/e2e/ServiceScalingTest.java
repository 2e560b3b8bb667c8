package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.serving.LoadTarget;
import dev.fairlead.work.serving.LoadTarget.Metric;
import dev.fairlead.work.serving.ModelService.Floor;
import dev.fairlead.work.serving.RolloutPhase;
import dev.fairlead.work.serving.service.ModelServiceView;
import dev.fairlead.work.serving.service.ModelServiceView.FloorView;
import dev.fairlead.work.serving.service.RolloutOrder;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A service whose replicas follow the load of a simulated gateway, in virtual time. */
class ServiceScalingTest extends ServiceScene {
  private static final int MINUTE = 60;

  @BeforeEach
  void byRequests() {
    scale = new LoadTarget(Metric.RPS, 20, Duration.ofMinutes(2));
  }

  private static Specs loaded(String run, String requests) {
    return Specs.job("").gpus(1).run(run).annotation("sim.fairlead.dev/requests", requests);
  }

  private List<Job> live() {
    return jobs().stream().filter(job -> !job.run().ended()).toList();
  }

  /** Fails when replicas do not follow the load, or a replica of the floor can be preempted. */
  @Test
  void replicasFollowTheLoadUpAndDown() {
    apply(loaded("v1", "20, 300 after 2m, 20 after 6m"), 2, 8);
    pass(2 * MINUTE);
    assertThat(chat().wantedReplicas()).isEqualTo(2);
    assertThat(chat().scale().load()).isBetween(19.0, 21.0);

    pass(90);
    assertThat(chat().wantedReplicas()).isEqualTo(8);
    assertThat(chat().readyReplicas()).isEqualTo(8);
    assertThat(chat().scale().reason()).contains("want 15", "at most 8 by maxReplicas");
    assertThat(live()).hasSize(8);
    assertThat(live()).filteredOn(job -> job.spec().preemption().allowed()).hasSize(6);

    pass(3 * MINUTE);
    assertThat(chat().wantedReplicas()).isEqualTo(8);
    pass(4 * MINUTE);
    assertThat(chat().wantedReplicas()).isEqualTo(2);
    assertThat(live()).hasSize(2).noneMatch(job -> job.spec().preemption().allowed());
    assertThat(weight(1)).isEqualTo(100);
  }

  /** Fails when a scheduled floor does not start its replicas, or does not end with its window. */
  @Test
  void aFloorAppliesWhileItsWindowIsOpen() {
    scale = null;
    int minute =
        fairlead.stores().clock().instant().atZone(ZoneOffset.UTC).plusMinutes(2).getMinute();
    floors = List.of(new Floor(minute + " * * * *", Duration.ofMinutes(5), "UTC", 4));
    apply(loaded("v1", "20"), 1, 6);
    pass(MINUTE / 2);
    assertThat(chat().readyReplicas()).isEqualTo(1);
    assertThat(chat().floors()).extracting(FloorView::open).containsExactly(false);

    pass(2 * MINUTE);
    assertThat(chat().readyReplicas()).isEqualTo(4);
    assertThat(chat().wantedReplicas()).isEqualTo(4);
    assertThat(chat().floors()).extracting(FloorView::open).containsExactly(true);
    assertThat(live()).hasSize(4).noneMatch(job -> job.spec().preemption().allowed());

    pass(5 * MINUTE);
    assertThat(chat().minReplicas()).isEqualTo(1);
    assertThat(live()).hasSize(1);
  }

  /** Fails when the quota is exceeded, or the cause of missing replicas is not reported. */
  @Test
  void replicasThatWaitForQuotaAreNamedAndBlockNothing() {
    quota(4);
    apply(loaded("v1", "300"), 2, 8);
    pass(2 * MINUTE);
    assertThat(chat().wantedReplicas()).isEqualTo(8);
    assertThat(chat().readyReplicas()).isEqualTo(4);
    assertThat(chat().scale().reason()).contains("; 4 not ready: job chat-v1-", "waits", "quota");
    assertThat(weight(1)).isEqualTo(100);

    apply(loaded("v2", "100"), 2, 4);
    pass(30);
    services.order(fairlead.ana(), RolloutOrder.PROMOTE, CHAT, 2, false);
    for (int i = 0; i < 5 * MINUTE && phase() != RolloutPhase.PROMOTED; i++) {
      pass(1);
      assertThat(ready()).isGreaterThanOrEqualTo(2);
    }
    assertThat(phase()).as(chat().rollout().reason()).isEqualTo(RolloutPhase.PROMOTED);
    pass(30);
    assertThat(chat().readyReplicas()).isEqualTo(4);
    assertThat(live()).hasSize(4).noneMatch(job -> job.state() == JobState.QUEUED);
  }

  /** Fails when freed quota is given to a waiting replica of the old version. */
  @Test
  void aRolloutGetsFreeQuotaBeforeSurplusThatWaitsLonger() {
    quota(4);
    apply(loaded("v1", "100"), 1, 8);
    pass(2 * MINUTE);
    assertThat(chat().readyReplicas()).isEqualTo(4);
    assertThat(live()).hasSize(5);
    apply(loaded("v2", "100"), 1, 8);
    pass(20);
    assertThat(phase()).isEqualTo(RolloutPhase.WAITING_FOR_REPLICAS);
    assertThat(ready()).isEqualTo(4);

    quota(5);
    pass(20);
    assertThat(chat().backends())
        .filteredOn(each -> each.version() == 2)
        .extracting(ModelServiceView.BackendView::ready)
        .containsExactly(1);
    assertThat(weight(2)).isPositive();
  }

  /** Fails when each replica of a rollout cancels all jobs that wait above the floor. */
  @Test
  void rolloutWithGraduallyFreedQuotaCancelsFewJobs() {
    quota(6);
    apply(loaded("v1", "2000"), 1, 24);
    pass(3 * MINUTE);
    assertThat(live()).hasSize(24);
    apply(loaded("v2", "2000"), 1, 24);
    pass(20);
    services.order(fairlead.ana(), RolloutOrder.PROMOTE, CHAT, 2, false);
    int before = jobs().size();
    for (int gpus = 7; gpus <= 12; gpus++) {
      quota(gpus);
      pass(20);
    }
    assertThat(chat().backends())
        .filteredOn(each -> each.version() == 2)
        .extracting(ModelServiceView.BackendView::ready)
        .containsExactly(6);
    assertThat(jobs().size() - before).isLessThan(45);
  }

  /** Fails when replicas above the floor remain without a load target. */
  @Test
  void withoutALoadTargetTheServiceReturnsToItsFloor() {
    apply(loaded("v1", "100"), 1, 8);
    pass(2 * MINUTE);
    assertThat(chat().readyReplicas()).isEqualTo(5);
    scale = null;
    apply(loaded("v1", "100"), 1, 8);
    pass(20);
    assertThat(chat().scale()).isNull();
    assertThat(chat().wantedReplicas()).isEqualTo(1);
    assertThat(live()).hasSize(1);
  }
}
