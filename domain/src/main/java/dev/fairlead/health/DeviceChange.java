package dev.fairlead.health;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Something in the life of a device.
 *
 * @param uuid of the device
 * @param text in words, after the kind
 * @param incident the one that it belongs to, null for none
 */
public record DeviceChange(
    String uuid, Instant at, Kind kind, String text, @Nullable IncidentId incident) {
  /** What happened. */
  public enum Kind {
    FOUND,
    MOVED,
    /** Its serial number became known or is another one. */
    SERIAL,
    /** Its node is listed without it. */
    MISSING,
    /** It is listed again, in the same node. */
    BACK,
    INCIDENT,
    QUARANTINED,
    RELEASED
  }
}
