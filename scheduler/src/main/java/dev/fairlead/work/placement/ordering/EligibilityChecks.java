package dev.fairlead.work.placement.ordering;

import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.admission.Admission;
import dev.fairlead.work.placement.blockers.Blockers;
import dev.fairlead.work.spec.Deadline;
import dev.fairlead.work.world.PendingJob;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Checks that hold a job back before capacity is evaluated. */
final class EligibilityChecks {
  private final Admission admission;
  private final Instant asOf;
  private final SortedSet<QuotaNodeId> open = new TreeSet<>();
  private @Nullable QuotaNodeId last;

  EligibilityChecks(Admission admission, Instant asOf) {
    this.admission = admission;
    this.asOf = asOf;
  }

  /**
   * Returns the failed checks of the job itself, empty if its elements may be tried.
   *
   * @param lasts whether the job is known to have no start time condition
   */
  List<Blocker> closed(PendingJob pending, boolean lasts, QuotaNodeId queue) {
    Job job = pending.job();
    List<Blocker> closed = new ArrayList<>(0);
    if (!lasts && Deadline.passed(job.spec(), asOf)) {
      closed.add(Blockers.deadline(Deadline.message(job.spec(), asOf)));
    }
    Blocker atQueue = atQueue(pending, queue);
    if (atQueue != null) {
      closed.add(atQueue);
    }
    Instant notBefore = lasts ? null : job.spec().notBefore();
    if (notBefore != null && later(notBefore)) {
      closed.add(Blockers.notBefore(notBefore));
    }
    if (pending.deadDependency() != null) {
      closed.add(Blockers.deadDependency(pending.deadDependency(), pending.failsByDependency()));
    }
    if (!pending.unmet().isEmpty()) {
      closed.add(Blockers.dependency(pending.unmet()));
    }
    for (String check : job.unchecked(admission.checks(queue))) {
      closed.add(Blockers.admissionCheck(check, job));
    }
    return closed;
  }

  private boolean later(@Nullable Instant time) {
    return time != null && time.isAfter(asOf);
  }

  private @Nullable Blocker atQueue(PendingJob pending, QuotaNodeId id) {
    if (id.equals(last) || open.contains(id)) {
      last = id;
      return null;
    }
    Optional<Blocker> closed = queue(pending);
    if (closed.isEmpty()) {
      open.add(id);
    }
    return closed.orElse(null);
  }

  private Optional<Blocker> queue(PendingJob pending) {
    Optional<QuotaNode> queue = admission.tree().node(pending.job().queue());
    Optional<String> broken = admission.broken(pending.job().queue());
    if (broken.isPresent()) {
      return Optional.of(Blockers.brokenQueue(pending.job().spec().queue(), broken.get()));
    }
    QueueSettings settings = queue.map(QuotaNode::queue).orElse(null);
    if (queue.isEmpty() || settings == null) {
      return Optional.of(Blockers.unknownQueue());
    }
    return switch (settings.state()) {
      case ACTIVE, DRAINING -> Optional.empty();
      case HELD -> Optional.of(Blockers.heldQueue(queue.get().name()));
    };
  }

  /** Returns the elements that may be tried, by index and without duplicates. */
  List<PendingJob.Offer> ready(PendingJob pending) {
    if (pending.offers().size() == 1 && !backsOff(pending.offers().getFirst())) {
      return pending.offers();
    }
    List<PendingJob.Offer> ready = new ArrayList<>();
    for (PendingJob.Offer offer : byIndex(pending)) {
      boolean again = !ready.isEmpty() && ready.getLast().index() == offer.index();
      if (!again && !backsOff(offer)) {
        ready.add(offer);
      }
    }
    return ready;
  }

  /** Returns a blocker for the element with the shortest back-off, null if none backs off. */
  @Nullable Blocker backOff(PendingJob pending) {
    if (pending.offers().size() == 1 && !backsOff(pending.offers().getFirst())) {
      return null;
    }
    return byIndex(pending).stream()
        .filter(this::backsOff)
        .min(Comparator.comparing(o -> o.retryAt() == null ? asOf : o.retryAt()))
        .map(o ->
            Blockers.backingOff(
                o.attempts(),
                pending.job().spec().retry().maxAttempts(),
                o.retryAt() == null ? asOf : o.retryAt()))
        .orElse(null);
  }

  private boolean backsOff(PendingJob.Offer offer) {
    return later(offer.retryAt());
  }

  private static List<PendingJob.Offer> byIndex(PendingJob pending) {
    if (pending.offers().size() < 2) {
      return pending.offers();
    }
    List<PendingJob.Offer> sorted = new ArrayList<>(pending.offers());
    sorted.sort(
        Comparator.comparingInt(PendingJob.Offer::index).thenComparing(PendingJob.Offer::toString));
    return sorted;
  }
}
