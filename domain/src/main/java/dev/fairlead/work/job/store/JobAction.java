package dev.fairlead.work.job.store;

import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** Actions of an owner on a job, and the states that permit them. */
public enum JobAction {
  CANCEL,
  SUSPEND,
  RESUME,
  REQUEUE,
  CHECKPOINT,
  PATCH,
  DELETE;

  /** Reason why a job that has ended cannot be deleted yet. */
  public static final String OUTPUT_KEPT =
      "its pods remain for a few minutes so that its output can be read. Repeat the request then";

  /** Returns the name in paths and in the SDK. */
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Reason why it is not possible now, in words about "it", empty when it is. */
  public Optional<String> refusedFor(Job job) {
    if (this == DELETE) {
      return job.run().ended()
          ? Optional.empty()
          : Optional.of("it has not ended. Cancel it first");
    }
    if (job.run().ended()) {
      return Optional.of("it has ended as " + job.state());
    }
    if (job.state() == JobState.CANCELLING) {
      return Optional.of("it is being cancelled");
    }
    return Optional.ofNullable(
        switch (this) {
          case CANCEL -> null;
          case SUSPEND -> job.state() == JobState.SUSPENDED ? "it is already suspended" : null;
          case RESUME -> job.state() == JobState.SUSPENDED ? null : "it is not suspended";
          case REQUEUE -> notRequeued(job);
          case CHECKPOINT -> checkpoints(job) ? null : "it does not run";
          case PATCH -> starts(job) ? "it is being started. Retry the request when it runs" : null;
          case DELETE -> null;
        });
  }

  /** Like {@link #refusedFor} of PATCH, for these fields: labels do not affect a start. */
  public static Optional<String> patchRefused(Job job, Collection<String> fields) {
    boolean labelsAlone = fields.stream().allMatch("labels"::equals);
    return labelsAlone && starts(job) ? Optional.empty() : PATCH.refusedFor(job);
  }

  /** Includes a job suspended while running that saves its work before it stops. */
  private static boolean checkpoints(Job job) {
    return job.state() == JobState.RUNNING
        || job.state() == JobState.SUSPENDED && job.spec().preemption().checkpointTimeout() != null;
  }

  private static boolean starts(Job job) {
    return job.state() == JobState.ADMITTED || job.state() == JobState.STARTING;
  }

  private static @org.jspecify.annotations.Nullable String notRequeued(Job job) {
    if (job.state() == JobState.SUSPENDED) {
      return "it is suspended. Resume it";
    }
    return job.array() == null && job.state() == JobState.QUEUED && job.run().retryAt() == null
        ? "it is already queued"
        : null;
  }
}
