package dev.fairlead.care.health;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;

/**
 * The meaning of one event. Pure.
 *
 * @param verdict kind of the event
 * @param scope the isolated scope, NONE for none
 * @param step the repair
 * @param cause as human-readable text
 */
public record Judgement(Verdict verdict, FaultScope scope, RepairStep step, String cause) {
  /** Pause that ends a burst. Earlier events belong to the previous fault. */
  public static final Duration SILENCE = Duration.ofMinutes(3);

  /**
   * Time within which a second burst of a code that is harmless once takes its device out of
   * service.
   */
  public static final Duration REPEAT = Duration.ofHours(24);

  /**
   * Delay after which a reported event isolates nothing, because the fault may have been repaired.
   */
  public static final Duration LATE = Duration.ofHours(1);

  /** The kind of an event. */
  public enum Verdict {
    /**
     * Fatal according to the vendor. The scope decides whether anything is taken out of service.
     */
    FATAL,
    /** The device continues to work. */
    HARMLESS,
    /** Accompanies another error and has no meaning by itself. */
    ATTACHED,
    /** The code is not in the table. The event is stored, but has no effect. */
    UNKNOWN
  }

  /**
   * @param before times before this event at which a code that the event's row {@linkplain
   *     Xid#awaits awaits} was seen on the same device, unordered
   */
  public static Judgement of(XidTable table, HealthEvent event, Collection<Instant> before) {
    return table
        .find(event)
        .map(xid -> of(xid, event.at(), before))
        .orElse(
            new Judgement(
                Verdict.UNKNOWN,
                FaultScope.NONE,
                RepairStep.NONE,
                XidTable.called(event.xid()) + ", which is not in the fault table"));
  }

  /** Evaluates the row of the event's code. */
  public static Judgement of(Xid xid, Instant at, Collection<Instant> before) {
    if (!xid.counted() && (xid.scope() == FaultScope.NONE || !follows(at, before))) {
      return new Judgement(Verdict.ATTACHED, FaultScope.NONE, RepairStep.NONE, xid.text());
    }
    FaultScope scope = xid.onRepeat() && !repeated(at, before) ? FaultScope.NONE : xid.scope();
    return new Judgement(
        xid.fatal() ? Verdict.FATAL : Verdict.HARMLESS, scope, xid.step(), xid.text());
  }

  /** Returns whether any event belongs to the burst at this time. */
  private static boolean follows(Instant at, Collection<Instant> before) {
    return before.stream().anyMatch(t -> !t.isAfter(at) && !t.isBefore(at.minus(SILENCE)));
  }

  /** Returns whether a burst other than the event's own was seen within {@link #REPEAT}. */
  private static boolean repeated(Instant at, Collection<Instant> before) {
    Instant burst = at;
    for (Instant earlier :
        before.stream().filter(t -> !t.isAfter(at)).sorted().toList().reversed()) {
      if (earlier.isBefore(at.minus(REPEAT))) {
        return false;
      }
      if (earlier.isBefore(burst.minus(SILENCE))) {
        return true;
      }
      burst = earlier;
    }
    return false;
  }
}
