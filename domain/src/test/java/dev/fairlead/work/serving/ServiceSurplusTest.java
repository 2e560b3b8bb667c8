package dev.fairlead.work.serving;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.serving.LoadTarget.Metric;
import dev.fairlead.work.serving.Replica.Condition;
import dev.fairlead.work.serving.Replica.Seen;
import dev.fairlead.work.serving.traffic.RouteOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Replicas above the floor: they may wait or be preempted, and nothing waits for them. */
class ServiceSurplusTest {
  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
  private static final ModelService CHAT =
      new ModelService(
          new ModelServiceId(new UUID(1, 1)),
          "chat",
          "nlp",
          "chat.example",
          2,
          12,
          List.of(100),
          Duration.ofSeconds(10),
          Duration.ofSeconds(1),
          new LoadTarget(Metric.RPS, 20, Duration.ofMinutes(5)),
          List.of(),
          null,
          ModelService.Access.OPEN,
          null,
          List.of(),
          RouteOptions.NONE);
  private final List<Seen> seen = new ArrayList<>();

  private void replicas(int version, int from, int count, Condition condition) {
    for (int ordinal = from; ordinal < from + count; ordinal++) {
      Replica replica =
          Replica.wanted(version, ordinal, 1, ordinal >= CHAT.minReplicas())
              .submitted(new JobId(new UUID(version, ordinal)));
      seen.add(new Seen(replica, condition, condition == Condition.READY ? "" : "it waits"));
    }
  }

  /** A service whose load requires this many replicas. The current load is unknown. */
  private ServiceState wanting(int replicas) {
    return ServiceState.first(CHAT.id(), new TenantId(new UUID(1, 2)), "prj/chat", CHAT.route())
        .with(seen.stream().map(Seen::replica).toList())
        .measured(new Scaling(replicas, 100.0, "", List.of(), List.of()), null);
  }

  private ServiceState next(ServiceState state) {
    return ServicePlan.next(CHAT, state, seen, new TreeMap<>(), NOW);
  }

  /** Four of six replicas have quota: fails when the new version needs all six. */
  @Test
  void rolloutIgnoresReplicasThatTheOldVersionNeverHad() {
    replicas(1, 0, 4, Condition.READY);
    replicas(1, 4, 2, Condition.WAITING);
    replicas(2, 0, 3, Condition.READY);
    ServiceState promoting = wanting(6).released(NOW).promoted(2, "mia", NOW);
    ServiceState waits = next(promoting);
    assertThat(waits.rollout()).extracting(Rollout::open).isEqualTo(true);
    assertThat(waits.rollout().reason())
        .satisfies(reason("service-surplus.replicas-version-ready", 3, 4, 2));

    replicas(2, 3, 1, Condition.READY);
    ServiceState promoted = next(promoting);
    assertThat(promoted.stable()).isEqualTo(2);
    assertThat(promoted.rollout().phase()).isEqualTo(RolloutPhase.PROMOTED);
  }

  /** Fails when a rollout at maxReplicas has no room, or stops more than one replica for it. */
  @Test
  void rolloutAtMaxReplicasReplacesOneReplicaAtATime() {
    replicas(1, 0, 12, Condition.READY);
    ServiceState state = next(wanting(12).released(NOW));
    assertThat(state.replicas()).hasSize(12).filteredOn(Replica::stopping).hasSize(1);
  }

  /** A replica of the floor crashed: fails when a preemptible one takes its place for good. */
  @Test
  void floorIsRestoredBeforeSurplusIsStopped() {
    replicas(1, 0, 1, Condition.ENDED);
    replicas(1, 1, 4, Condition.READY);
    ServiceState fewer = next(wanting(2));
    assertThat(fewer.replicas())
        .filteredOn(r -> !r.stopping())
        .extracting(Replica::ordinal)
        .containsExactlyInAnyOrder(0, 1, 2);

    seen.clear();
    replicas(1, 0, 3, Condition.READY);
    assertThat(next(wanting(2)).replicas())
        .filteredOn(r -> !r.stopping())
        .extracting(Replica::surplus)
        .containsExactly(false, false);
  }

  /** Fails when a raised floor consists of replicas that may be preempted. */
  @Test
  void aFloorOfSurplusIsReplaced() {
    replicas(1, 2, 4, Condition.READY);
    ServiceState state = next(wanting(4));
    assertThat(state.replicas()).filteredOn(r -> !r.surplus()).hasSize(2);
    assertThat(state.replicas()).hasSize(6).noneMatch(Replica::stopping);
  }

  /** Fails when surplus leaves no room below maxReplicas for a raised floor. */
  @Test
  void surplusYieldsToTheFloorAtMaxReplicas() {
    replicas(1, 2, 11, Condition.READY);
    replicas(1, 13, 1, Condition.WAITING);
    ServiceState room = next(wanting(12));
    assertThat(room.replicas()).filteredOn(Replica::stopping).hasSize(2);

    seen.clear();
    room.replicas().forEach(each -> seen.add(new Seen(each, Condition.READY, "")));
    ServiceState waits = next(wanting(12));
    assertThat(waits.replicas()).filteredOn(Replica::stopping).hasSize(2);

    seen.removeIf(each -> each.replica().stopping());
    assertThat(next(wanting(12)).replicas()).hasSize(12).filteredOn(r -> !r.surplus()).hasSize(2);
  }

  private void queued(int version, int ordinal, int second) {
    Replica replica =
        Replica.wanted(version, ordinal, 1, version == 1)
            .submitted(new JobId(new UUID(version, ordinal)));
    Instant since = NOW.minusSeconds(60 - second);
    seen.add(new Seen(replica, Condition.WAITING, "it waits", false, since, false, null));
  }

  /**
   * Fails when surplus that waits for quota gets it before the rollout, or yields to it forever.
   */
  @Test
  void queuedSurplusYieldsToTheRollout() {
    replicas(1, 0, 4, Condition.READY);
    queued(1, 4, 0);
    queued(2, 0, 1);
    ServiceState first = next(wanting(5).released(NOW));
    assertThat(first.replicas())
        .filteredOn(Replica::stopping)
        .singleElement()
        .matches(each -> each.version() == 1 && each.ordinal() == 4);

    seen.remove(4);
    queued(1, 4, 2);
    assertThat(next(wanting(5).released(NOW)).replicas()).noneMatch(Replica::stopping);
  }

  /**
   * Fails when each replica of a rollout cancels as many waiting jobs as the load requires
   * replicas.
   */
  @Test
  void fewReplicasAboveTheFloorWaitDuringARollout() {
    replicas(1, 0, 4, Condition.READY);
    queued(2, 0, 1);
    ServiceState rolling = wanting(11).released(NOW);
    assertThat(next(rolling).replicas()).hasSize(5 + ReplicaPlan.MOST_QUEUED);

    for (int ordinal = 4; ordinal < 4 + ReplicaPlan.MOST_QUEUED; ordinal++) {
      queued(1, ordinal, 2);
    }
    assertThat(next(rolling).replicas()).hasSameSizeAs(seen);

    seen.removeIf(each -> each.replica().version() == 2);
    assertThat(next(wanting(11)).replicas()).hasSize(11);
  }

  /** Fails when a load target stops replicas before the load is known. */
  @Test
  void newLoadTargetStartsFromTheCurrentReplicas() {
    replicas(1, 0, 8, Condition.READY);
    ServiceState state = next(wanting(2).measured(null, null));
    assertThat(state.wanted(CHAT)).isEqualTo(8);
    assertThat(state.replicas()).hasSize(8).noneMatch(Replica::stopping);
  }
}
