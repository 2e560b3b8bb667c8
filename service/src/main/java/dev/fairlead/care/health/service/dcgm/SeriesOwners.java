package dev.fairlead.care.health.service.dcgm;

import dev.fairlead.care.health.dcgm.SampleStore;
import dev.fairlead.care.health.dcgm.SeriesPass;
import dev.fairlead.care.health.device.Device;
import dev.fairlead.care.health.device.DeviceSource;
import dev.fairlead.care.health.device.DeviceStore;
import dev.fairlead.kernel.identity.ClusterId;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** Compares the machines in the series of a cluster with those that other sources report. */
final class SeriesOwners {
  /** Time during which a GPU belongs to the other cluster that showed it. */
  private static final Duration KEPT = SeriesPass.SEEN.multipliedBy(2);

  private final SampleStore samples;
  private final DeviceStore devices;

  SeriesOwners(SampleStore samples, DeviceStore devices) {
    this.samples = samples;
    this.devices = devices;
  }

  /**
   * Returns the GPUs that belong to another machine, each with the claims as text. A recent list of
   * the devices of a node counts more than the series of another cluster.
   *
   * @param gpus GPUs with the nodes in the series of the cluster
   */
  SortedMap<String, String> disputed(ClusterId cluster, Map<String, String> gpus, Instant now) {
    SortedMap<String, String> disputed = new TreeMap<>();
    if (gpus.isEmpty()) {
      return disputed;
    }
    Set<String> elsewhere = samples.elsewhere(cluster, gpus.keySet(), now.minus(KEPT));
    SortedMap<String, Device> known = new TreeMap<>();
    devices.withUuids(gpus.keySet()).stream()
        .filter(device -> device.missingSince() == null)
        .filter(device -> now.isBefore(device.lastSeen().plus(Device.KEPT_BY_ITS_CLUSTER)))
        .forEach(device -> known.put(device.uuid(), device));
    gpus.forEach((gpu, node) -> {
      Device device = known.get(gpu);
      boolean here =
          device != null && device.cluster().equals(cluster) && device.nodeName().equals(node);
      if (device != null && !here) {
        String other = device.cluster().equals(cluster) ? "" : " of another cluster";
        disputed.put(
            gpu,
            "%s on %s, and on %s%s by another source"
                .formatted(gpu, node, device.nodeName(), other));
      } else if (elsewhere.contains(gpu)
          && (device == null || device.source() != DeviceSource.INVENTORY)) {
        disputed.put(gpu, gpu + " on " + node + " and in another cluster");
      }
    });
    return disputed;
  }
}
