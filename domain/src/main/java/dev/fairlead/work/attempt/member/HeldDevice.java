package dev.fairlead.work.attempt.member;

import dev.fairlead.fleet.node.gpu.DeviceUuid;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A physical GPU that a member holds, in full or in part.
 *
 * @param gpu UUID of the device
 * @param part whether the member shares the device: the id was a replica of time-slicing or MPS
 */
public record HeldDevice(String gpu, boolean part) implements Comparable<HeldDevice> {
  /** Maximum number of devices of one report about a member. */
  public static final int MOST = 256;

  /** NVIDIA's device plugin appends the number of a replica to the UUID. */
  private static final Pattern ID = Pattern.compile("(GPU-[^:]{1,64})(::[0-9]{1,5})?");

  /**
   * Reads an id of a device plugin. The result is empty for an id that is not a physical GPU: a MIG
   * slice, a vGPU, an index.
   */
  public static Optional<HeldDevice> ofPlugin(String id) {
    Matcher parts = ID.matcher(id);
    return parts.matches() && DeviceUuid.matches(parts.group(1))
        ? Optional.of(new HeldDevice(parts.group(1), parts.group(2) != null))
        : Optional.empty();
  }

  /**
   * Reads all ids that a source reports for a member, in order of their UUIDs. The result is empty
   * if any device is not a physical GPU, because a partial list would look complete.
   */
  public static List<HeldDevice> ofPlugin(Collection<String> ids) {
    SortedSet<HeldDevice> devices = new TreeSet<>();
    for (String id : ids) {
      Optional<HeldDevice> device = ofPlugin(id);
      if (device.isEmpty() || devices.size() >= MOST) {
        return List.of();
      }
      devices.add(device.get());
    }
    return List.copyOf(devices);
  }

  @Override
  public int compareTo(HeldDevice other) {
    int byGpu = gpu.compareTo(other.gpu);
    return byGpu != 0 ? byGpu : Boolean.compare(part, other.part);
  }
}
