package dev.fairlead.work.schedule.service;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.work.schedule.Schedule;
import dev.fairlead.work.schedule.ScheduleRun;
import dev.fairlead.work.schedule.ScheduleState;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A schedule, as the API returns it. */
@RecordBuilder
@Schema(name = "ScheduleResponse")
public record ScheduleView(
    @Schema(description = "Id of the schedule") String id,
    @Schema(description = "Name of the schedule, a DNS label") String name,
    @Schema(description = "Name of the project") String project,
    @Schema(description = "Owner of the jobs: the last user to store the schedule") String owner,
    @Schema(description = "Five fields: minute, hour, day of the month, month, day of the week")
        String cron,
    @Schema(description = "Time zone of the cron expression") String timeZone,
    @Schema(description = "Instants of a local time that occurs twice")
        Schedule.RepeatedTime repeatedTime,
    @Schema(description = "Instants of a local time that does not occur")
        Schedule.SkippedTime skippedTime,
    @Schema(description = "Longest delay of a start") String jitter,
    @Schema(description = "Fixed delay of each start of this schedule, at most the jitter")
        String delay,
    @Schema(description = "Instants that are submitted late, after an outage")
        Schedule.CatchUp catchUp,
    @Schema(description = "Maximum number of instants that ALL submits late") int catchUpMost,
    @Schema(description = "Action if an earlier job has not ended") Schedule.Overlap overlap,
    @Schema(description = "Whether the schedule is suspended and submits no jobs")
        boolean suspended,
    @Schema(description = "Job as in POST /jobs, without name and dependsOn")
        Map<String, Object> job,
    @Schema(description = "Last decision, or null before the first") @Nullable RunView lastRun,
    @Schema(description = "Next ten instants, as if it were not suspended") List<Upcoming> upcoming,
    @Schema(description = "Version of the schedule") long version) {

  /** The decision about an instant. */
  @Schema(name = "ScheduleRunResponse")
  public record RunView(
      @Schema(description = "Instant, without the delay of the schedule") Instant instant,
      @Schema(description = "Result for the instant") ScheduleRun.Outcome outcome,
      @Schema(description = "Id of the job, or null if none") @Nullable String job,
      @Schema(description = "User on whose behalf it was decided") String owner,
      @Schema(description = "Reason why no job was submitted, otherwise empty") String reason,
      @Schema(description = "Number of decided instants. A MISSED run covers several instants")
          int instants,
      @Schema(description = "Time of the decision") Instant decidedAt) {
    static RunView of(ScheduleRun run) {
      return new RunView(
          run.instant(),
          run.outcome(),
          run.job() == null ? null : run.job().text(),
          run.owner(),
          run.detail(),
          run.instants(),
          run.at());
    }
  }

  /** A future instant of a schedule. */
  @Schema(name = "ScheduleInstantResponse")
  public record Upcoming(
      @Schema(description = "Instant, without the delay of the schedule") Instant instant,
      @Schema(description = "The instant in the time zone of the schedule, with its offset")
          String localTime,
      @Schema(description = "Time of the submit") Instant startsAt) {}

  private static final int PREVIEW = 10;
  private static final DateTimeFormatter LOCAL = DateTimeFormatter.ISO_OFFSET_DATE_TIME;

  static List<Upcoming> upcoming(ConfigDocument<Schedule> document, Instant after) {
    Schedule.Timing timing = document.value().timing();
    ScheduleTimes times = ScheduleTimes.of(timing);
    ZoneId zone = ZoneId.of(timing.timeZone());
    return times.next(after, PREVIEW).stream()
        .map(each ->
            new Upcoming(
                each, LOCAL.format(each.atZone(zone)), each.plus(times.delay(document.name()))))
        .toList();
  }

  static ScheduleView of(
      ConfigDocument<Schedule> document,
      ScheduleState state,
      @Nullable ScheduleRun last,
      Map<String, Object> job,
      Instant now) {
    Schedule schedule = document.value();
    Schedule.Timing timing = schedule.timing();
    return ScheduleViewBuilder.builder()
        .id(schedule.id().text())
        .name(schedule.name())
        .project(schedule.project())
        .owner(schedule.owner())
        .cron(timing.cron())
        .timeZone(timing.timeZone())
        .repeatedTime(timing.repeatedTime())
        .skippedTime(timing.skippedTime())
        .jitter(DurationText.of(timing.jitter()))
        .delay(DurationText.of(ScheduleTimes.of(timing).delay(document.name())))
        .catchUp(schedule.catchUp())
        .catchUpMost(schedule.catchUpMost())
        .overlap(schedule.overlap())
        .suspended(state.suspended())
        .job(job)
        .lastRun(last == null ? null : RunView.of(last))
        .upcoming(upcoming(document, now))
        .version(document.version())
        .build();
  }
}
