package dev.fairlead.work.workload.kubernetes.kind;

import static dev.fairlead.fleet.cluster.connection.PodDevices.EXTENDED_RESOURCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.connection.PodDevices;
import dev.fairlead.front.FrontRequest;
import dev.fairlead.kernel.resources.ResourceVector;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Objects with GPUs on clusters whose pods claim GPUs. */
class KindClaimsTest {
  /** Fails when the pods of an object wait for a resource that no node of the cluster has. */
  @ParameterizedTest
  @ValueSource(strings = {"jobset", "pytorchjob", "mpijob", "raycluster", "rayjob"})
  void objectWithGpusIsRejectedOnAClusterThatAllocatesThemByClaims(String name) {
    Kind kind = Kinds.find(name).orElseThrow();
    PodDevices claimed = PodDevices.claimed("gpu.nvidia.com", "gpu.nvidia.com");
    KindObject gpus = KindObject.of(kind, KindsTest.read(KindsTest.object(name)));
    String without = KindsTest.object(name).replace("gpu\": 8", "gpu\": 0");
    KindObject none = KindObject.of(kind, KindsTest.read(without));
    KindObject claims =
        KindObject.of(
            kind,
            KindsTest.read(
                without.replace(
                    "containers:",
                    "resourceClaims: [{name: g, resourceClaimName: mine}], containers:")));

    assertThat(KindDocument.of(kind, gpus, "eu-1", claimed))
        .isInstanceOfSatisfying(
            FrontRequest.Inexpressible.class,
            refused -> {
              assertThat(refused.field()).endsWith("/spec/containers");
              assertThat(refused.why()).contains("nvidia.com/gpu", "ResourceClaims", "Workload");
            });
    assertThat(KindDocument.of(kind, claims, "eu-1", claimed))
        .isInstanceOfSatisfying(
            FrontRequest.Inexpressible.class,
            refused -> assertThat(refused.field()).endsWith("/spec/resourceClaims"));
    assertThat(KindDocument.of(kind, claims, "eu-1", EXTENDED_RESOURCE))
        .isInstanceOf(FrontRequest.Document.class);
    assertThat(KindDocument.of(kind, none, "eu-1", claimed))
        .isInstanceOf(FrontRequest.Document.class);
  }

  /**
   * Fails when an object waits for nvidia.com/gpu, although its nodes offer it, or never starts.
   */
  @Test
  void objectWithGpusNeedsANodeSelectorThatExcludesTheNodesWithClaims()
      throws KindObject.Unreadable {
    Kind kind = Kinds.find("jobset").orElseThrow();
    SortedMap<String, String> labels = new TreeMap<>();
    labels.put("example.com/pool", "h200");
    labels.put("zone", "a");
    PodDevices part = PodDevices.claimed("gpu.nvidia.com", "gpu.nvidia.com").on(labels);
    SortedMap<String, ResourceVector> room = new TreeMap<>();
    room.put("leader", ResourceVector.of(2000, 4096, 8000, 1));
    room.put("worker", ResourceVector.of(2000, 4096, 8000, 1));

    for (String selector : List.of("{}", "{zone: a}", "{example.com/pool: h200, zone: a}")) {
      assertThat(KindDocument.of(kind, selecting(kind, selector), "eu-1", part))
          .as(selector)
          .isInstanceOfSatisfying(
              FrontRequest.Inexpressible.class,
              refused ->
                  assertThat(refused.why())
                      .contains("example.com/pool=h200,zone=a", "nodeSelector"));
    }
    for (String selector : List.of("{zone: b}", "{example.com/pool: a100, zone: a}")) {
      KindObject object = selecting(kind, selector);
      assertThat(KindDocument.of(kind, object, "eu-1", part))
          .as(selector)
          .isInstanceOf(FrontRequest.Document.class);
      KindDocument.check(object, room, part);
    }
  }

  private static KindObject selecting(Kind kind, String selector) {
    String object =
        KindsTest.object(kind.name())
            .replace("containers:", "nodeSelector: " + selector + ", containers:");
    return KindObject.of(kind, KindsTest.read(object));
  }

  /** Fails when a job that was accepted before its cluster changed to claims starts its object. */
  @Test
  void anObjectWithGpusIsNotStartedAfterItsClusterChangedToClaims() {
    Kind kind = Kinds.find("jobset").orElseThrow();
    SortedMap<String, ResourceVector> room = new TreeMap<>();
    room.put("leader", ResourceVector.of(2000, 4096, 8000, 1));
    room.put("worker", ResourceVector.of(2000, 4096, 8000, 1));
    KindObject object = KindObject.of(kind, KindsTest.read(KindsTest.object("jobset")));
    PodDevices claimed = PodDevices.claimed("gpu.nvidia.com", "gpu.nvidia.com");

    assertThatThrownBy(() -> KindDocument.check(object, room, claimed))
        .isInstanceOf(KindObject.Unreadable.class)
        .hasMessageContaining("ResourceClaims");
  }
}
