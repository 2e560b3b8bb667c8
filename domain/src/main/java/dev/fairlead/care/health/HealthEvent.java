package dev.fairlead.care.health;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A fault as a monitor of a cluster saw it.
 *
 * @param id given by its sender, the same in each repeat
 * @param at by the sender's clock
 * @param node name of the machine
 * @param gpu UUID of the device, null when the sender does not know it
 * @param serial serial number of the device, null when unknown
 * @param xid code of the driver's error, from 1, or the number of a code of DCGM, from {@link
 *     XidTable#DCGM}; may be beyond the table
 * @param message as the driver logged it, may be empty
 */
public record HealthEvent(
    String id,
    Instant at,
    String node,
    @Nullable String gpu,
    @Nullable String serial,
    int xid,
    String message) {
  /** The same under another id. */
  HealthEvent called(String other) {
    return new HealthEvent(other, at, node, gpu, serial, xid, message);
  }
}
