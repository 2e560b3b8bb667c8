package dev.fairlead.fleet.node.gpu;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Slots of the devices that a node reports by UUID. A device retains its slot, even if devices
 * before it appear or disappear, because allocations refer to slots. Pure.
 */
public final class DeviceSlots {
  private DeviceSlots() {}

  /**
   * Returns the reported devices with the index of their slot. A new device takes the first slot
   * without a device and an allocation, or a new slot if none exists. Devices without UUID retain
   * the index of their report, because the index is their name.
   *
   * @param known slots of the node
   * @param reported devices in any order
   */
  public static List<Gpu> assigned(List<Gpu> known, List<Gpu> reported) {
    if (reported.isEmpty() || !reported.stream().allMatch(g -> DeviceUuid.matches(g.serial()))) {
      return reported;
    }
    Map<String, Integer> slots = new TreeMap<>();
    known.forEach(slot -> slots.put(slot.serial(), slot.index()));
    Set<Integer> taken = new TreeSet<>();
    known.stream().filter(slot -> slot.allocatedMilli() > 0).forEach(g -> taken.add(g.index()));
    reported.forEach(
        gpu -> taken.add(slots.getOrDefault(gpu.serial(), -1))); // -1 is the index of no slot
    List<Gpu> assigned = new ArrayList<>();
    int next = 0;
    for (Gpu gpu : reported) {
      Integer index = slots.get(gpu.serial());
      while (index == null && taken.contains(next)) {
        next++;
      }
      int slot = index == null ? next++ : index;
      assigned.add(new Gpu(slot, gpu.serial(), gpu.state(), gpu.allocatedMilli(), gpu.slices()));
    }
    assigned.sort(Comparator.comparingInt(Gpu::index));
    return List.copyOf(assigned);
  }
}
