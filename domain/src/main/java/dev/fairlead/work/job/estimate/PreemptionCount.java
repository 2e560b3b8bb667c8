package dev.fairlead.work.job.estimate;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.DecisionRecord;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Transition;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Number of attempts of one kind of jobs that started, or that the scheduler ordered to leave.
 *
 * @param times 1 or more. An attempt on several flavors counts for each flavor
 */
public record PreemptionCount(Of of, long times) {
  /**
   * Kind of count.
   *
   * @param priority priority of the jobs
   * @param right right of the eviction, null for counted starts
   */
  public record Of(QuotaNodeId queue, int priority, Flavor flavor, @Nullable EvictionRight right) {
    public static final Comparator<Of> ORDER =
        Comparator.comparing(Of::queue)
            .thenComparingInt(Of::priority)
            .thenComparing(Of::flavor)
            .thenComparing(Of::right, Comparator.nullsFirst(Comparator.naturalOrder()));
  }

  /** Counts of decisions written together. */
  public static List<PreemptionCount> of(
      List<Transition> transitions, List<DecisionRecord> decided) {
    SortedMap<Of, Long> counted = new TreeMap<>(Of.ORDER);
    for (Transition transition : transitions) {
      Attempt attempt = transition.attempt();
      if (attempt != null && transition.holding() == Transition.AllocationChange.TAKE) {
        add(counted, transition.job(), attempt, null);
      }
      if (attempt != null) {
        decided.stream()
            .filter(record -> record.job().equals(attempt.job()))
            .map(DecisionRecord::body)
            .filter(body -> body instanceof DecisionRecord.Evicted evicted && of(evicted, attempt))
            .forEach(body ->
                add(counted, transition.job(), attempt, ((DecisionRecord.Evicted) body).right()));
      }
    }
    List<PreemptionCount> counts = new ArrayList<>();
    counted.forEach((of, times) -> counts.add(new PreemptionCount(of, times)));
    return counts;
  }

  private static boolean of(DecisionRecord.Evicted evicted, Attempt attempt) {
    return evicted.right() != null
        && evicted.element() == attempt.element()
        && evicted.attempt() == attempt.number();
  }

  private static void add(
      SortedMap<Of, Long> counted, Job job, Attempt attempt, @Nullable EvictionRight right) {
    attempt.members().stream()
        .map(Member::flavor)
        .distinct()
        .forEach(flavor ->
            counted.merge(new Of(job.queue(), job.priority(), flavor, right), 1L, Long::sum));
  }
}
