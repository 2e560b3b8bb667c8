package dev.fairlead.work.attempt.member;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * A pod that its cluster does not show and has not answered for. After {@link #SAID_AFTER} the
 * member's reason reports this to the owner.
 */
public final class UnansweredPod {
  /** A look-up that is answered sooner is not reported. */
  public static final Duration SAID_AFTER = Duration.ofMinutes(1);

  private static final String WORD = "PodUnanswered since ";

  private UnansweredPod() {}

  /** Start of the unanswered queries to its cluster about the member's pod, null if none. */
  public static @Nullable Instant since(Member member) {
    String reason = member.reason();
    if (member.dead() || reason == null || !reason.startsWith(WORD)) {
      return null;
    }
    try {
      return Instant.parse(reason.substring(WORD.length()));
    } catch (DateTimeParseException words) {
      return null;
    }
  }

  /** The member with that reason, if the wait is long enough to show it to the owner. */
  public static Member said(Member member, Instant since, Instant now) {
    return since(member) != null || now.isBefore(since.plus(SAID_AFTER))
        ? member
        : member.because(WORD + since.truncatedTo(ChronoUnit.SECONDS));
  }

  /** Its cluster lists the pod, or reported that it was deleted. */
  public static Member answered(Member member) {
    return since(member) == null ? member : member.because(null);
  }
}
