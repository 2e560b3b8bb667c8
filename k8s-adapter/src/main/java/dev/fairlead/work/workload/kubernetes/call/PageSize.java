package dev.fairlead.work.workload.kubernetes.call;

import dev.fairlead.work.workload.kubernetes.client.AnswerGuard;
import org.jspecify.annotations.Nullable;

/**
 * The page size of the lists behind watches. Foreign objects may be larger than any pod of a job.
 * After a response that was too long, the next connection requests half as many objects. After a
 * connection with only much shorter answers, the next one requests twice as many again.
 */
public final class PageSize {
  /** Number of objects of the maximum size that fit into the longest answer. */
  static final long LEAST = 4;

  /**
   * A page of twice as many objects fills at most half of a response, which leaves room for their
   * growth.
   */
  static final long FAR_SHORTER = AnswerGuard.LONGEST_ANSWER / 4;

  private volatile long now = Pages.MOST;

  public long now() {
    return now;
  }

  /**
   * Returns whether a list failed because of the length of a response. The next list then requests
   * fewer objects.
   */
  public boolean tooLarge(@Nullable Throwable failure) {
    boolean cut = failure != null && CallFailure.of(failure).cut();
    if (cut) {
      now = Math.max(LEAST, now / 2);
    }
    return cut;
  }

  /**
   * Updates the size after a connection on which all lists were read.
   *
   * @param longest bytes of its longest answer
   */
  public void read(long longest) {
    if (longest < FAR_SHORTER) {
      now = Math.min(Pages.MOST, now * 2);
    }
  }
}
