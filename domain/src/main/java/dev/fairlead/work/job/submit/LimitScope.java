package dev.fairlead.work.job.submit;

import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.RunLimits;
import dev.fairlead.work.job.Job;
import java.util.List;
import java.util.stream.Stream;

/** Set of jobs in a queue that a limit counts together. */
public enum LimitScope {
  USER,
  PROJECT,
  QUEUE;

  public RunLimits limits(QueueSettings queue) {
    return switch (this) {
      case USER -> queue.userLimits().runs();
      case PROJECT -> queue.projectLimits();
      case QUEUE -> queue.queueLimits();
    };
  }

  /** Common values of jobs that are counted together. */
  public String subject(Job job) {
    return switch (this) {
      case USER -> job.user();
      case PROJECT -> job.project().text();
      case QUEUE -> "";
    };
  }

  public static List<LimitScope> limited(QueueSettings queue) {
    return Stream.of(values())
        .filter(scope -> !scope.limits(queue).equals(RunLimits.NONE))
        .toList();
  }
}
