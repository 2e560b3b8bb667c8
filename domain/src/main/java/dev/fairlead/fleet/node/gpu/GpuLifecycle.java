package dev.fairlead.fleet.node.gpu;

import static dev.fairlead.fleet.node.gpu.GpuState.DEGRADED;
import static dev.fairlead.fleet.node.gpu.GpuState.FAILED;
import static dev.fairlead.fleet.node.gpu.GpuState.HEALTHY;
import static dev.fairlead.fleet.node.gpu.GpuState.QUARANTINED;
import static dev.fairlead.fleet.node.gpu.GpuState.UNKNOWN;

import dev.fairlead.kernel.lifecycle.TransitionTable;

/** The state machine of a GPU. An event without a row does not change the state. */
public final class GpuLifecycle {
  public static final TransitionTable<GpuState, GpuEvent> TABLE =
      TransitionTable.of(GpuState.class, GpuEvent.class)
          .on(GpuEvent.REPORTED_HEALTHY, HEALTHY, DEGRADED, FAILED, UNKNOWN)
          .on(GpuEvent.REPORTED_FAULT, DEGRADED, HEALTHY, UNKNOWN)
          .on(GpuEvent.REPORTED_LOST, FAILED, HEALTHY, DEGRADED, UNKNOWN)
          .on(GpuEvent.SILENCE, UNKNOWN, HEALTHY, DEGRADED)
          .on(GpuEvent.QUARANTINE, QUARANTINED, HEALTHY, DEGRADED, FAILED, UNKNOWN)
          .on(GpuEvent.RELEASE, UNKNOWN, QUARANTINED)
          .build();

  private GpuLifecycle() {}

  /**
   * Returns the state after a report of the cluster. No report ends a quarantine, and the first one
   * after its end does.
   *
   * @param quarantined whether the device has an active quarantine
   */
  public static GpuState reported(GpuState before, GpuEvent event, boolean quarantined) {
    GpuState released = TABLE.next(before, GpuEvent.RELEASE).orElse(before);
    GpuState next = TABLE.next(released, event).orElse(released);
    return quarantined ? QUARANTINED : next;
  }
}
