package dev.fairlead.care.health;

import dev.fairlead.fleet.node.gpu.DeviceUuid;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A fault that a monitor of a cluster reported.
 *
 * @param id set by its sender, equal in each repetition
 * @param at time according to the sender's clock
 * @param node name of the machine
 * @param gpu UUID of the device, or of the device of a named part. Null if the sender does not know
 *     it
 * @param serial serial number of the device, null if unknown
 * @param xid error code of the driver, from 1, or the number of a DCGM code, from {@link
 *     XidTable#DCGM}, possibly missing in the table
 * @param message log message of the driver, may be empty
 */
@RecordBuilder
public record HealthEvent(
    String id,
    Instant at,
    String node,
    @Nullable String gpu,
    @Nullable String serial,
    int xid,
    String message)
    implements HealthEventBuilder.With {
  public HealthEvent {
    gpu = gpu == null ? null : DeviceUuid.physical(gpu);
  }

  /** Returns the event with another id. */
  public HealthEvent called(String other) {
    return withId(other);
  }
}
