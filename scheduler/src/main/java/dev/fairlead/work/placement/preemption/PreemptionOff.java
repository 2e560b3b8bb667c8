package dev.fairlead.work.placement.preemption;

import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.Quantity;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.placement.reservation.Reservations;
import dev.fairlead.work.placement.reservation.RunningAttempt;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.shape.JobShape;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds running jobs of lower priority that a waiting job of the same queue could preempt if the
 * queue permitted preemption.
 */
public final class PreemptionOff {
  private final Reservations reservations;
  private @Nullable SortedMap<QuotaNodeId, List<RunningAttempt>> preemptible;

  public PreemptionOff(Reservations reservations) {
    this.reservations = reservations;
  }

  /**
   * Names the setting that is off. The result is null if the queue permits preemption within it, or
   * if no preemptible job of lower priority in the queue runs on a flavor that the job may use.
   */
  public @Nullable Blocker blocker(JobShape shape, List<FlavorAssignment> assignments) {
    QuotaNode queue = reservations.admission().tree().node(shape.queue()).orElse(null);
    if (queue == null
        || queue.preemption().withinQueue() != PreemptionRules.WithinQueue.NEVER
        || assignments.isEmpty()) {
      return null;
    }
    SortedSet<Flavor> flavors = new TreeSet<>();
    for (FlavorAssignment assignment : assignments) {
      shape.gang().roles().forEach(role -> flavors.add(assignment.flavor(role.role())));
    }
    long jobs = 0;
    long milli = 0;
    for (RunningAttempt running : preemptible().getOrDefault(shape.queue(), List.of())) {
      int priority = running.job().priority();
      if (priority >= shape.priority() || Preemptor.idle(priority)) {
        continue;
      }
      List<Member> there =
          running.attempt().members().stream()
              .filter(member -> flavors.contains(member.flavor()))
              .toList();
      if (!there.isEmpty()) {
        jobs++;
        milli += there.stream().mapToLong(Member::gpuMilli).sum();
      }
    }
    return jobs == 0 ? null : blocker(queue, jobs, milli);
  }

  private static Blocker blocker(QuotaNode queue, long jobs, long milli) {
    SortedMap<String, Long> numbers = new TreeMap<>();
    numbers.put("lowerPriorityJobs", jobs);
    numbers.put("gpuMilli", milli);
    String text =
        "%d %s of lower priority in queue '%s' %s with %s GPUs, and preemption is off in this queue"
            .formatted(
                jobs,
                jobs == 1 ? "job" : "jobs",
                queue.name(),
                jobs == 1 ? "runs" : "run",
                Quantity.ofMilli(milli));
    String action =
        "an administrator can set preemption: {withinQueue: LOWER_PRIORITY} for the queue with"
            + " PATCH /queues/%s".formatted(queue.name());
    return new Blocker(
        Reason.CAPACITY,
        new Blocker.Scope(Blocker.Scope.Kind.QUEUE, queue.name()),
        text,
        numbers,
        action);
  }

  private SortedMap<QuotaNodeId, List<RunningAttempt>> preemptible() {
    SortedMap<QuotaNodeId, List<RunningAttempt>> known = preemptible;
    if (known == null) {
      known = new TreeMap<>();
      for (RunningAttempt running : reservations.attempts().all()) {
        if (running.job().spec().preemption().allowed() && !running.leaves()) {
          known.computeIfAbsent(running.job().queue(), q -> new ArrayList<>()).add(running);
        }
      }
      preemptible = known;
    }
    return known;
  }
}
