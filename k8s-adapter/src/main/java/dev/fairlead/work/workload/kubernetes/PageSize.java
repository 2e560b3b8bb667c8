package dev.fairlead.work.workload.kubernetes;

import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.Pages;
import dev.fairlead.work.workload.kubernetes.client.AnswerGuard;
import org.jspecify.annotations.Nullable;

/**
 * How many objects the lists behind watches ask for at once. Objects of others may be longer than
 * any pod of a job: after an answer that was too long the next connection asks for half as many.
 * After one whose answers were all far shorter the next asks for twice as many again.
 */
final class PageSize {
  /** So many of the longest objects that there can be are less than the longest answer. */
  static final long LEAST = 4;

  /** Twice as many objects are half of an answer at the most: they may have grown meanwhile. */
  static final long FAR_SHORTER = AnswerGuard.LONGEST_ANSWER / 4;

  private volatile long now = Pages.MOST;

  long now() {
    return now;
  }

  /**
   * Whether a list failed for the length of an answer; the next one asks for fewer objects then.
   */
  boolean tooLarge(@Nullable Throwable failure) {
    boolean cut = failure != null && CallFailure.of(failure).cut();
    if (cut) {
      now = Math.max(LEAST, now / 2);
    }
    return cut;
  }

  /**
   * A connection ends on which all lists were read.
   *
   * @param longest bytes of its longest answer
   */
  void read(long longest) {
    if (longest < FAR_SHORTER) {
      now = Math.min(Pages.MOST, now * 2);
    }
  }
}
