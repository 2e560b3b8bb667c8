package dev.fairlead.work.placement.score;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.placement.shape.BookedNodes;
import dev.fairlead.work.placement.shape.MemberShape;
import dev.fairlead.work.placement.shape.Neighbours;
import dev.fairlead.work.placement.shape.NodeTerms;
import dev.fairlead.work.spec.PlacementSpec.Numa;
import java.util.Collections;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** The measure of section 3 of the paper, extended by CPU. */
class UsableGpuTest {
  private static final Offset<Double> EXACT = Offset.offset(1e-6);
  private static final long MUCH = 1_000_000;

  private final ShapeMix mix = new ShapeMix();

  private void ask(GpuRequest gpu, int cores, long count) {
    mix.add(
        new MemberShape(
            0,
            "m",
            1,
            1,
            gpu,
            cores * 1000L,
            1024,
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

  private double fragmented(long cpuMilli, int... free) {
    return mix.on("H100", 0).fragmented(free, cpuMilli, MUCH);
  }

  @Test
  void fractionUsesDevicesWithEnoughFreeMemory() {
    ask(GpuRequest.fraction(500), 1, 1);
    assertThat(fragmented(MUCH, 400, 600, 1000)).isCloseTo(400, EXACT);
  }

  @Test
  void wholeDevicesAreUsableWhenTheirNumberSuffices() {
    ask(GpuRequest.whole(2), 1, 1);
    assertThat(fragmented(MUCH, 1000, 900, 1000)).isCloseTo(900, EXACT);
    assertThat(fragmented(MUCH, 1000, 900, 0)).isCloseTo(1900, EXACT);
  }

  @Test
  void allIdleCapacityIsUnusableForShapesWithoutCpuModelOrGpu() {
    ask(GpuRequest.whole(1), 8, 1);
    assertThat(fragmented(7000, 1000)).isCloseTo(1000, EXACT);
    assertThat(mix.on("CPU", 0).fragmented(new int[0], MUCH, MUCH)).isZero();
    ask(GpuRequest.whole(1, "A100"), 1, 1);
    ask(GpuRequest.NONE, 1, 2);
    assertThat(fragmented(MUCH, 1000)).isCloseTo(750, EXACT);
  }

  @Test
  void shapesAreWeightedByTheirDemand() {
    ask(GpuRequest.fraction(300), 1, 3);
    ask(GpuRequest.fraction(700), 1, 1);
    assertThat(fragmented(MUCH, 500)).isCloseTo(125, EXACT);
  }

  /** Fails when the score ignores that the idle CPUs are too few for the idle GPUs. */
  @Test
  void gpusWithoutEnoughCpusCountLess() {
    ask(GpuRequest.whole(1), 8, 1);
    UsableGpu usable = mix.on(new GpuKind("H100", 0), 0.2);
    int[] free = {1000, 1000};
    assertThat(usable.of(free, 16_000, MUCH)).isCloseTo(2000, EXACT);
    assertThat(usable.of(free, 8000, MUCH)).isLessThan(2000).isGreaterThan(1000);
  }
}
