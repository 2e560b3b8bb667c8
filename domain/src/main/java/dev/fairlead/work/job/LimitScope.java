package dev.fairlead.work.job;

import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.RunLimits;
import java.util.List;
import java.util.stream.Stream;

/** Of which jobs of a queue limits say what they may have at once. */
public enum LimitScope {
  USER,
  PROJECT,
  QUEUE;

  /** What the queue says of it. */
  public RunLimits limits(QueueSettings queue) {
    return switch (this) {
      case USER -> queue.userLimits().runs();
      case PROJECT -> queue.projectLimits();
      case QUEUE -> queue.queueLimits();
    };
  }

  /** What jobs that are counted together have in common. */
  public String subject(Job job) {
    return switch (this) {
      case USER -> job.user();
      case PROJECT -> job.project().text();
      case QUEUE -> "";
    };
  }

  /** Those that the queue limits. */
  public static List<LimitScope> limited(QueueSettings queue) {
    return Stream.of(values())
        .filter(scope -> !scope.limits(queue).equals(RunLimits.NONE))
        .toList();
  }
}
