package dev.fairlead.care.health;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;

/**
 * What one event means. Pure.
 *
 * @param verdict what kind of event it is
 * @param scope what it takes out of use, NONE for nothing
 * @param step what repairs it
 * @param cause in words, for people
 */
public record Judgement(Verdict verdict, FaultScope scope, RepairStep step, String cause) {
  /** Silence that ends a burst: what comes sooner belongs to the fault before it. */
  public static final Duration SILENCE = Duration.ofMinutes(3);

  /** Within it a second burst of a code that is harmless once takes its device out of use. */
  public static final Duration REPEAT = Duration.ofHours(24);

  /** What is reported later than that after it happened isolates nothing: it may be repaired. */
  public static final Duration LATE = Duration.ofHours(1);

  /** Kinds of events. */
  public enum Verdict {
    /** The vendor calls it fatal; the scope says whether anything is taken out of use. */
    FATAL,
    /** The device works on. */
    HARMLESS,
    /** Follows another error; says nothing alone. */
    ATTACHED,
    /** The table does not have its code: stored, never acted on. */
    UNKNOWN
  }

  /**
   * @param before when a code that the event's row {@linkplain Xid#awaits awaits} was seen on the
   *     same device before this event, in any order
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
                XidTable.called(event.xid()) + ", which the table does not have"));
  }

  /** By a row of the table, which the event's code has. */
  static Judgement of(Xid xid, Instant at, Collection<Instant> before) {
    if (!xid.counted() && (xid.scope() == FaultScope.NONE || !follows(at, before))) {
      return new Judgement(Verdict.ATTACHED, FaultScope.NONE, RepairStep.NONE, xid.text());
    }
    FaultScope scope = xid.onRepeat() && !repeated(at, before) ? FaultScope.NONE : xid.scope();
    return new Judgement(
        xid.fatal() ? Verdict.FATAL : Verdict.HARMLESS, scope, xid.step(), xid.text());
  }

  /** Whether one of these events is of the burst of this moment. */
  private static boolean follows(Instant at, Collection<Instant> before) {
    return before.stream().anyMatch(t -> !t.isAfter(at) && !t.isBefore(at.minus(SILENCE)));
  }

  /** Whether a burst other than this event's own was seen within {@link #REPEAT}. */
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
