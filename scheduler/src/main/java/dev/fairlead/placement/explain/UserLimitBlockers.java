package dev.fairlead.placement.explain;

import dev.fairlead.explanation.Blocker;
import dev.fairlead.explanation.Blocker.Scope;
import dev.fairlead.explanation.Reason;
import dev.fairlead.quota.UserLimits;
import dev.fairlead.resources.Quantity;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** What limits of users in a queue keep a job back with. */
public final class UserLimitBlockers {
  private UserLimitBlockers() {}

  /**
   * Of a job with which its user would be over a limit.
   *
   * @param more what the job asks for
   */
  public static Blocker over(
      String queue, String user, UserLimits limits, UserLimits.Use has, UserLimits.Demand more) {
    SortedMap<String, Long> numbers = new TreeMap<>();
    List<String> full = new ArrayList<>();
    Integer running = limits.running();
    Long gpus = limits.gpuMilli();
    Long minutes = limits.gpuMinutes();
    if (running != null && has.running() >= running) {
      numbers.put("running", (long) has.running());
      numbers.put("runningLimit", (long) running);
      full.add("%s runs %d of %d jobs".formatted(user, has.running(), running));
    }
    if (gpus != null && has.gpuMilli() + more.gpuMilli() > gpus) {
      numbers.put("neededMilli", more.gpuMilli());
      numbers.put("usedMilli", has.gpuMilli());
      numbers.put("limitMilli", gpus);
      full.add(
          "%s uses %s of %s GPUs, and this asks for %s"
              .formatted(
                  user,
                  Quantity.ofMilli(has.gpuMilli()),
                  Quantity.ofMilli(gpus),
                  Quantity.ofMilli(more.gpuMilli())));
    }
    boolean byRuntime = false;
    if (minutes != null && !new UserLimits(null, null, null, minutes).admit(has.and(more))) {
      byRuntime = true;
      full.add(minutes(user, minutes, has, more, numbers));
    }
    return new Blocker(
        Reason.USER_LIMIT,
        new Scope(Scope.Kind.QUEUE, queue),
        String.join("; ", full) + " in queue " + queue,
        numbers,
        action(user, limits, byRuntime, more));
  }

  private static String minutes(
      String user,
      long limit,
      UserLimits.Use has,
      UserLimits.Demand more,
      SortedMap<String, Long> numbers) {
    numbers.put("gpuMinutesLimit", limit);
    if (!has.endless()) {
      numbers.put("gpuMinutes", has.gpuMinutes());
    }
    if (!more.endless()) {
      numbers.put("gpuMinutesAsked", more.gpuMinutes());
    }
    return "jobs of %s may still use %s of %d GPU-minutes, and this asks for %s"
        .formatted(
            user,
            has.endless() ? "any number, since one of them has no maxRuntime," : has.gpuMinutes(),
            limit,
            more.endless() ? "any number, since it has no maxRuntime," : more.gpuMinutes());
  }

  private static String action(
      String user, UserLimits limits, boolean byRuntime, UserLimits.Demand more) {
    if (byRuntime && more.endless()) {
      return "submit it with a maxRuntime, or an administrator gives the queue a defaultMaxRuntime";
    }
    if (!limits.admitOne(more)) {
      return "a user never has that much in this queue: ask for less, or an administrator to raise"
          + " userLimits";
    }
    return byRuntime
        ? "starts when jobs of " + user + " there end or have run for longer"
        : "starts when one of the jobs of " + user + " there ends";
  }
}
