package dev.fairlead.world.postgres;

import dev.fairlead.attempt.Attempt;
import dev.fairlead.job.ActiveJobs.ActiveJob;
import dev.fairlead.job.ArrayProgress;
import dev.fairlead.job.Job;
import dev.fairlead.job.JobElement;
import dev.fairlead.job.JobState;
import dev.fairlead.job.JobStatus;
import dev.fairlead.world.PendingJob.Offer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What of a job may be placed now. */
final class Offers {
  private Offers() {}

  static List<Offer> of(ActiveJob active, Instant now) {
    Job job = active.job();
    ArrayProgress array = job.array();
    if (array != null) {
      return job.state() == JobState.QUEUED || job.state() == JobState.RUNNING
          ? elements(active, array, now)
          : List.of();
    }
    boolean waits = job.state() == JobState.QUEUED && active.live().isEmpty();
    return waits ? List.of(new Offer(0, job.run().attempts(), job.run().retryAt())) : List.of();
  }

  /**
   * Elements that may start at once come first, so that those that back off do not hold their
   * places.
   */
  private static List<Offer> elements(ActiveJob active, ArrayProgress array, Instant now) {
    int free = Math.max(0, Math.min(array.limit() - array.live(), array.queued()));
    if (expired(active, array)) {
      return again(active, array).stream().sorted(soonest(now)).limit(free).toList();
    }
    Set<Integer> live = new TreeSet<>();
    active.live().stream().map(Attempt::element).forEach(live::add);
    Set<Integer> started = new TreeSet<>();
    List<Offer> offers = new ArrayList<>();
    for (JobElement element : active.elements()) {
      started.add(element.index());
      JobStatus run = element.run();
      if (run.state() == JobState.QUEUED && !live.contains(element.index())) {
        offers.add(new Offer(element.index(), run.attempts(), run.retryAt()));
      }
    }
    int fresh = 0;
    for (int i = 0; i < array.elements() && fresh < free; i++) {
      if (!started.contains(i)) {
        offers.add(new Offer(i, 0, null));
        fresh++;
      }
    }
    return offers.stream().sorted(soonest(now)).limit(free).toList();
  }

  /** Whether elements failed that wait, whatever their rows say: those have no end of their own. */
  private static boolean expired(ActiveJob active, ArrayProgress array) {
    return array.failed()
        > active.elements().stream().filter(e -> e.run().state() == JobState.FAILED).count();
  }

  /** All that waited expired together, so what waits now came to wait after them. */
  private static List<Offer> again(ActiveJob active, ArrayProgress array) {
    Set<Integer> live = new TreeSet<>();
    active.live().stream().map(Attempt::element).forEach(live::add);
    return active.elements().stream()
        .filter(e -> e.run().state() == JobState.QUEUED && !live.contains(e.index()))
        .sorted(Comparator.comparing((JobElement e) -> e.run().changedAt()).reversed())
        .limit(Math.max(0, array.queued()))
        .map(e -> new Offer(e.index(), e.run().attempts(), e.run().retryAt()))
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
