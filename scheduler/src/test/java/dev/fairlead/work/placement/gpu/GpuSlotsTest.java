package dev.fairlead.work.placement.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.kernel.resources.GpuRequest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GpuSlotsTest {
  private static GpuSlots slots(int... allocated) {
    List<Gpu> gpus = new ArrayList<>();
    for (int milli : allocated) {
      gpus.add(new Gpu(gpus.size(), "s" + gpus.size(), GpuState.HEALTHY, milli));
    }
    return new GpuSlots(gpus, gpus.stream().mapToLong(Gpu::freeMilli).sum(), null);
  }

  @Test
  void wholeGpusAreAllocatedLowestFirstOnIdleSlots() {
    GpuSlots slots = slots(0, 500, 0, 0);
    assertThat(slots.fits(GpuRequest.whole(2), 0)).isEqualTo(1);
    assertThat(slots.take(GpuRequest.whole(2), 0)).containsExactly(0, 2);
    assertThat(slots.freeWhole()).isEqualTo(1);
  }

  @Test
  void fractionUsesTheBestFit() {
    assertThat(slots(0, 500, 300).take(GpuRequest.fraction(500), 0)).containsExactly(1);
    assertThat(slots(0, 600, 300).take(GpuRequest.fraction(500), 0)).containsExactly(2);
    assertThat(slots(0, 600, 700).take(GpuRequest.fraction(500), 0)).containsExactly(0);
  }

  @Test
  void sixtyFourQuartersAreFourPerGpu() {
    GpuSlots slots = slots(new int[16]);
    assertThat(slots.fits(GpuRequest.fraction(250), 0)).isEqualTo(64);
    assertThat(slots.fits(GpuRequest.fraction(300), 0)).isEqualTo(48);
  }

  @Test
  void aShareOfDeviceMemoryIsRoundedUpToThousandths() {
    GpuRequest memory = new GpuRequest(GpuRequest.Kind.MEMORY, 0, 0, 2000, null, List.of(), 0);
    assertThat(slots(0).fits(memory, 46_068)).as("44 milli each, 1000 in all").isEqualTo(22);
  }

  @Test
  void aFailedGpuIsNotFree() {
    GpuSlots slots = new GpuSlots(List.of(new Gpu(0, "s", GpuState.FAILED, 0)), 1000, null);
    assertThat(slots.freeWhole()).isZero();
    assertThat(slots.capacity(GpuRequest.whole(1), 0)).isEqualTo(1);
  }

  @Test
  void foreignUseReducesCapacityWithoutASlot() {
    GpuSlots slots =
        new GpuSlots(
            List.of(new Gpu(0, "a", GpuState.HEALTHY, 0), new Gpu(1, "b", GpuState.HEALTHY, 0)),
            1000,
            null);
    assertThat(slots.fits(GpuRequest.whole(1), 0)).isEqualTo(1);
    assertThat(slots.fits(GpuRequest.fraction(600), 0)).isEqualTo(1);
  }

  @Test
  void releaseRestoresAllSlots() {
    GpuSlots slots = slots(0, 400, 0);
    int[] whole = slots.take(GpuRequest.whole(2), 0);
    int[] part = slots.take(GpuRequest.fraction(600), 0);
    slots.give(part, 600);
    slots.give(whole, 1000);
    assertThat(slots.freeWhole()).isEqualTo(2);
    assertThat(slots.idleMilli()).isEqualTo(2600);
    assertThat(slots.shared()).isTrue();
  }
}
