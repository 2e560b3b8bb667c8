package dev.fairlead.verify.load.soak;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Requests of each second of a soak: about fifteen jobs a second of all kinds, the same every
 * minute.
 */
final class SoakPlan {
  private static final int BATCH = 16;

  private SoakPlan() {}

  /** An action of a client. */
  sealed interface Deed {
    /** One job that runs for a second. */
    record Single() implements Deed {}

    /** Several jobs in one request. */
    record Batch(int jobs) implements Deed {}

    /** One array job, with half of its elements concurrent. */
    record Array(int elements) implements Deed {}

    /** A job whose program fails. */
    record Failing() implements Deed {}

    /** A job with a long run time that is cancelled a few seconds later. */
    record CancelledRunning() implements Deed {}

    /** A job that may not start yet, and is cancelled a few seconds later. */
    record CancelledWaiting() implements Deed {}

    /** A preemptible job of low priority on the small cluster. */
    record Humble() implements Deed {}

    /** A job of high priority, which evicts such a job. */
    record Urgent() implements Deed {}
  }

  /** Actions of that second, counted from 0. */
  static List<Deed> second(long second) {
    List<Deed> deeds = new ArrayList<>(Collections.nCopies(4, new Deed.Single()));
    addEvery(2, second, deeds, new Deed.Batch(BATCH));
    addEvery(3, second, deeds, new Deed.Failing());
    addEvery(4, second, deeds, new Deed.Array(8));
    addEvery(4, second + 2, deeds, new Deed.CancelledRunning());
    addEvery(5, second, deeds, new Deed.CancelledWaiting());
    addEvery(6, second, deeds, new Deed.Humble());
    addEvery(12, second + 5, deeds, new Deed.Urgent());
    return deeds;
  }

  private static void addEvery(long every, long second, List<Deed> deeds, Deed deed) {
    if (second % every == 0) {
      deeds.add(deed);
    }
  }
}
