package dev.fairlead.work.job.estimate;

import dev.fairlead.fleet.quota.PastUse;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Contribution of an ended attempt to the history of its queue. */
public final class UseHistory {
  private UseHistory() {}

  /** Thousandths of GPUs that an attempt holds. A member without GPUs counts as one GPU. */
  public static long gpuMilli(Attempt attempt) {
    long milli = 0;
    for (Member member : attempt.members()) {
      milli += gpuMilli(member);
    }
    return milli;
  }

  private static long gpuMilli(Member member) {
    return Math.max(1, member.request().amount(ResourceNames.GPU));
  }

  /**
   * GPUs that members of an attempt held.
   *
   * @param gpuMilli thousandths of GPUs
   * @param until time of the release, null while members hold them
   */
  public record Span(long gpuMilli, Instant from, @Nullable Instant until) {
    /** Returns one span for all current members, and one for each that finished before them. */
    public static List<Span> of(Attempt attempt, Instant started) {
      List<Span> spans = new ArrayList<>();
      spans.add(new Span(UseHistory.gpuMilli(attempt), started, null));
      for (Member member : attempt.left()) {
        Member.Standing standing = member.standing();
        if (member.finished() && standing != null) {
          spans.add(new Span(UseHistory.gpuMilli(member), started, standing.since()));
        }
      }
      return spans;
    }

    /** Returns its use up to this time, decayed since its end. */
    long milliSeconds(Instant to, Duration halfLife) {
      long whole = PastUse.milliSeconds(gpuMilli, from, to, halfLife);
      return until == null ? whole : whole - PastUse.milliSeconds(gpuMilli, until, to, halfLife);
    }

    /** Returns its average number of GPUs, in thousandths, which decays after its end. */
    public long averageMilli(Duration halfLife, Instant asOf) {
      long whole = PastUse.averageMilli(gpuMilli, from, halfLife, asOf);
      return until == null ? whole : whole - PastUse.averageMilli(gpuMilli, until, halfLife, asOf);
    }
  }

  /**
   * Returns one entry for each node with a half-life from the queue up to the root, and no entry
   * for an attempt that never ran.
   *
   * @param attempt as it ended
   */
  public static List<PastUse> of(QuotaTree tree, Job job, Attempt attempt) {
    return of(tree, job, attempt, new Part(job.user(), attempt.startedAt(), attempt.endedAt()));
  }

  /**
   * Use of the former user of an attempt that another user has taken.
   *
   * @param stored the attempt of the former user
   * @param transfer with the attempt of the next user
   */
  public static List<PastUse> transferred(QuotaTree tree, Attempt stored, Transition transfer) {
    Attempt next = Objects.requireNonNull(transfer.attempt());
    return of(
        tree,
        transfer.job(),
        stored,
        new Part(transfer.formerUser(), stored.startedAt(), next.startedAt()));
  }

  /**
   * Time in which a user had an attempt, with null for an attempt that has not started or ended.
   */
  private record Part(String user, @Nullable Instant from, @Nullable Instant to) {}

  private static List<PastUse> of(QuotaTree tree, Job job, Attempt attempt, Part part) {
    Instant from = part.from();
    Instant to = part.to();
    List<PastUse> left = new ArrayList<>();
    if (from == null || to == null) {
      return left;
    }
    for (QuotaNode node : tree.path(job.queue())) {
      Duration halfLife = node.usageHalfLife();
      if (halfLife != null) {
        long used =
            Span.of(attempt, from).stream()
                .mapToLong(span -> span.milliSeconds(to, halfLife))
                .sum();
        left.add(new PastUse(node.id(), job.queue(), part.user(), used, to));
      }
    }
    return left;
  }
}
