package dev.fairlead.work.world;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.ArrayProgress;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.store.ActiveJobs.ActiveJob;
import dev.fairlead.work.world.PendingJob.Offer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The part of a job that may be placed now. */
final class Offers {
  private Offers() {}

  static List<Offer> of(ActiveJob active, Instant now) {
    Job job = active.job();
    ArrayProgress array = job.array();
    if (array != null) {
      int free = free(array);
      return waiting(active, array, now, free).stream().limit(free).toList();
    }
    boolean waits = job.state() == JobState.QUEUED && active.live().isEmpty();
    return waits
        ? List.of(new Offer(0, job.run().attempts(), job.run().waitsUntil(now)))
        : List.of();
  }

  /** All waiting elements, including elements that the limit of the array holds back. */
  static List<Offer> all(ActiveJob active, ArrayProgress array, Instant now) {
    return waiting(active, array, now, array.queued());
  }

  /** Number of elements that may start within the limit of the array. */
  static int free(ArrayProgress array) {
    return Math.max(0, Math.min(array.limit() - array.live(), array.queued()));
  }

  /**
   * Elements that wait. Elements that may start immediately come first, so that elements in
   * back-off do not block their positions. If elements expired, only later elements remain.
   *
   * @param most maximum of elements that never began
   */
  private static List<Offer> waiting(ActiveJob active, ArrayProgress array, Instant now, int most) {
    JobState state = active.job().state();
    if (state != JobState.QUEUED && state != JobState.RUNNING) {
      return List.of();
    }
    Set<Integer> live = new TreeSet<>();
    active.live().stream().map(Attempt::element).forEach(live::add);
    List<JobElement> again =
        active.elements().stream()
            .filter(e -> e.run().state() == JobState.QUEUED && !live.contains(e.index()))
            .toList();
    boolean expired = expired(active, array);
    List<Offer> offers = new ArrayList<>();
    (expired ? newest(again, array.queued()) : again)
        .forEach(
            e -> offers.add(new Offer(e.index(), e.run().attempts(), e.run().waitsUntil(now))));
    if (!expired) {
      offers.addAll(fresh(active, array, most));
    }
    return offers.stream().sorted(soonest(now)).toList();
  }

  /** Elements that never began. */
  private static List<Offer> fresh(ActiveJob active, ArrayProgress array, int most) {
    Set<Integer> started = new TreeSet<>();
    active.elements().forEach(element -> started.add(element.index()));
    List<Offer> fresh = new ArrayList<>();
    for (int i = 0; i < array.elements() && fresh.size() < most; i++) {
      if (!started.contains(i)) {
        fresh.add(new Offer(i, 0, null));
      }
    }
    return fresh;
  }

  /**
   * Returns whether elements failed while they waited, regardless of their rows: such elements have
   * no end of their own.
   */
  private static boolean expired(ActiveJob active, ArrayProgress array) {
    return array.failed()
        > active.elements().stream().filter(e -> e.run().state() == JobState.FAILED).count();
  }

  /** Elements that waited have all expired together, so current ones began to wait later. */
  private static List<JobElement> newest(List<JobElement> waiting, int most) {
    return waiting.stream()
        .sorted(Comparator.comparing((JobElement e) -> e.run().changedAt()).reversed())
        .limit(Math.max(0, most))
        .toList();
  }

  private static Comparator<Offer> soonest(Instant now) {
    return Comparator.comparing((Offer offer) -> later(offer, now)).thenComparingInt(Offer::index);
  }

  private static boolean later(Offer offer, Instant now) {
    Instant retryAt = offer.retryAt();
    return retryAt != null && retryAt.isAfter(now);
  }
}
