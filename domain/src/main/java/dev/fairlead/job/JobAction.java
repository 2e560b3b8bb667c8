package dev.fairlead.job;

import java.util.Locale;
import java.util.Optional;

/** What an owner may do to a job, and when. */
public enum JobAction {
  CANCEL,
  SUSPEND,
  RESUME,
  REQUEUE,
  PATCH;

  /** As in paths and in the SDK. */
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Why it is not possible now, in words about "it"; empty when it is. */
  public Optional<String> refusedFor(Job job) {
    if (job.run().ended()) {
      return Optional.of("it has ended as " + job.state());
    }
    if (job.state() == JobState.CANCELLING) {
      return Optional.of("it is being cancelled");
    }
    return Optional.ofNullable(
        switch (this) {
          case CANCEL -> null;
          case SUSPEND -> job.state() == JobState.SUSPENDED ? "it is suspended already" : null;
          case RESUME -> job.state() == JobState.SUSPENDED ? null : "it is not suspended";
          case REQUEUE -> notRequeued(job);
          case PATCH ->
              job.state() == JobState.ADMITTED || job.state() == JobState.STARTING
                  ? "it is being started; repeat the request when it runs"
                  : null;
        });
  }

  private static @org.jspecify.annotations.Nullable String notRequeued(Job job) {
    if (job.state() == JobState.SUSPENDED) {
      return "it is suspended; resume it";
    }
    if (job.array() != null) {
      return "it is an array; suspend and resume it, and what runs of it starts anew";
    }
    return job.state() == JobState.QUEUED && job.run().retryAt() == null
        ? "it waits for a place already"
        : null;
  }
}
