package dev.fairlead.work.schedule.web;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.BodyOf;
import dev.fairlead.kernel.mapping.PutBody;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Etags;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.PageTokens;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.web.spi.JobBodies;
import dev.fairlead.work.schedule.Schedule;
import dev.fairlead.work.schedule.ScheduleRun;
import dev.fairlead.work.schedule.service.ScheduleView;
import dev.fairlead.work.schedule.service.Schedules;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;

/** Schedules of projects. */
@ApiController(ApiPaths.ROOT + "/projects/{project}/schedules")
@Tag(name = "Schedules")
class ScheduleController {
  private final Schedules schedules;
  private final JobBodies jobs;
  private final PageTokens tokens;

  ScheduleController(Schedules schedules, JobBodies jobs, PageTokens tokens) {
    this.schedules = schedules;
    this.jobs = jobs;
    this.tokens = tokens;
  }

  @Operation(
      operationId = "listSchedules",
      summary = "List schedules of a project",
      description = "Lists schedules by name, each with its last decision and its next instants.")
  @GetMapping
  ResponseEntity<Page<ScheduleView>> all(
      Actor actor,
      @PathVariable String project,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    int size = Parameters.pageSize(pageSize);
    String sealed = "schedules " + project;
    String after = tokens.position(actor, sealed, pageToken).map(String::toString).orElse("");
    List<ScheduleView> found = schedules.page(actor, project, after, size + 1);
    return tokens.page(actor, sealed, size, found, ScheduleView::name).answer();
  }

  @Operation(
      operationId = "getSchedule",
      summary = "Read a schedule",
      description = "Returns its settings, its last decision and its next ten instants.")
  @GetMapping("/{schedule}")
  ResponseEntity<ScheduleView> one(
      Actor actor, @PathVariable String project, @PathVariable String schedule) {
    return tagged(schedules.one(actor, new Schedules.Name(project, schedule)));
  }

  @Operation(
      operationId = "putSchedule",
      summary = "Add a schedule, or change it",
      description =
          "Its jobs are submitted in the name of the caller, with the rights that the caller has"
              + " as a member at that time. Changed times apply from the first instant after the"
              + " change. With validateOnly, the response is a preview. If-Match is optional.")
  @PutBody("/{schedule}")
  ResponseEntity<ScheduleView> put(
      Actor actor,
      @PathVariable String project,
      @PathVariable String schedule,
      @RequestBody @BodyOf(PutScheduleRequest.class) Body body,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    Parameters.requireLabel("schedule", schedule, Schedule.LONGEST_NAME);
    Schedules.Name name = new Schedules.Name(project, schedule);
    return tagged(
        schedules.put(
            actor,
            name,
            PutScheduleRequest.read(body, project, actor, jobs),
            options.ifGiven(() -> schedules.one(actor, name).version()),
            options.validateOnly()));
  }

  @Operation(
      operationId = "deleteSchedule",
      summary = "Delete a schedule",
      description = "Its history is deleted with it. Its jobs remain.")
  @ApiResponse(responseCode = "204", description = "Deleted.")
  @DeleteMapping("/{schedule}")
  ResponseEntity<Void> delete(
      Actor actor,
      @PathVariable String project,
      @PathVariable String schedule,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    Schedules.Name name = new Schedules.Name(project, schedule);
    schedules.delete(
        actor,
        name,
        options.ifGiven(() -> schedules.one(actor, name).version()),
        options.validateOnly());
    return ResponseEntity.noContent().build();
  }

  @Operation(
      operationId = "suspendSchedule",
      summary = "Suspend a schedule",
      description = "No job is submitted until it is resumed. Its running jobs continue.")
  @PostMapping("/{schedule}/suspend")
  ResponseEntity<ScheduleView> suspend(
      Actor actor,
      @PathVariable String project,
      @PathVariable String schedule,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    return tagged(
        schedules.suspend(actor, new Schedules.Name(project, schedule), options.validateOnly()));
  }

  @Operation(
      operationId = "resumeSchedule",
      summary = "Resume a schedule",
      description = "Includes the next instant. Instants during the suspension are not submitted.")
  @PostMapping("/{schedule}/resume")
  ResponseEntity<ScheduleView> resume(
      Actor actor,
      @PathVariable String project,
      @PathVariable String schedule,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    return tagged(
        schedules.resume(actor, new Schedules.Name(project, schedule), options.validateOnly()));
  }

  @Operation(
      operationId = "previewSchedule",
      summary = "Preview the instants of a schedule",
      description = "The next ten instants after a time, from the function that the loop uses.")
  @GetMapping("/{schedule}/preview")
  Page<ScheduleView.Upcoming> preview(
      Actor actor,
      @PathVariable String project,
      @PathVariable String schedule,
      @RequestParam(required = false) @Nullable String begin) {
    Instant after = begin == null ? null : Parameters.time("begin", begin);
    return Page.whole(schedules.preview(actor, new Schedules.Name(project, schedule), after));
  }

  @Operation(
      operationId = "listScheduleRuns",
      summary = "List decisions of a schedule",
      description =
          "Lists instants, newest first, each with its job or the reason why it has no job. At"
              + " least the last 1,000 are stored.")
  @GetMapping("/{schedule}/runs")
  ResponseEntity<Page<ScheduleView.RunView>> runs(
      Actor actor,
      @PathVariable String project,
      @PathVariable String schedule,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    int size = Parameters.pageSize(pageSize);
    String sealed = "schedule runs " + project + " " + schedule;
    Instant before =
        tokens.position(actor, sealed, pageToken).map(Instant::parse).orElse(ScheduleRun.AFTER_ALL);
    List<ScheduleView.RunView> found =
        schedules.runs(actor, new Schedules.Name(project, schedule), before, size + 1);
    return tokens.page(actor, sealed, size, found, one -> one.instant().toString()).answer();
  }

  private static ResponseEntity<ScheduleView> tagged(ScheduleView view) {
    return ResponseEntity.ok().eTag(Etags.of(view.version())).body(view);
  }
}
