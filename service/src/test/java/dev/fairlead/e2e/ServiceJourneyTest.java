package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.spi.JobSubmits;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.Replica;
import dev.fairlead.work.serving.RolloutPhase;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.ServiceVersion;
import dev.fairlead.work.serving.service.AppliedService;
import dev.fairlead.work.serving.service.ModelServices;
import dev.fairlead.work.serving.service.RolloutOrder;
import dev.fairlead.work.serving.traffic.RouteOptions;
import dev.fairlead.work.spec.JobSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Model services from apply to delete, on a simulated cluster whose gateway counts requests. */
class ServiceJourneyTest extends ServiceScene {
  /** Fails when a version that answers with errors stays in traffic, or the floor is not held. */
  @Test
  void aBadVersionIsRolledBack() {
    serving();
    apply(server("v2").annotation("sim.fairlead.dev/error-percent", "10"), 3, 5);
    int mostTraffic = 0;
    for (int i = 0; i < 120 && phase() != RolloutPhase.ROLLED_BACK; i++) {
      pass(1);
      mostTraffic = Math.max(mostTraffic, weight(2));
      assertThat(ready()).isGreaterThanOrEqualTo(3);
      assertThat(weight(1) + weight(2)).isEqualTo(100);
    }
    assertThat(mostTraffic).isEqualTo(5);
    assertThat(phase()).isEqualTo(RolloutPhase.ROLLED_BACK);
    assertThat(chat().rollout().reason()).contains("version 2 at 5 %", "requests bad");
    assertThat(weight(1)).isEqualTo(100);
    assertThat(chat().stableVersion()).isEqualTo(1);
    pass(60);
    assertThat(chat().backends()).hasSize(1);
    assertThat(jobs()).filteredOn(job -> !job.run().ended()).hasSize(3);
  }

  @Test
  void aVersionThatIsTooSlowIsRolledBack() {
    serving();
    apply(server("v2").annotation("sim.fairlead.dev/latency", "600ms"), 3, 5);
    pass(60);
    assertThat(phase()).isEqualTo(RolloutPhase.ROLLED_BACK);
  }

  /** Fails when a good version is not promoted, or the old one is stopped too early. */
  @Test
  void aGoodVersionGetsAllTrafficStepByStep() {
    serving();
    apply(server("v2"), 3, 5);
    int before = 0;
    for (int i = 0; i < 200 && phase() != RolloutPhase.PROMOTED; i++) {
      pass(1);
      assertThat(weight(2)).isGreaterThanOrEqualTo(before).isIn(0, 5, 25, 100);
      assertThat(ready()).isGreaterThanOrEqualTo(3);
      assertThat(chat().replicas()).hasSizeLessThanOrEqualTo(5);
      before = weight(2);
    }
    assertThat(phase()).isEqualTo(RolloutPhase.PROMOTED);
    assertThat(chat().stableVersion()).isEqualTo(2);
    assertThat(weight(2)).isEqualTo(100);

    services.rollback(fairlead.ana(), CHAT, 1, false);
    pass(30);
    assertThat(chat().stableVersion()).isEqualTo(1);
    assertThat(weight(1)).isEqualTo(100);
  }

  /** Fails when a rollback to a warm version starts new replicas, or waits for a pass. */
  @Test
  void rollbackToAWarmVersionChangesOnlyWeights() {
    apply(server("v1"), 2, 4);
    pass(15);
    apply(server("v2"), 2, 4);
    services.order(fairlead.ana(), RolloutOrder.PROMOTE, CHAT, 2, false);
    pass(15);
    assertThat(weight(2)).isEqualTo(100);
    int jobs = jobs().size();
    services.rollback(fairlead.ana(), CHAT, 1, false);
    assertThat(weight(1)).isEqualTo(100);
    loop.tick();
    assertThat(weight(1)).isEqualTo(100);
    assertThat(jobs()).hasSize(jobs);
  }

  /** Fails when replicas without traffic hold quota that replicas of another service wait for. */
  @Test
  void warmVersionYieldsItsQuotaToReplicasThatWait() {
    quota(4);
    apply(server("v1"), 2, 4);
    pass(15);
    apply(server("v2"), 2, 4);
    services.order(fairlead.ana(), RolloutOrder.PROMOTE, CHAT, 2, false);
    pass(20);
    assertThat(chat().backends()).as("version 1 is warm").hasSize(2);

    AppliedService embed =
        new AppliedService(
            "embed.example",
            new AppliedService.Scale(2, 4, null, List.of(), null),
            List.of(100),
            Duration.ofSeconds(10),
            Duration.ofMillis(500),
            server("e1").build(),
            ServiceVersion.Endpoint.DEFAULT,
            ModelService.Access.OPEN,
            List.of(),
            RouteOptions.NONE);
    ModelServices.Name other = new ModelServices.Name("project", "embed");
    var _ = services.put(fairlead.ana(), other, embed, null, false);
    pass(40);
    assertThat(services.one(fairlead.ana(), other).readyReplicas()).isEqualTo(2);
    assertThat(chat().backends()).hasSize(1);
    assertThat(ready()).isEqualTo(2);
  }

  /** Fails when traffic moves, or an old replica ends, although the surge has no quota. */
  @Test
  void withoutQuotaForTheSurgeTheRolloutWaitsWithTheReason() {
    serving();
    quota(3);
    apply(server("v2"), 3, 5);
    pass(60);
    assertThat(phase()).isEqualTo(RolloutPhase.WAITING_FOR_REPLICAS);
    assertThat(chat().rollout().reason())
        .contains("0 of 1 replicas of version 2", "waits", "quota");
    assertThat(weight(1)).isEqualTo(100);
    assertThat(ready()).isEqualTo(3);

    services.order(fairlead.ana(), RolloutOrder.ABORT, CHAT, 2, false);
    pass(10);
    assertThat(jobs()).filteredOn(job -> job.state() == JobState.QUEUED).isEmpty();
    assertThat(phase()).isEqualTo(RolloutPhase.ABORTED);
  }

  /** A floor above the quota: fails when it is not said why the service is not complete. */
  @Test
  void floorAboveTheQuotaReportsTheMissingQuota() {
    apply(server("v1"), 20, 21);
    pass(20);
    assertThat(ready()).isEqualTo(16);
    assertThat(chat().replicas())
        .filteredOn(each -> each.condition() == Replica.Condition.WAITING)
        .hasSize(4)
        .allMatch(each -> each.reason().contains("waits: "));
  }

  /** Fails when replicas of the floor can be preempted. */
  @Test
  void replicasOfTheFloorAreNotPreemptible() {
    serving();
    assertThat(jobs()).hasSize(3).noneMatch(job -> job.spec().preemption().allowed());
    assertThat(jobs().getFirst().user()).isEqualTo(fairlead.ana().name());
  }

  /** Fails when a crashed server is not restarted, or gets traffic while it is down. */
  @Test
  void aReplicaThatEndsIsStartedAgain() {
    apply(server("v1"), 1, 2);
    pass(15);
    Job job = jobs().getFirst();
    fairlead
        .attempts(job)
        .forEach(attempt ->
            cluster.failPod(attempt.id(), MemberKey.of(attempt.members().getFirst()), 1));
    pass(3);
    assertThat(weight(1)).isZero();
    pass(15);
    assertThat(weight(1)).isEqualTo(100);
    assertThat(chat().replicas().getFirst().restarts()).isEqualTo(1);
    assertThat(jobs()).hasSize(2);
  }

  /** A process that dies after a submit: fails when its successor submits a second job. */
  @Test
  void aReplicaIsSubmittedOnce() {
    serving();
    List<JobId> before = jobs().stream().map(Job::id).toList();
    withReplicas(each -> restarted(each, 0, null));
    pass(5);
    assertThat(jobs()).extracting(Job::id).containsExactlyElementsOf(before);
    assertThat(ready()).isEqualTo(3);
  }

  /** Fails when a job is forgotten because its replica is not due at the time of its stop. */
  @Test
  void aJobWhoseReplicaIsRefusedLaterIsStopped() {
    serving();
    Instant now = stores.clock().instant();
    withReplicas(each -> restarted(each, 0, null).refused("a rule of later", now));
    services.remove(fairlead.ana(), CHAT, false);
    pass(15);
    assertThat(stores.services().all()).isEmpty();
    assertThat(jobs()).hasSize(3).allMatch(job -> job.state() == JobState.CANCELLED);
  }

  /** Fails when a process without the lease submits a replica that another one has removed. */
  @Test
  void aReplicaThatWasRemovedIsNeverSubmitted() {
    serving();
    Replica removed = new Replica(1, 7, 999, 0, null, null, true, "", false);
    List<Replica> replicas = new ArrayList<>(state().replicas());
    replicas.add(removed);
    stores.services().update(state().with(replicas));
    pass(3);
    assertThat(state().replicas()).hasSize(3);
    JobSubmits late = FairleadSubmits.of(fairlead);
    JobSpec job = Specs.job("late").gpus(1).run("v1").build();
    String key = removed.key(state().id());
    assertThatThrownBy(() -> late.submit(fairlead.ana(), "project", job, key))
        .isInstanceOf(Refusal.class);
    assertThat(late.submitted(fairlead.ana(), key)).isEmpty();
    assertThat(late.submit(fairlead.ana(), "project", job, "another key")).isNotNull();
  }

  @Test
  void deletedServiceLeavesNoReplicas() {
    serving();
    assertThatThrownBy(() -> services.deleteVersion(fairlead.ana(), CHAT, 1, false))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("serves");
    services.remove(fairlead.ana(), CHAT, false);
    assertThatThrownBy(() -> apply(server("v2"), 3, 5))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("is being deleted");
    pass(15);
    assertThat(stores.services().all()).isEmpty();
    assertThat(jobs()).allMatch(job -> job.state() == JobState.CANCELLED);
    assertThatThrownBy(this::chat).isInstanceOf(Refusal.class).hasMessageContaining("no service");
  }

  /** Fails when old replicas are expected at the port of the new replicas. */
  @Test
  void anotherPortIsAnotherVersion() {
    serving();
    assertThat(apply(server("v1"), 3, 5).latestVersion()).isEqualTo(1);
    ServiceVersion.Endpoint other = new ServiceVersion.Endpoint(9000, "/health");
    assertThat(apply(server("v1"), 3, 5, other).latestVersion()).isEqualTo(2);
    ServiceState state = stores.services().all().getFirst();
    ServiceVersion two = stores.services().version(state.tenant(), state.id(), 2).orElseThrow();
    assertThat(two.endpoint()).isEqualTo(other);
  }

  /**
   * Fails when the number of versions of a service is unbounded, or old versions slow the plan
   * down.
   */
  @Test
  void aServiceHasAtMostTenThousandVersions() {
    serving();
    ServiceState state = stores.services().all().getFirst();
    for (int number = 2; number <= ServiceVersion.MOST; number++) {
      stores
          .services()
          .insert(
              state.tenant(),
              new ServiceVersion(
                  state.id(),
                  number,
                  server("v").build(),
                  "ana",
                  stores.clock().instant(),
                  ServiceVersion.Endpoint.DEFAULT));
    }
    assertThatThrownBy(() -> apply(server("one more"), 3, 5))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("10000 versions, the maximum");
    assertThat(services.versions(fairlead.ana(), CHAT, Integer.MAX_VALUE, 100)).hasSize(100);
    services.deleteVersion(fairlead.ana(), CHAT, 2, false);
    assertThat(stores.services().countVersions(state.tenant(), state.id())).isEqualTo(9_999);
    pass(3);
    assertThat(weight(1)).isEqualTo(100);
  }

  /** Fails when a model that does not load moves traffic, or is not named in the reason. */
  @Test
  void modelThatDoesNotExistStopsTheRolloutWithItsAddress() {
    serving();
    Specs absent =
        server("v2")
            .annotation(ServiceVersion.MODEL, "hf://nobody/absent")
            .annotation("sim.fairlead.dev/run-for", "0s")
            .annotation("sim.fairlead.dev/outcome", "fail")
            .annotation("sim.fairlead.dev/exit-code", "3");
    apply(absent, 3, 5);
    Set<String> reasons = new TreeSet<>();
    for (int i = 0; i < 90; i++) {
      pass(1);
      reasons.add(chat().rollout().reason());
      assertThat(phase()).isEqualTo(RolloutPhase.WAITING_FOR_REPLICAS);
      assertThat(weight(1)).isEqualTo(100);
      assertThat(ready()).isEqualTo(3);
    }
    assertThat(reasons).anyMatch(each -> each.contains("with model hf://nobody/absent ended: "));
  }

  /** Fails when a version without requests is promoted, or its rollout lacks the cause. */
  @Test
  void stepWithoutTrafficWaitsWithTheNumberOfRequests() {
    apply(server("v1").annotation("sim.fairlead.dev/requests", "0"), 3, 5);
    pass(15);
    apply(server("v2").annotation("sim.fairlead.dev/requests", "0"), 3, 5);
    pass(60);
    assertThat(phase()).isEqualTo(RolloutPhase.WAITING_FOR_TRAFFIC);
    assertThat(chat().rollout().reason()).contains("0 requests");
    assertThat(weight(1)).isEqualTo(95);
  }

  @Test
  void implausibleFieldsAreRejected() {
    serving();
    assertThatThrownBy(() -> services.rollback(fairlead.ana(), CHAT, 7, false))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("no version 7");
    assertThatThrownBy(() -> services.order(fairlead.ana(), RolloutOrder.PROMOTE, CHAT, 2, false))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("no open rollout");
    ModelServices.Name other = new ModelServices.Name("project", "other");
    AppliedService same =
        new AppliedService(
            "chat.example",
            new AppliedService.Scale(1, 2, null, List.of(), null),
            List.of(100),
            Duration.ofSeconds(10),
            Duration.ofSeconds(1),
            server("x").build(),
            ServiceVersion.Endpoint.DEFAULT,
            ModelService.Access.OPEN,
            List.of(),
            RouteOptions.NONE);
    assertThatThrownBy(() -> services.put(fairlead.ana(), other, same, null, false))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("belongs to another service");
    assertThat(services.all(fairlead.ana(), "project")).hasSize(1);
  }
}
