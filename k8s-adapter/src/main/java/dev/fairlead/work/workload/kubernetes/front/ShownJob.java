package dev.fairlead.work.workload.kubernetes.front;

import dev.fairlead.front.FrontCondition;
import dev.fairlead.front.FrontStatus;
import dev.fairlead.front.FrontStatusBuilder;
import dev.fairlead.front.SeenJob;
import dev.fairlead.front.SeenJobBuilder;
import dev.fairlead.front.ServiceStatus;
import dev.fairlead.work.workload.kubernetes.call.ReportedText;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import io.fabric8.kubernetes.api.model.batch.v1.JobSpec;
import io.fabric8.kubernetes.api.model.batch.v1.JobStatus;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The part of a Job, or of an object of another kind, that Fairlead needs to run it.
 *
 * @param finalizers all finalizers
 * @param indexes indexes of its completions, null if they have none
 * @param state state of an object that runs in place, null for others
 * @param workload status of a Workload, null for others
 */
public record ShownJob(
    SeenJob seen,
    List<String> finalizers,
    @Nullable String indexes,
    @Nullable KindState state,
    @Nullable WorkloadStatus workload) {
  /** Prevents the removal of a Job until its end is stored. */
  public static final String FINALIZER = "fairlead.dev/job";

  /** Names the installation that has taken a Job up. */
  public static final String INSTALLATION = "fairlead.dev/installation";

  private static final int LONGEST = 253;
  private static final int LONGEST_TEXT = 32_768;
  private static final int MOST_CONDITIONS = 30;
  private static final int MOST_FINALIZERS = 30;

  public ShownJob {
    finalizers = List.copyOf(finalizers);
  }

  /** A Job, which runs elsewhere. */
  public ShownJob(SeenJob seen, List<String> finalizers, @Nullable String indexes) {
    this(seen, finalizers, indexes, null, null);
  }

  public String uid() {
    return seen.uid();
  }

  /**
   * Returns the Job, or null if it is not managed by Fairlead or could not come from an API server.
   *
   * @param installation label of this one
   */
  public static @Nullable ShownJob of(Job job, String installation) {
    if (!ours(job)) {
      return null;
    }
    boolean endsEarly = job.getSpec().getBackoffLimitPerIndex() == null;
    ShownJob shown = of(job.getMetadata(), "", job.getStatus(), installation, endsEarly);
    if (shown == null) {
      return null;
    }
    SeenJob seen = shown.seen().suspended(Boolean.TRUE.equals(job.getSpec().getSuspend()));
    return new ShownJob(seen, shown.finalizers(), indexes(job.getSpec()));
  }

  /**
   * Returns the object as not suspended, or null if no API server could have sent it.
   *
   * @param prefix prefix of its name
   * @param told status in the form of a Job's
   * @param installation label of this installation
   */
  public static @Nullable ShownJob of(
      ObjectMeta meta,
      String prefix,
      @Nullable JobStatus told,
      String installation,
      boolean endsEarly) {
    FrontStatus status = status(told);
    SeenJob seen = status == null ? null : seen(meta, prefix, status, installation, endsEarly);
    return seen == null ? null : new ShownJob(seen, finalizers(meta), null);
  }

  /** Returns the Workload, or null if no API server could have sent it. */
  static @Nullable ShownJob of(
      ObjectMeta meta, String prefix, WorkloadStatus status, String installation) {
    SeenJob seen = seen(meta, prefix, status.job(), installation, false);
    return seen == null ? null : new ShownJob(seen, finalizers(meta), null, null, status);
  }

  /** Returns the ModelService, or null if no API server could have sent it. */
  static @Nullable ShownJob of(
      ObjectMeta meta, String prefix, ServiceStatus status, String installation) {
    SeenJob seen = seen(meta, prefix, FrontStatus.NEW.withService(status), installation, false);
    return seen == null ? null : new ShownJob(seen, finalizers(meta), null);
  }

  static List<String> finalizers(ObjectMeta meta) {
    return meta.getFinalizers() == null ? List.of() : meta.getFinalizers();
  }

  private static @Nullable SeenJob seen(
      ObjectMeta meta, String prefix, FrontStatus status, String installation, boolean endsEarly) {
    if (!ReportedText.plain(meta.getUid(), LONGEST)
        || !ReportedText.plain(meta.getNamespace(), LONGEST)
        || !ReportedText.plain(meta.getName(), LONGEST)
        || !ReportedText.plain(meta.getResourceVersion(), LONGEST)) {
      return null;
    }
    List<String> finalizers = finalizers(meta);
    if (finalizers.size() > MOST_FINALIZERS) {
      return null;
    }
    boolean held = finalizers.contains(FINALIZER);
    Map<String, String> annotations = meta.getAnnotations();
    String holder = annotations == null ? null : annotations.get(INSTALLATION);
    return SeenJobBuilder.builder()
        .uid(meta.getUid())
        .namespace(meta.getNamespace())
        .name(prefix + meta.getName())
        .version(meta.getResourceVersion())
        .deleting(meta.getDeletionTimestamp() != null)
        .held(held)
        .foreign(held && !installation.equals(holder))
        .suspended(false)
        .endsEarly(endsEarly)
        .status(status)
        .build();
  }

  private static boolean ours(Job job) {
    return job.getSpec() != null && SeenJob.MANAGER.equals(job.getSpec().getManagedBy());
  }

  /**
   * Returns whether the document is that Job and asks Fairlead to run it, even if the Job cannot be
   * translated.
   */
  public static boolean asks(Job job, String uid) {
    return ours(job) && uid.equals(job.getMetadata().getUid());
  }

  private static @Nullable String indexes(JobSpec spec) {
    Integer completions = spec.getCompletions();
    if (!"Indexed".equals(spec.getCompletionMode()) || completions == null || completions < 1) {
      return null;
    }
    return completions == 1 ? "0" : "0-" + (completions - 1);
  }

  private static @Nullable FrontStatus status(@Nullable JobStatus status) {
    if (status == null) {
      return FrontStatus.NEW;
    }
    List<JobCondition> told = status.getConditions() == null ? List.of() : status.getConditions();
    if (told.size() > MOST_CONDITIONS) {
      return null;
    }
    try {
      List<FrontCondition> conditions = new ArrayList<>();
      told.forEach(one -> conditions.add(condition(one)));
      return FrontStatusBuilder.builder()
          .active(number(status.getActive()))
          .ready(number(status.getReady()))
          .succeeded(number(status.getSucceeded()))
          .failed(number(status.getFailed()))
          .startTime(time(status.getStartTime()))
          .completionTime(time(status.getCompletionTime()))
          .conditions(conditions)
          .service(null)
          .build();
    } catch (DateTimeParseException | IllegalArgumentException strange) {
      return null;
    }
  }

  private static int number(@Nullable Integer number) {
    return number == null ? 0 : number;
  }

  private static @Nullable Instant time(@Nullable String text) {
    return text == null ? null : Instant.parse(text);
  }

  private static FrontCondition condition(JobCondition one) {
    Instant since = time(one.getLastTransitionTime());
    return new FrontCondition(
        text(one.getType()),
        text(one.getStatus()),
        text(one.getReason()),
        text(one.getMessage()),
        since == null ? Instant.EPOCH : since);
  }

  private static String text(@Nullable String text) {
    if (text != null && text.length() > LONGEST_TEXT) {
      throw new IllegalArgumentException("a condition that is longer than an API server accepts");
    }
    return text == null ? "" : text;
  }
}
