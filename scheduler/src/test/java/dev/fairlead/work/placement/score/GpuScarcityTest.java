package dev.fairlead.work.placement.score;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.placement.shape.BookedNodes;
import dev.fairlead.work.placement.shape.MemberShape;
import dev.fairlead.work.placement.shape.Neighbours;
import dev.fairlead.work.placement.shape.NodeTerms;
import dev.fairlead.work.spec.PlacementSpec.Numa;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** Demand for each kind of GPU in shares of its size. */
class GpuScarcityTest {
  private static final Offset<Double> EXACT = Offset.offset(1e-9);
  private static final GpuKind T4 = new GpuKind("T4", 16_384);
  private static final GpuKind H100 = new GpuKind("H100", 81_920);

  private final ShapeMix mix = new ShapeMix();

  private void ask(GpuRequest gpu, long count) {
    mix.add(
        new MemberShape(
            0,
            "m",
            1,
            1,
            gpu,
            1_000,
            1_024,
            false,
            null,
            new NodeTerms(
                Collections.emptySortedMap(),
                Neighbours.ANY,
                Numa.NONE,
                Collections.emptySortedMap(),
                BookedNodes.NONE,
                false,
                Collections.emptySortedSet())),
        count);
  }

  private GpuScarcity scarcity() {
    return mix.scarcity(new TreeMap<>(Map.of(T4, 2L, H100, 8L)));
  }

  @Test
  void fleetWhereAnyKindIsAcceptedHasNoScarceOne() {
    ask(GpuRequest.fraction(500), 7);
    assertThat(scarcity().of(T4)).isCloseTo(1, EXACT);
    assertThat(scarcity().of(H100)).isCloseTo(1, EXACT);
  }

  @Test
  void halfOfTheDemandOnAFifthOfTheGpusMarksThemScarce() {
    ask(GpuRequest.whole(1, "T4"), 3);
    ask(GpuRequest.whole(1), 3);
    assertThat(scarcity().of(T4)).isCloseTo(3, EXACT);
    assertThat(scarcity().of(H100)).isCloseTo(0.5, EXACT);
  }

  /** Fails when a share of memory counts on GPUs that are too small for the share. */
  @Test
  void demandThatNoGpuOfAKindFitsIsNotCountedForIt() {
    ask(new GpuRequest(GpuRequest.Kind.MEMORY, 0, 0, 40_000, null, List.of(), 0), 1);
    assertThat(scarcity().of(T4)).isZero();
    assertThat(scarcity().of(H100)).isPositive();
  }

  @Test
  void membersWithoutGpusAddNoDemand() {
    ask(GpuRequest.NONE, 5);
    assertThat(scarcity().of(T4)).isZero();
  }
}
