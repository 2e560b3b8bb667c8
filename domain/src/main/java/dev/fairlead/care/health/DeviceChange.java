package dev.fairlead.care.health;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
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
    /** Another cluster names it while its own still reports it; it did not move. */
    CONTRADICTED,
    INCIDENT,
    QUARANTINED,
    RELEASED
  }

  /**
   * Where a life that is read newest first goes on.
   *
   * @param at when the last change happened that was read
   * @param read changes of that very moment that were read, 1 or more
   */
  public record Mark(Instant at, int read) {
    /**
     * Behind these changes.
     *
     * @param page at least one
     * @param before where they began, null for the newest
     */
    public static Mark behind(List<DeviceChange> page, @Nullable Mark before) {
      Instant last = page.getLast().at();
      int here = (int) page.stream().filter(change -> change.at().equals(last)).count();
      return new Mark(last, here + (before != null && before.at.equals(last) ? before.read : 0));
    }
  }

  /** So long after a contradiction was noted, the same one is not noted again. */
  public static final Duration NOTED = Duration.ofDays(1);

  /** What the text of a contradiction has after the cluster that names the device too. */
  static final String TOO = " reports it too";

  public boolean contradicts() {
    return kind == Kind.CONTRADICTED;
  }

  /** Whether the other one notes lately that the same cluster contradicts the same device's. */
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
