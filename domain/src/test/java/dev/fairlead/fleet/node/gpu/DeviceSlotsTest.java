package dev.fairlead.fleet.node.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.util.List;
import org.junit.jupiter.api.Test;

class DeviceSlotsTest {
  private static Gpu slot(int index, String serial, int allocated) {
    return new Gpu(index, serial, GpuState.HEALTHY, allocated);
  }

  private static String uuid(int gpu) {
    return "GPU-00000000-0000-0000-0000-00000000000" + gpu;
  }

  @Test
  void newDevicesTakeSlotsInTheirOrder() {
    List<Gpu> reported = List.of(slot(0, uuid(5), 0), slot(1, uuid(3), 0));

    assertThat(DeviceSlots.assigned(List.of(), reported)).isEqualTo(reported);
  }

  /**
   * Fails when an allocation would refer to another device after the removal of a device before it.
   */
  @Test
  void aDeviceRetainsItsSlotWhenAnEarlierDeviceDisappears() {
    List<Gpu> known = List.of(slot(0, uuid(0), 0), slot(1, uuid(1), 0), slot(2, uuid(2), 1000));

    assertThat(DeviceSlots.assigned(known, List.of(slot(0, uuid(1), 0), slot(1, uuid(2), 0))))
        .extracting(Gpu::index, Gpu::serial)
        .containsExactly(tuple(1, uuid(1)), tuple(2, uuid(2)));
  }

  @Test
  void newDeviceUsesTheFirstSlotWithoutDeviceAndAllocation() {
    List<Gpu> known = List.of(slot(0, uuid(0), 1000), slot(1, uuid(1), 0), slot(2, uuid(2), 0));

    assertThat(
            DeviceSlots.assigned(
                known, List.of(slot(0, uuid(7), 0), slot(1, uuid(2), 0), slot(2, uuid(8), 0))))
        .extracting(Gpu::index, Gpu::serial)
        .containsExactly(tuple(1, uuid(7)), tuple(2, uuid(2)), tuple(3, uuid(8)));
  }

  @Test
  void devicesWithoutUuidRetainTheIndexOfTheirReport() {
    List<Gpu> known = List.of(slot(0, uuid(0), 0));
    List<Gpu> reported = List.of(slot(0, "gpu-7/0", 0), slot(1, "gpu-7/1", 0));

    assertThat(DeviceSlots.assigned(known, reported)).isEqualTo(reported);
  }
}
