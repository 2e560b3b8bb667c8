package dev.fairlead.work.workload.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.kubernetes.front.KindState;
import dev.fairlead.work.workload.kubernetes.front.KindState.Phase;
import dev.fairlead.work.workload.kubernetes.kind.InPlace;
import dev.fairlead.work.workload.kubernetes.kind.Kinds;
import dev.fairlead.work.workload.kubernetes.kind.ObjectPod;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Proof of the end of an attempt in place. */
class InPlaceIndexTest {
  private static final AttemptId ATTEMPT = new AttemptId(new UUID(1, 2));
  private static final InPlace OBJECT =
      new InPlace(
          ATTEMPT,
          Kinds.find("jobset").orElseThrow(),
          "team-a",
          "train",
          "u",
          new TreeMap<>(Map.of("worker", 2)),
          ResourceVector.ZERO,
          new TreeMap<>());
  private static final KindState STOPPED = new KindState(ATTEMPT, Phase.SUSPENDED, true, "");

  private Instant now = Instant.EPOCH;
  private final WorkloadIndex workloads = new WorkloadIndex(0);
  private final InPlaceIndex index = new InPlaceIndex(workloads, () -> now, attempt -> {});

  @BeforeEach
  void anObjectThatFairleadStarted() {
    index.begins(OBJECT);
    index.changed("u", new KindState(ATTEMPT, Phase.STARTING, true, ""));
  }

  /**
   * Fails when the report of a suspension from before the start counts as the end of the start, so
   * that pods that the controller creates at that moment run without a reservation.
   */
  @Test
  void oldSuspensionReportProvesNoEndBeforeALongTimeWithoutPods() {
    assertThat(index.settled(OBJECT, STOPPED)).isFalse();
    now = now.plus(InPlaceIndex.SETTLED).minusMillis(1);
    assertThat(index.settled(OBJECT, STOPPED)).isFalse();

    index.runs(OBJECT);
    now = now.plusMillis(1);
    assertThat(index.settled(OBJECT, STOPPED)).as("a pod ran in between").isFalse();

    now = now.plus(InPlaceIndex.SETTLED);
    assertThat(index.settled(OBJECT, STOPPED)).isTrue();
  }

  @ParameterizedTest
  @EnumSource(
      value = Phase.class,
      names = {"STARTING", "RUNNING", "STOPPING"})
  void reportAfterTheStartProvesTheEndImmediately(Phase phase) {
    index.changed("u", new KindState(ATTEMPT, phase, false, ""));
    assertThat(index.settled(OBJECT, STOPPED)).isTrue();
  }

  /**
   * Fails when the trainer's report of a start proves that the controller of the JobSet has seen
   * it, so that pods which that controller creates later run without a reservation.
   */
  @Test
  void withTwoControllersOnlyAPodReportsTheStart() {
    AttemptId attempt = new AttemptId(new UUID(1, 3));
    InPlace train =
        new InPlace(
            attempt,
            Kinds.find("trainjob").orElseThrow(),
            "team-a",
            "train",
            "t",
            new TreeMap<>(Map.of("worker", 1)),
            ResourceVector.ZERO,
            new TreeMap<>());
    KindState stopped = new KindState(attempt, Phase.SUSPENDED, true, "");
    index.begins(train);
    index.changed("t", new KindState(attempt, Phase.RUNNING, false, ""));
    assertThat(index.settled(train, stopped)).isFalse();

    boolean _ = index.pods(attempt, List.of(pod("a", "worker", 0)));
    assertThat(index.settled(train, stopped)).isTrue();
  }

  @Test
  void objectNotStartedForTheAttemptNeedsNoReport() {
    index.reported(OBJECT);
    assertThat(index.settled(OBJECT, STOPPED)).isTrue();
  }

  @Test
  void reportOfAnEarlierAttemptIsDroppedWithIt() {
    index.reported(OBJECT);
    index.forget(ATTEMPT);
    index.begins(OBJECT);
    assertThat(index.settled(OBJECT, STOPPED)).isFalse();
  }

  /** Fails when an attempt whose anchor was lost by an etcd restore never ends. */
  @Test
  void attemptWithoutItsAnchorEndsAfterALongTimeWithoutObjectsAndPods() {
    index.changed("u", new KindState(ATTEMPT, Phase.RUNNING, false, ""));
    assertThat(index.anchored(OBJECT, null)).isFalse();
    assertThat(index.find(ATTEMPT)).as("its end needs a proof").isEqualTo(OBJECT);

    KindState before = new KindState(null, Phase.SUSPENDED, true, "");
    index.changed("u", before);
    assertThat(index.unproven()).as("the restored object was not started").contains(OBJECT);
    assertThat(index.settled(OBJECT, before)).as("kubelets may still run its pods").isFalse();
    assertThat(index.settled(OBJECT, null)).isFalse();
    now = now.plus(InPlaceIndex.SETTLED);
    assertThat(index.settled(OBJECT, null)).isTrue();
  }

  /** Fails when the pods of an object cannot be found from its job. */
  @Test
  void eachMemberShowsThePodOfItsPartOfTheObject() {
    index.changed("u", new KindState(ATTEMPT, Phase.RUNNING, false, ""));
    assertThat(index.pods(ATTEMPT, List.of(pod("a", "other", 0), pod("b", "worker", 2)))).isTrue();
    assertThat(reasons()).containsExactly("pod b on n1: Running, 2 restarts", null);
    assertThat(index.pods(ATTEMPT, List.of(pod("a", "other", 0), pod("b", "worker", 2)))).isFalse();

    boolean _ = index.pods(ATTEMPT, List.of(pod("b", "worker", 2), pod("c", "worker", 0)));
    assertThat(reasons())
        .containsExactly("pod b on n1: Running, 2 restarts", "pod c on n1: Running");

    assertThat(index.pods(ATTEMPT, List.of())).isTrue();
    assertThat(reasons()).containsOnlyNulls();
    assertThat(workloads.workload(ATTEMPT).members().values())
        .extracting(ObservedMember::state)
        .as("absent pods prove no end")
        .containsOnly(MemberState.RUNNING);
  }

  /** Fails when one new pod of a large object changes the reasons of all its members. */
  @Test
  void aPodRemainsThePodOfItsMember() {
    index.changed("u", new KindState(ATTEMPT, Phase.RUNNING, false, ""));
    index.pods(ATTEMPT, List.of(pod("m", "worker", 0)));
    index.pods(ATTEMPT, List.of(pod("b", "worker", 0), pod("m", "worker", 1)));
    assertThat(reasons())
        .containsExactly("pod m on n1: Running, 1 restart", "pod b on n1: Running");

    index.pods(ATTEMPT, List.of(pod("b", "worker", 0)));
    assertThat(reasons())
        .as("the first pod has ended")
        .containsExactly(null, "pod b on n1: Running");
  }

  private List<@Nullable String> reasons() {
    return workloads.workload(ATTEMPT).members().values().stream()
        .map(ObservedMember::reason)
        .collect(Collectors.toCollection(ArrayList::new));
  }

  private static ObjectPod pod(String name, String part, int restarts) {
    Map<String, String> labels = Map.of("jobset.sigs.k8s.io/replicatedjob-name", part);
    return new ObjectPod(name, "n1", labels, "Running", restarts);
  }

  /** Fails when a process that does not see the anchor misses the state of the object. */
  @Test
  void storedAttemptHasTheStateOfItsObjectBeforeItsAnchorIsShown() {
    index.forget(ATTEMPT);
    assertThat(index.recognised(OBJECT, false)).isTrue();
    assertThat(workloads.workload(ATTEMPT).members()).hasSize(2);
    assertThat(index.settled(OBJECT, null)).as("it was never observed").isTrue();
    assertThat(index.recognised(OBJECT, true)).as("it is known").isFalse();
  }

  /**
   * Fails when a process that starts after a restore never ends the attempt, or ends it
   * immediately.
   */
  @Test
  void observedAttemptWithoutAnAnchorIsLostUntilTheAnchorIsShown() {
    index.forget(ATTEMPT);
    KindState before = new KindState(null, Phase.SUSPENDED, true, "");
    index.changed("u", before);
    assertThat(index.recognised(OBJECT, true)).isFalse();
    assertThat(index.unproven()).contains(OBJECT);
    assertThat(index.settled(OBJECT, before)).isFalse();

    now = now.plus(InPlaceIndex.SETTLED);
    index.anchored(null, OBJECT);
    assertThat(index.unproven()).as("the watch was behind").isEmpty();
  }

  @Test
  void anchorRemovedAfterTheEndIsForgotten() {
    assertThat(index.proven(OBJECT, Phase.SUCCEEDED, "")).isTrue();
    assertThat(index.anchored(OBJECT, null)).isTrue();
    assertThat(index.find(ATTEMPT)).isNull();
  }

  @Test
  void aDeletedOrFinishedObjectNeedsNoReportOfASuspension() {
    assertThat(index.settled(OBJECT, null)).isTrue();
    assertThat(index.settled(OBJECT, new KindState(ATTEMPT, Phase.FAILED, true, ""))).isTrue();
    now = now.plus(Duration.ofSeconds(1));
    assertThat(index.settled(OBJECT, STOPPED)).isFalse();
  }
}
