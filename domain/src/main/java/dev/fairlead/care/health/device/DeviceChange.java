package dev.fairlead.care.health.device;

import dev.fairlead.care.health.IncidentId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An event in the life of a device.
 *
 * @param uuid UUID of the device
 * @param text description without the kind
 * @param incident its incident, null if none
 */
public record DeviceChange(
    String uuid, Instant at, Kind kind, String text, @Nullable IncidentId incident) {
  /** The kind of a change. */
  public enum Kind {
    FOUND,
    MOVED,
    /** Its serial number became known or has changed. */
    SERIAL,
    /** The node no longer lists the device. */
    MISSING,
    /** The device is listed again on the same node. */
    BACK,
    /**
     * Another cluster reports the device while its own cluster still does. The device did not move.
     */
    CONTRADICTED,
    INCIDENT,
    QUARANTINED,
    RELEASED
  }

  /**
   * The position for the next page of changes, newest first.
   *
   * @param at time of the last change on the page
   * @param read changes of this exact time on the pages so far, 1 or more
   */
  public record Cursor(Instant at, int read) {
    /**
     * Returns the position after these changes.
     *
     * @param page at least one change
     * @param before position before the page, null for the newest
     */
    public static Cursor behind(List<DeviceChange> page, @Nullable Cursor before) {
      Instant last = page.getLast().at();
      int here = (int) page.stream().filter(change -> change.at().equals(last)).count();
      return new Cursor(last, here + (before != null && before.at.equals(last) ? before.read : 0));
    }
  }

  /** Time in which an equal contradiction is not recorded again. */
  public static final Duration NOTED = Duration.ofDays(1);

  /** Text of a contradiction after the name of the other cluster. */
  static final String TOO = " reports it too";

  public boolean contradicts() {
    return kind == Kind.CONTRADICTED;
  }

  /**
   * Returns whether the other change recently recorded the same contradiction of the same device by
   * the same cluster.
   */
  public boolean repeats(DeviceChange other) {
    return contradicts()
        && other.contradicts()
        && uuid.equals(other.uuid)
        && claimant().equals(other.claimant())
        && other.at.isAfter(at.minus(NOTED));
  }

  private String claimant() {
    return text.split(TOO, 2)[0];
  }
}
