package dev.fairlead.work.placement.blockers;

import dev.fairlead.fleet.quota.RunLimits;
import dev.fairlead.kernel.resources.Quantity;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Blocker.Scope;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.submit.LimitScope;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Explains how limits of users, projects and whole queues hold a job back.
 *
 * @param user the user of the job
 */
public record RunLimitBlockers(String queue, LimitScope scope, String user) {
  /**
   * Explains that the job would exceed a limit of its scope.
   *
   * @param more the demand of the job
   */
  public Blocker over(RunLimits limits, RunLimits.Use has, RunLimits.Demand more) {
    SortedMap<String, Long> numbers = new TreeMap<>();
    List<String> full = new ArrayList<>();
    Integer running = limits.running();
    Long gpus = limits.gpuMilli();
    Long minutes = limits.gpuMinutes();
    if (running != null && has.running() >= running) {
      numbers.put("running", (long) has.running());
      numbers.put("runningLimit", (long) running);
      full.add("%s runs %d of %d jobs".formatted(subject(), has.running(), running));
    }
    if (gpus != null && has.gpuMilli() + more.gpuMilli() > gpus) {
      numbers.put("neededMilli", more.gpuMilli());
      numbers.put("usedMilli", has.gpuMilli());
      numbers.put("limitMilli", gpus);
      full.add(
          "%s uses %s of %s GPUs, and this job requests %s"
              .formatted(
                  subject(),
                  Quantity.ofMilli(has.gpuMilli()),
                  Quantity.ofMilli(gpus),
                  Quantity.ofMilli(more.gpuMilli())));
    }
    boolean byRuntime = false;
    if (minutes != null && !new RunLimits(null, null, minutes).admit(has.and(more))) {
      byRuntime = true;
      full.add(minutes(minutes, has, more, numbers));
    }
    return new Blocker(
        scope == LimitScope.USER ? Reason.USER_LIMIT : Reason.QUEUE_LIMIT,
        new Scope(Scope.Kind.QUEUE, queue),
        String.join("; ", full) + (scope == LimitScope.QUEUE ? "" : " in queue " + queue),
        numbers,
        action(limits, byRuntime, more));
  }

  private String subject() {
    return switch (scope) {
      case USER -> user;
      case PROJECT -> "its project";
      case QUEUE -> "queue " + queue;
    };
  }

  private String jobs() {
    return switch (scope) {
      case USER -> "jobs of " + user + " there";
      case PROJECT -> "jobs of its project there";
      case QUEUE -> "jobs of this queue";
    };
  }

  private String minutes(
      long limit, RunLimits.Use has, RunLimits.Demand more, SortedMap<String, Long> numbers) {
    numbers.put("gpuMinutesLimit", limit);
    if (!has.endless()) {
      numbers.put("gpuMinutes", has.gpuMinutes());
    }
    if (!more.endless()) {
      numbers.put("gpuMinutesAsked", more.gpuMinutes());
    }
    return "jobs of %s may still use %s of %d GPU-minutes, and this job requests %s"
        .formatted(
            subject(),
            has.endless() ? "any number, because one of them has no maxRuntime," : has.gpuMinutes(),
            limit,
            more.endless() ? "any number, because it has no maxRuntime," : more.gpuMinutes());
  }

  private String action(RunLimits limits, boolean byRuntime, RunLimits.Demand more) {
    if (byRuntime && more.endless()) {
      return "submit it with a maxRuntime, or ask an administrator to set a defaultMaxRuntime"
          + " for the queue";
    }
    if (!limits.admitOne(more)) {
      return never() + ": request less, or ask an administrator to raise " + field();
    }
    return byRuntime
        ? "starts when " + jobs() + " end or have run for longer"
        : "starts when one of the " + jobs() + " ends";
  }

  private String never() {
    return switch (scope) {
      case USER -> "the limit of a user in this queue is lower";
      case PROJECT -> "the limit of a project in this queue is lower";
      case QUEUE -> "this queue never runs that much";
    };
  }

  private String field() {
    return switch (scope) {
      case USER -> "userLimits";
      case PROJECT -> "projectLimits";
      case QUEUE -> "queueLimits";
    };
  }
}
