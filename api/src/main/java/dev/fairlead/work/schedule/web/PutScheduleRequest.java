package dev.fairlead.work.schedule.web;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.web.spi.JobBodies;
import dev.fairlead.work.schedule.Schedule;
import dev.fairlead.work.schedule.service.ScheduleTimes;
import dev.fairlead.work.schedule.service.Schedules;
import dev.fairlead.work.spec.JobSpec;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Size;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;

/** The times of a schedule and its job. */
record PutScheduleRequest(
    @Schema(
            description =
                "Five fields: minute, hour, day of the month, month and day of the week, with *,"
                    + " numbers, names, ranges, lists and steps, such as 30 2 * * MON-FRI")
        @Size(max = 200)
        String cron,
    @Schema(description = "Time zone of the cron expression, such as Europe/Berlin, UTC by default")
        @Size(max = 64)
        @Nullable String timeZone,
    @Schema(
            description =
                "Whether a local time that occurs twice at the end of daylight saving time counts"
                    + " ONCE (default), at its first occurrence, or TWICE")
        Schedule.@Nullable RepeatedTime repeatedTime,
    @Schema(
            description =
                "Whether a local time that is skipped at the beginning of daylight saving time"
                    + " moves forward by the length of the gap (SHIFT, default) or has no"
                    + " instant (SKIP)")
        Schedule.@Nullable SkippedTime skippedTime,
    @Schema(
            implementation = String.class,
            description =
                "Longest delay of a start, 0s to 12h, 0s by default. The delay of a schedule"
                    + " is derived from its name")
        @DurationMin
        @DurationMax(hours = 12)
        @Nullable Duration jitter,
    @Schema(
            description =
                "Instants that are submitted late, after an outage: NONE after five minutes,"
                    + " only the LAST (default), or ALL up to catchUpMost")
        Schedule.@Nullable CatchUp catchUp,
    @Schema(
            description =
                "Maximum number of instants that ALL submits late, 1 to 100, 10 by default")
        @Min(1)
        @Max(Schedule.MOST_CATCH_UP)
        @Nullable Integer catchUpMost,
    @Schema(
            description =
                "Action if an earlier job has not ended: ALLOW both, SKIP the instant (default),"
                    + " or REPLACE the earlier job")
        Schedule.@Nullable Overlap overlap,
    @Schema(
            ref = "#/components/schemas/SubmitJobRequest",
            description =
                "Job of each instant, as in POST /jobs but without name and dependsOn. It can"
                    + " name a template")
        Object job)
    implements RequestRules {
  private static final int CATCH_UP = 10;
  private static final String JOB = "job";

  /** Fields of a job that each instant sets, or that name one job, with the reason. */
  private static final SortedMap<String, String> NOT_IN_JOB =
      Collections.unmodifiableSortedMap(
          new TreeMap<>(
              Map.of(
                  "name", "each instant names its job",
                  "dependsOn", "it would give every job the same name")));

  @Override
  public SortedMap<String, String> conflicts(SortedSet<String> given) {
    SortedMap<String, String> conflicts = new TreeMap<>();
    String ofCron = cron == null ? null : ScheduleTimes.cronProblem(cron);
    if (ofCron != null) {
      String _ = conflicts.put("cron", ofCron);
    }
    String ofZone = ScheduleTimes.zoneProblem(zone());
    if (ofZone != null) {
      String _ = conflicts.put("timeZone", ofZone);
    }
    return conflicts;
  }

  private String zone() {
    return Objects.requireNonNullElse(timeZone, "UTC");
  }

  /**
   * @throws dev.fairlead.kernel.problem.Refusal every problem of the schedule and of its job
   */
  static Schedules.Request read(Body body, String project, Actor actor, JobBodies jobs) {
    FieldProblems problems = new FieldProblems();
    Value given = body.value(problems);
    Optional<PutScheduleRequest> request = BodyBinder.read(given, PutScheduleRequest.class);
    Optional<Value> job = given.fields().flatMap(fields -> fields.get(JOB));
    job.ifPresent(value -> check(value, project, actor, jobs));
    problems.refuse();
    return request.orElseThrow().request(Body.text(job.orElseThrow().tree()));
  }

  private static void check(Value job, String project, Actor actor, JobBodies jobs) {
    if (!job.isObject()) {
      job.bad("must be an object with the fields of a job", null);
      return;
    }
    if (job.isLarger(Schedule.LARGEST_JOB)) {
      job.refuse(
          ProblemCode.LIMIT_EXCEEDED, "A job has at most " + Schedule.LARGEST_JOB + " bytes", null);
      return;
    }
    Fields fields = job.fields().orElseThrow();
    NOT_IN_JOB.forEach((name, why) -> {
      if (fields.has(name)) {
        String detail =
            "A job of a schedule cannot have %s. Leave it out: %s.".formatted(name, why);
        fields.refuse(name, ProblemCode.INVALID_FIELD, detail, null);
      }
    });
    Optional<JobSpec> _ = jobs.filled(actor, project, job);
  }

  private Schedules.Request request(String ofJob) {
    return new Schedules.Request(
        new Schedule.Timing(
            String.join(" ", cron.strip().split("\\s+")),
            zone(),
            Objects.requireNonNullElse(repeatedTime, Schedule.RepeatedTime.ONCE),
            Objects.requireNonNullElse(skippedTime, Schedule.SkippedTime.SHIFT),
            Objects.requireNonNullElse(jitter, Duration.ZERO)),
        Objects.requireNonNullElse(catchUp, Schedule.CatchUp.LAST),
        Objects.requireNonNullElse(catchUpMost, CATCH_UP),
        Objects.requireNonNullElse(overlap, Schedule.Overlap.SKIP),
        ofJob);
  }
}
