package dev.fairlead.work.attempt;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.gpu.GpuIdentity;
import dev.fairlead.work.attempt.member.Member;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Finds devices that sources show as whole devices of two pods: a kubelet that lost its checkpoint
 * allocates a device twice, or a source is wrong.
 */
public final class SharedDevices {
  private SharedDevices() {}

  private record Device(NodeId node, String gpu) implements Comparable<Device> {
    @Override
    public int compareTo(Device other) {
      return Comparator.comparing(Device::node).thenComparing(Device::gpu).compare(this, other);
    }
  }

  private record Holder(AttemptId attempt, Member member) {}

  /**
   * Returns the report for each attempt with such a device. The text names no other attempt, which
   * may belong to another tenant.
   */
  public static SortedMap<AttemptId, String> of(Collection<Attempt> attempts) {
    SortedMap<Device, List<Holder>> holders = new TreeMap<>();
    for (Attempt attempt : attempts) {
      if (attempt.live()) {
        attempt.members().forEach(member -> add(new Holder(attempt.id(), member), holders));
      }
    }
    SortedMap<AttemptId, String> found = new TreeMap<>();
    holders.forEach((device, all) -> {
      if (all.size() > 1) {
        all.forEach(
            each -> found.merge(each.attempt(), text(device, each), (a, b) -> a + "; " + b));
      }
    });
    return found;
  }

  private static void add(Holder holder, SortedMap<Device, List<Holder>> holders) {
    Member member = holder.member();
    if (member.dead()
        || member.devices().reports().isEmpty()
        || member.gpuIdentity() != GpuIdentity.OBSERVED) {
      return;
    }
    member.devices().trusted().stream()
        .flatMap(report -> report.devices().stream())
        .filter(device -> !device.part())
        .map(device -> new Device(member.node(), device.gpu()))
        .forEach(device -> holders.computeIfAbsent(device, d -> new ArrayList<>()).add(holder));
  }

  private static String text(Device device, Holder holder) {
    return "%s of %s on node %s is also reported for another pod"
        .formatted(device.gpu(), holder.member().key(), holder.member().nodeName());
  }
}
