package dev.fairlead.work.schedule;

import dev.fairlead.kernel.config.ConfigType;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.job.store.Pipeline;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A job of a project, and the times at which it is submitted.
 *
 * @param name DNS label, at most {@link #LONGEST_NAME} characters, unique within the project
 * @param project name of the project
 * @param owner last user to store the schedule. Its jobs are submitted in that name
 * @param administrator whether the owner was an administrator and needs no membership
 * @param catchUpMost most instants that ALL submits late, 1 to {@link #MOST_CATCH_UP}
 * @param job job of a submit as JSON, possibly with a template, without name and dependencies
 */
@RecordBuilder
public record Schedule(
    ScheduleId id,
    String name,
    String project,
    String owner,
    boolean administrator,
    Timing timing,
    CatchUp catchUp,
    int catchUpMost,
    Overlap overlap,
    String job) {
  public static final ConfigType<Schedule> DOCUMENTS =
      new ConfigType<>(ConfigKind.SCHEDULE, Schedule.class);

  /** Maximum number of schedules of a tenant. */
  public static final int MOST = 2_000;

  /** The name of a job is the name of its schedule, a hyphen and the minute of its instant. */
  public static final int LONGEST_NAME = 31;

  public static final int MOST_CATCH_UP = 100;

  /** Maximum bytes of the job. */
  public static final int LARGEST_JOB = 64 * 1024;

  public static final Duration LONGEST_JITTER = Duration.ofHours(12);

  /** Label of its jobs. Callers cannot set it. */
  public static final String LABEL = "fairlead.dev/schedule";

  /** Label of its jobs with the instant in seconds since 1970. Callers cannot set it. */
  public static final String INSTANT_LABEL = "fairlead.dev/schedule-instant";

  private static final long SECONDS_OF_MINUTE = 60;

  /** Maximum length of the value of a label. */
  private static final int LONGEST_LABEL = 63;

  /**
   * The instants of a schedule.
   *
   * @param cron five fields: minute, hour, day of the month, month, day of the week
   * @param timeZone id of the IANA database, such as {@code Europe/Berlin}
   * @param jitter maximum delay of a start, 0 to {@link #LONGEST_JITTER}. Each schedule has a fixed
   *     delay, from a hash of its name
   */
  public record Timing(
      String cron,
      String timeZone,
      RepeatedTime repeatedTime,
      SkippedTime skippedTime,
      Duration jitter) {}

  /** Behaviour at a local time that the end of daylight saving time repeats. */
  public enum RepeatedTime {
    /** The first of both counts. */
    ONCE,
    /** Both count. */
    TWICE
  }

  /** Behaviour at a local time that the start of daylight saving time skips. */
  public enum SkippedTime {
    /** The instant moves forward by the length of the gap. */
    SHIFT,
    /** The schedule has no instant for it. */
    SKIP
  }

  /** Instants that are submitted late, after an outage. */
  public enum CatchUp {
    /** Only instants of the last few minutes. */
    NONE,
    /** The last one. */
    LAST,
    /** The last ones, in order. */
    ALL
  }

  /** Behaviour at an instant while an earlier job of the schedule has not ended. */
  public enum Overlap {
    /** Both run. */
    ALLOW,
    /** The instant is skipped. */
    SKIP,
    /** The earlier job is cancelled. */
    REPLACE
  }

  /** Name of the document: names of schedules are unique within their project only. */
  public static String document(ProjectId project, String name) {
    return project.text() + "/" + name;
  }

  /** Returns the name of an instant's job, which is unique within its schedule. */
  public String jobName(Instant instant) {
    return name + "-" + minute(instant);
  }

  /**
   * Labels of the job of an instant. A pipeline gets the minute of the instant in its name, so that
   * each run is a separate pipeline, and a retry repeats the failed part of one run.
   *
   * @param labels labels of the job as the schedule has them
   */
  public SortedMap<String, String> labels(SortedMap<String, String> labels, Instant instant) {
    SortedMap<String, String> all = new TreeMap<>(labels);
    all.put(LABEL, name);
    all.put(INSTANT_LABEL, Long.toString(instant.getEpochSecond()));
    all.computeIfPresent(
        Pipeline.LABEL,
        (label, pipeline) -> pipeline.isEmpty() ? pipeline : run(pipeline, instant));
    return all;
  }

  /** Cuts the name of the pipeline where it and the minute exceed the length of a label. */
  private static String run(String pipeline, Instant instant) {
    String minute = "-" + minute(instant);
    int most = LONGEST_LABEL - minute.length();
    return pipeline.substring(0, Math.min(pipeline.length(), most)) + minute;
  }

  private static long minute(Instant instant) {
    return instant.getEpochSecond() / SECONDS_OF_MINUTE;
  }

  public ScheduleRun submitted(ScheduleState state, Instant instant, Instant now, JobId job) {
    return run(state, instant, now, ScheduleRun.Outcome.SUBMITTED, job, "");
  }

  /** The run of an instant without a job. */
  public ScheduleRun without(
      ScheduleState state, Instant instant, Instant now, ScheduleRun.Outcome why, String detail) {
    return run(state, instant, now, why, null, detail);
  }

  private ScheduleRun run(
      ScheduleState state,
      Instant instant,
      Instant now,
      ScheduleRun.Outcome outcome,
      @Nullable JobId job,
      String detail) {
    return ScheduleRunBuilder.builder()
        .schedule(id)
        .tenant(state.tenant())
        .instant(instant)
        .outcome(outcome)
        .job(job)
        .owner(owner)
        .detail(detail)
        .instants(1)
        .at(now)
        .build();
  }
}
