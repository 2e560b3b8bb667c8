package dev.fairlead.work.placement.blockers;

import dev.fairlead.kernel.resources.Quantity;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.work.placement.shape.MemberShape;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.SortedMap;
import java.util.stream.Collectors;

/** Formats amounts as text. */
public final class Wording {
  private static final DateTimeFormatter CLOCK =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm", Locale.ROOT);

  private Wording() {}

  /**
   * Formats a number of members: {@code 64 H100}, {@code 4 x 0.5 L4}, {@code 2 x 4 cpu and 16Gi}.
   */
  public static String members(MemberShape role, int members, String model) {
    return switch (role.gpu().kind()) {
      case WHOLE -> (long) members * role.gpu().count() + " " + model;
      case FRACTION -> members + " x " + Quantity.ofMilli(role.gpu().fractionMilli()) + " " + model;
      case MEMORY ->
          members + " x " + Quantity.ofMebibytes(role.gpu().memoryMiB()) + " of a " + model;
      case MIG -> members + " x " + role.gpu().count() + " " + role.gpu().migProfile();
      case NONE -> members + " x " + host(role);
    };
  }

  /** Formats the request of one member without its GPUs: {@code 4 cpu and 16Gi}. */
  public static String host(MemberShape role) {
    String cpu = Quantity.ofMilli(role.cpuMilli()) + " cpu";
    String memory = Quantity.ofMebibytes(role.memoryMiB());
    return role.rdma() ? cpu + ", " + memory + " and a fabric" : cpu + " and " + memory;
  }

  /** Returns the number that {@link #members} names first: GPUs for whole GPUs, else members. */
  public static long count(MemberShape role, int members) {
    return (long) members * Math.max(1, role.wholeGpus());
  }

  /** Formats labels of a node: {@code zone=a, disk=nvme}. */
  public static String labels(SortedMap<String, String> labels) {
    return labels.entrySet().stream()
        .map(label -> label.getKey() + "=" + label.getValue())
        .collect(Collectors.joining(", "));
  }

  /** Formats base units of a resource in the notation that people use. */
  static String amount(String resource, long base) {
    return switch (resource) {
      case ResourceNames.CPU, ResourceNames.GPU -> Quantity.ofMilli(base);
      case ResourceNames.MEMORY -> Quantity.ofMebibytes(base);
      default -> Long.toString(base);
    };
  }

  /** Formats a time in the zone: {@code 2030-01-31 22:00 Europe/Berlin}. */
  public static String time(Instant time, ZoneId zone) {
    return CLOCK.format(time.atZone(zone)) + " " + zone.getId();
  }

  /** Returns the suffix for the name of a number in base units. */
  static String unit(String resource) {
    return switch (resource) {
      case ResourceNames.CPU, ResourceNames.GPU -> "Milli";
      case ResourceNames.MEMORY -> "MiB";
      default -> "";
    };
  }
}
