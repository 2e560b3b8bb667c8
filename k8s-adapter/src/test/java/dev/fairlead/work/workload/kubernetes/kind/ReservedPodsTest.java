package dev.fairlead.work.workload.kubernetes.kind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.workload.kubernetes.node.Inventory;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The foreign pods that use a node outside the reservations. Each pod here has one CPU. */
class ReservedPodsTest {
  private static final AttemptId ATTEMPT = new AttemptId(new UUID(1, 2));
  private static final InPlace OBJECT =
      new InPlace(
          ATTEMPT,
          Kinds.find("jobset").orElseThrow(),
          "team-a",
          "train",
          "u",
          new TreeMap<>(Map.of("worker", 2)),
          ResourceVector.of(1000, 1, 0, 1),
          new TreeMap<>(Map.of("n", 2)));

  private final Inventory inventory = new Inventory(null);
  private final Map<AttemptId, InPlace> known = new HashMap<>();
  private final ReservedPods pods = new ReservedPods(known::get, inventory);

  @BeforeEach
  void aNode() {
    inventory.node(null, NodeReports.node("n").build());
  }

  private void begins() {
    known.put(ATTEMPT, OBJECT);
    boolean _ = pods.counted(ATTEMPT);
  }

  private static ReservedPods.Seen pod(
      String name, String namespace, @Nullable AttemptId attempt, boolean controlled) {
    return pod(name, namespace, attempt, controlled, 1);
  }

  private static ReservedPods.Seen pod(
      String name, String namespace, @Nullable AttemptId attempt, boolean controlled, int cpus) {
    return new ReservedPods.Seen(
        new Inventory.ForeignPod(
            namespace + "/" + name, "n", ResourceVector.of(cpus * 1000, 1, 0, 1)),
        namespace,
        attempt,
        controlled,
        attempt == null ? null : new ObjectPod(name, "n", Map.of(), "Running", 0));
  }

  private static ReservedPods.Seen member(String name) {
    return pod(name, "team-a", ATTEMPT, true);
  }

  private void shown(ReservedPods.Seen pod) {
    boolean _ = pods.changed(null, pod);
  }

  private long foreignCpus() {
    return inventory.view().nodes().getFirst().foreign().cpuMilli() / 1000;
  }

  @Test
  void aPodOfAnObjectInPlaceIsNotForeign() {
    begins();
    shown(member("a"));
    assertThat(foreignCpus()).isZero();
  }

  /** Fails when pods with a megabyte of labels each fill the memory of the supervisor. */
  @Test
  void aPodIsRecordedWithoutTheOtherLabelsOfItsUser() {
    String role = "jobset.sigs.k8s.io/replicatedjob-name";
    Pod pod =
        new PodBuilder()
            .withNewMetadata()
            .withName("a")
            .addToLabels(role, "worker")
            .addToLabels("team-a/x", "1")
            .endMetadata()
            .withNewSpec()
            .withNodeName("n")
            .endSpec()
            .build();

    assertThat(ObjectPod.of(pod).labels()).containsOnly(Map.entry(role, "worker"));
  }

  /** Fails when a user hides pods from the count of foreign pods by the label. */
  @Test
  void aPodWithAForgedLabelIsForeign() {
    begins();
    shown(pod("other-attempt", "team-a", new AttemptId(new UUID(3, 4)), true));
    shown(pod("other-namespace", "team-b", ATTEMPT, true));
    shown(pod("by-hand", "team-a", ATTEMPT, false));
    shown(pod("no-label", "team-a", null, true));
    assertThat(foreignCpus()).isEqualTo(4);
  }

  /** Fails when a controller of the user hides more pods than the attempt has reserved. */
  @Test
  void omittedPodsAreCappedByTheReservedCount() {
    begins();
    for (String name : new String[] {"a", "b", "c", "d"}) {
      shown(member(name));
    }
    assertThat(foreignCpus()).isEqualTo(2);

    boolean _ = pods.changed(member("a"), null);
    assertThat(foreignCpus()).as("c takes the place of a").isEqualTo(1);
    boolean _ = pods.changed(member("d"), null);
    assertThat(foreignCpus()).isZero();
  }

  /** Fails when a forged pod takes the place of a pod of the object that changes its phase. */
  @Test
  void aPodKeepsItsReservationWhileItsPhaseChanges() {
    begins();
    for (String name : new String[] {"a", "b", "c"}) {
      shown(member(name));
    }
    ReservedPods.Seen restarted =
        new ReservedPods.Seen(
            member("a").pod(),
            "team-a",
            ATTEMPT,
            true,
            new ObjectPod("a", "n", Map.of(), "Running", 3));

    assertThat(pods.changed(member("a"), restarted)).isFalse();
    assertThat(pods.of(ATTEMPT))
        .extracting(ObjectPod::name, ObjectPod::restarts)
        .containsExactly(tuple("a", 3), tuple("b", 0));
    assertThat(foreignCpus()).isEqualTo(1);
  }

  /** Fails when a user hides a pod on a node that Fairlead gives to others. */
  @Test
  void podOnANodeWithoutAReservationIsForeign() {
    inventory.node(null, NodeReports.node("other").build());
    begins();
    Inventory.ForeignPod there =
        new Inventory.ForeignPod("team-a/a", "other", ResourceVector.of(1000, 1, 0, 1));
    shown(new ReservedPods.Seen(there, "team-a", ATTEMPT, true, null));
    shown(member("b"));
    assertThat(inventory.view().nodes())
        .extracting(node -> node.foreign().cpuMilli())
        .containsExactly(0L, 1000L);
  }

  /** Fails when a user hides a pod that is larger than the reserved pods. */
  @Test
  void thePartOfAPodBeyondItsReservationIsForeign() {
    ReservedPods.Seen large = pod("a", "team-a", ATTEMPT, true, 8);
    shown(large);
    begins();
    assertThat(foreignCpus()).isEqualTo(7);
    assertThat(pods.changed(large, member("a"))).as("it shrinks").isTrue();
    assertThat(foreignCpus()).isZero();
    assertThat(pods.changed(member("a"), large)).isTrue();
    known.clear();
    assertThat(pods.counted(ATTEMPT)).isTrue();
    assertThat(foreignCpus()).as("its reservation has ended").isEqualTo(8);
    assertThat(pods.changed(large, null)).isTrue();
    assertThat(foreignCpus()).isZero();
  }

  /** Fails when a starting process counts the pods twice, because it reads them first. */
  @Test
  void aPodIsCountedAgainWhenItsObjectIsRecordedOrForgotten() {
    shown(member("a"));
    assertThat(foreignCpus()).as("before the anchor is seen").isEqualTo(1);
    begins();
    assertThat(foreignCpus()).isZero();
    known.clear();
    boolean _ = pods.counted(ATTEMPT);
    assertThat(foreignCpus()).as("its reservation has ended").isEqualTo(1);
  }

  @Test
  void podThatLosesItsLabelIsForeign() {
    begins();
    shown(member("a"));
    assertThat(pods.changed(member("a"), pod("a", "team-a", null, true))).isTrue();
    assertThat(foreignCpus()).isEqualTo(1);
    assertThat(pods.changed(pod("a", "team-a", null, true), null)).isTrue();
    assertThat(foreignCpus()).isZero();
  }
}
