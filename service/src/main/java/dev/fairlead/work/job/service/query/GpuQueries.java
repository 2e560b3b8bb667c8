package dev.fairlead.work.job.service.query;

import dev.fairlead.care.health.device.DeviceStore;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.FleetSource;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.GpuModel;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.GpuHolder;
import dev.fairlead.work.job.store.JobStore;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Lists every GPU with its holders in the caller's tenant. */
@Service
public class GpuQueries {
  private final FleetSource fleet;
  private final JobStore jobs;
  private final DeviceStore known;

  public GpuQueries(FleetSource fleet, JobStore jobs, DeviceStore known) {
    this.fleet = fleet;
    this.jobs = jobs;
    this.known = known;
  }

  /**
   * Selects GPUs, or null for all.
   *
   * @param cluster id or name
   * @param node id or name
   * @param serial serial number or UUID
   */
  public record Filter(
      @Nullable String cluster,
      @Nullable String node,
      @Nullable String model,
      @Nullable GpuState state,
      @Nullable String serial) {
    private boolean takes(Cluster of, Node at, Gpu gpu) {
      return (cluster == null || cluster.equals(of.name()) || cluster.equals(of.id().text()))
          && (node == null || node.equals(at.name()) || node.equals(at.id().text()))
          && (model == null || GpuModel.answers(at.gpuModel(), model))
          && (state == null || state == gpu.state());
    }
  }

  public record Device(Cluster cluster, Node node, Gpu gpu) {}

  /** A GPU with the holders that the caller may read, by attempt. */
  public record HeldDevice(Device device, List<GpuHolder> holders) {
    public HeldDevice {
      holders = List.copyOf(holders);
    }

    /** Thousandths held by others. */
    public int othersMilli() {
      int own = holders.stream().mapToInt(GpuHolder::milli).sum();
      return Math.max(0, device.gpu().allocatedMilli() - own);
    }
  }

  /** Lists GPUs by cluster, node and index, at most two seconds old. */
  public List<Device> devices(Filter filter) {
    FleetSource.Fleet now = fleet.now();
    Map<ClusterId, Cluster> clusters = new TreeMap<>();
    now.clusters().forEach(c -> clusters.put(c.id(), c));
    Set<String> serials = serials(filter.serial());
    List<Device> devices = new ArrayList<>();
    for (Node node : now.nodes()) {
      Cluster cluster = clusters.get(node.cluster());
      if (cluster != null) {
        node.gpus().stream()
            .filter(gpu -> filter.takes(cluster, node, gpu))
            .filter(gpu -> serials.isEmpty() || serials.contains(gpu.serial()))
            .forEach(gpu -> devices.add(new Device(cluster, node, gpu)));
      }
    }
    return devices;
  }

  /** Ids by which clusters may report the device, or empty for any. */
  private Set<String> serials(@Nullable String called) {
    Set<String> serials = new HashSet<>();
    if (called != null) {
      serials.add(called);
      known.called(called).forEach(device -> serials.add(device.uuid()));
    }
    return serials;
  }

  /** Returns the known serial numbers of the devices that sources reported, by UUID. */
  public SortedMap<String, String> serials(Collection<Attempt> attempts) {
    SortedSet<String> uuids = new TreeSet<>();
    attempts.stream()
        .flatMap(attempt -> attempt.everyMember().stream())
        .flatMap(member -> member.devices().reports().stream())
        .forEach(report -> report.devices().forEach(device -> uuids.add(device.gpu())));
    SortedMap<String, String> serials = new TreeMap<>();
    if (!uuids.isEmpty()) {
      known
          .withUuids(uuids)
          .forEach(device -> {
            String serial = device.serial();
            if (serial != null) {
              serials.put(device.uuid(), serial);
            }
          });
    }
    return serials;
  }

  /** Returns the devices in their order, with their current holders. */
  public List<HeldDevice> held(Actor actor, List<Device> devices) {
    List<NodeId> nodes = devices.stream().map(d -> d.node().id()).distinct().toList();
    List<GpuHolder> holders = jobs.holders(actor.tenant(), actor.projects(), nodes);
    return devices.stream()
        .map(d ->
            new HeldDevice(
                d,
                holders.stream()
                    .filter(h -> h.node().equals(d.node().id()) && h.gpu() == d.gpu().index())
                    .toList()))
        .toList();
  }
}
