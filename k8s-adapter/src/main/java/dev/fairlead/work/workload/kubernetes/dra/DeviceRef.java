package dev.fairlead.work.workload.kubernetes.dra;

import java.util.Comparator;

/** Name of a device of a driver: its pool and its name in the pool. */
record DeviceRef(String pool, String device) implements Comparable<DeviceRef> {
  private static final Comparator<DeviceRef> ORDER =
      Comparator.comparing(DeviceRef::pool)
          .thenComparingInt(ref -> ref.device().length())
          .thenComparing(DeviceRef::device);

  @Override
  public int compareTo(DeviceRef other) {
    return ORDER.compare(this, other);
  }
}
