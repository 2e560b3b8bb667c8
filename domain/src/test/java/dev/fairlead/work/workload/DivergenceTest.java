package dev.fairlead.work.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class DivergenceTest {
  private final TestWorld world = TestWorld.in(MemoryStores.empty(1));
  private final Attempt running =
      world.run(world.place(world.submit(Specs.job("a").gpus(1)), 0, "node-1"));

  private static ObservedWorkload shown(AttemptId attempt, MemberState state) {
    MemberKey key = new MemberKey("worker", 0, 0);
    return new ObservedWorkload(
        attempt,
        new TreeMap<>(
            Map.of(key, ObservedMember.of(key, "uid", state, "node-1").withStarted(true))),
        false);
  }

  private List<Divergence.Kind> kinds(Map<AttemptId, ObservedWorkload> shown, Attempt... stored) {
    return Divergence.of(world.cluster().id(), shown, List.of(stored)).stream()
        .map(Divergence::kind)
        .toList();
  }

  @Test
  void objectsThatMatchTheDatabaseDoNotDiverge() {
    assertThat(kinds(Map.of(running.id(), shown(running.id(), MemberState.RUNNING)), running))
        .isEmpty();
  }

  @Test
  void attemptMissingFromTheDatabaseIsUnknownHere() {
    assertThat(kinds(Map.of(running.id(), shown(running.id(), MemberState.SUCCEEDED))))
        .containsExactly(Divergence.Kind.UNKNOWN_HERE);
  }

  /** Fails when copies of an attempt's objects on another cluster count as that attempt. */
  @Test
  void attemptOfAnotherClusterIsReportedAsUnknown() {
    assertThat(
            Divergence.of(
                new ClusterId(new UUID(8, 8)),
                Map.of(running.id(), shown(running.id(), MemberState.RUNNING)),
                List.of(running)))
        .singleElement()
        .satisfies(it -> {
          assertThat(it.kind()).isEqualTo(Divergence.Kind.UNKNOWN_HERE);
          assertThat(it.detail()).contains(world.cluster().id().text());
        });
  }

  @Test
  void liveAttemptStoredAsEndedIsADivergence() {
    Attempt ended = world.succeed(running);
    assertThat(kinds(Map.of(ended.id(), shown(ended.id(), MemberState.RUNNING)), ended))
        .containsExactly(Divergence.Kind.ENDED_HERE);
    assertThat(kinds(Map.of(ended.id(), shown(ended.id(), MemberState.SUCCEEDED)), ended))
        .isEmpty();
  }

  @Test
  void startedAttemptWithoutObjectsIsReportedMissing() {
    assertThat(kinds(Map.of(), running)).containsExactly(Divergence.Kind.MISSING_THERE);
    Attempt planned = world.place(world.submit(Specs.job("b").gpus(1)), 0, "node-1");
    assertThat(kinds(Map.of(), planned)).isEmpty();
  }
}
