package dev.fairlead.work.attempt.member;

import dev.fairlead.fleet.node.gpu.DeviceUuid;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuIdentity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Devices of a member, as sources reported them. Nothing is combined: sources that disagree leave
 * the devices unknown.
 *
 * @param reports at most one of each source, the most trusted last
 */
public record MemberDevices(List<Report> reports) {
  public static final MemberDevices NONE = new MemberDevices(List.of());

  /**
   * Devices according to one source.
   *
   * @param devices in order of their UUIDs, not empty
   */
  public record Report(DeviceReporter source, List<HeldDevice> devices) {
    public Report {
      devices = List.copyOf(devices);
    }
  }

  public MemberDevices {
    reports = List.copyOf(reports);
  }

  /** Returns the devices with this report. A report without devices changes nothing. */
  public MemberDevices with(DeviceReporter source, List<HeldDevice> devices) {
    if (devices.isEmpty()) {
      return this;
    }
    List<Report> all = new ArrayList<>(reports);
    all.removeIf(report -> report.source() == source);
    all.add(new Report(source, devices));
    all.sort(Comparator.comparing(Report::source));
    return all.equals(reports) ? this : new MemberDevices(all);
  }

  /** Returns whether two sources disagree. */
  public boolean disputed() {
    return reports.stream().map(Report::devices).distinct().count() > 1;
  }

  /** Returns the report of the most trusted source, also if another source disagrees. */
  public Optional<Report> trusted() {
    return reports.isEmpty() ? Optional.empty() : Optional.of(reports.getLast());
  }

  /**
   * Returns the certainty about the devices of a member.
   *
   * @param slots slots of the ledger that the member holds
   */
  public GpuIdentity identity(List<GpuShare> slots) {
    boolean planned =
        !slots.isEmpty() && slots.stream().allMatch(s -> DeviceUuid.matches(s.serial()));
    if (disputed() || planned && !reports.isEmpty() && !uuids().equals(serials(slots))) {
      return GpuIdentity.UNKNOWN;
    }
    if (planned) {
      return reports.isEmpty() ? GpuIdentity.ALLOCATING : GpuIdentity.ENFORCED;
    }
    return covers(slots) ? GpuIdentity.OBSERVED : GpuIdentity.UNKNOWN;
  }

  /**
   * Returns whether the member holds a device, in full or in part. Applies to members with a known
   * {@linkplain #identity identity}.
   */
  boolean hold(List<GpuShare> slots, String gpu) {
    return (reports.isEmpty() ? serials(slots) : uuids()).contains(gpu);
  }

  /** Returns whether the report is about all devices that the member holds in the ledger. */
  private boolean covers(List<GpuShare> slots) {
    List<HeldDevice> devices = trusted().map(Report::devices).orElse(List.of());
    boolean whole = slots.stream().allMatch(s -> s.milli() == Gpu.WHOLE_MILLI);
    return whole
        ? !slots.isEmpty()
            && devices.size() == slots.size()
            && devices.stream().noneMatch(HeldDevice::part)
        : !devices.isEmpty() && devices.stream().allMatch(HeldDevice::part);
  }

  private SortedSet<String> uuids() {
    SortedSet<String> all = new TreeSet<>();
    trusted().ifPresent(report -> report.devices().forEach(d -> all.add(d.gpu())));
    return all;
  }

  private static SortedSet<String> serials(List<GpuShare> slots) {
    SortedSet<String> all = new TreeSet<>();
    slots.forEach(slot -> all.add(slot.serial()));
    return all;
  }
}
