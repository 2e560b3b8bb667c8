package dev.fairlead.work.workload.kubernetes.dra;

import dev.fairlead.fleet.node.gpu.DeviceUuid;
import dev.fairlead.work.workload.kubernetes.call.ReportedText;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.resource.v1.Device;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceAttribute;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceCapacity;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A whole GPU or a MIG slice of a ResourceSlice
 * (https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation).
 *
 * @param uuid UUID of the GPU, also for a slice of the GPU
 * @param product name of the product, empty if the driver publishes none
 * @param memoryMiB device memory of a whole GPU, 0 if the driver publishes none
 * @param tainted whether a taint keeps new pods off the device
 * @param profile MIG profile of a slice, null for a whole GPU
 */
record PublishedGpu(
    DeviceRef ref,
    String node,
    String uuid,
    String product,
    long memoryMiB,
    boolean tainted,
    @Nullable String profile)
    implements Comparable<PublishedGpu> {
  private static final String GPU = "gpu";
  private static final String MIG = "mig";
  private static final Pattern PROFILE = Pattern.compile("[1-9]g\\.[0-9]{1,4}gb(\\+[a-z.]{1,12})?");
  private static final BigDecimal MEBI = new BigDecimal(1L << 20);
  private static final BigDecimal MOST = new BigDecimal(1L << 30);
  private static final int LONGEST = 63;

  /**
   * Reads a device. The result is empty for devices that are neither a whole GPU with a UUID nor a
   * slice of one, and for devices without a node.
   *
   * @param slices whether MIG slices are read
   */
  static Optional<PublishedGpu> of(
      String driver, boolean slices, String pool, @Nullable String node, Device device) {
    String type = text(driver, device, "type");
    boolean slice = slices && type.equals(MIG);
    String uuid = text(driver, device, slice ? "parentUUID" : "uuid");
    String profile = slice ? text(driver, device, "profile") : null;
    if (node == null
        || !ReportedText.plain(device.getName(), LONGEST)
        || !(slice || type.isEmpty() || type.equals(GPU))
        || profile != null && !PROFILE.matcher(profile).matches()
        || !DeviceUuid.matches(uuid)) {
      return Optional.empty();
    }
    /* As in the labels of GPU feature discovery. */
    String product = text(driver, device, "productName").replace(' ', '-');
    boolean tainted =
        device.getTaints() != null
            && device.getTaints().stream().anyMatch(taint -> !"None".equals(taint.getEffect()));
    return Optional.of(
        new PublishedGpu(
            new DeviceRef(pool, device.getName()),
            node,
            uuid,
            ReportedText.plain(product, LONGEST) ? product : "",
            slice ? 0 : memory(driver, device),
            tainted,
            profile));
  }

  private static String text(String driver, Device device, String name) {
    DeviceAttribute attribute = named(driver, device.getAttributes(), name);
    return attribute == null || attribute.getString() == null ? "" : attribute.getString();
  }

  private static long memory(String driver, Device device) {
    DeviceCapacity capacity = named(driver, device.getCapacity(), "memory");
    Quantity value = capacity == null ? null : capacity.getValue();
    return value == null
        ? 0
        : value
            .getNumericalAmount()
            .divide(MEBI, 0, RoundingMode.FLOOR)
            .max(BigDecimal.ZERO)
            .min(MOST)
            .longValueExact();
  }

  /** A name without domain belongs to the driver. */
  private static <T> @Nullable T named(String driver, @Nullable Map<String, T> all, String name) {
    if (all == null) {
      return null;
    }
    T plain = all.get(name);
    return plain != null ? plain : all.get(driver + "/" + name);
  }

  @Override
  public int compareTo(PublishedGpu other) {
    return ref.compareTo(other.ref);
  }
}
