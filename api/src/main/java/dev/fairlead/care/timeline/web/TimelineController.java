package dev.fairlead.care.timeline.web;

import dev.fairlead.care.timeline.TimelineEntry;
import dev.fairlead.care.timeline.TimelineEntry.Cursor;
import dev.fairlead.care.timeline.TimelineEntry.Source;
import dev.fairlead.care.timeline.service.Timelines;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.PageTokens;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;

/**
 * Returns timelines: the events of a job, a node or a cluster and its surroundings, on one axis.
 */
@ApiController(ApiPaths.ROOT)
@Tag(name = "Health")
class TimelineController {
  private static final Duration LONGEST = Duration.ofDays(31);
  private static final String A_DAY = "24h";
  private final Timelines timelines;
  private final PageTokens tokens;
  private final InstantSource clock;

  TimelineController(Timelines timelines, PageTokens tokens, InstantSource clock) {
    this.timelines = timelines;
    this.tokens = tokens;
    this.clock = clock;
  }

  /**
   * An entry of a timeline.
   *
   * @param source source of the entry
   * @param type type of the entry, such as AttemptFailed, IncidentOpened, NodeQuarantined
   * @param job id of the job concerned, null if none
   * @param node name of the node concerned, null if none
   * @param actor actor that ordered it, null if none and if the caller cannot see it
   * @param text description, may be empty
   */
  @Schema(name = "TimelineEntryResponse")
  record TimelineEntryResponse(
      Instant at,
      Source source,
      String type,
      @Nullable String job,
      @Nullable String node,
      @Nullable String actor,
      String text) {
    static TimelineEntryResponse of(TimelineEntry entry) {
      JobId job = entry.job();
      return new TimelineEntryResponse(
          entry.cursor().at(),
          entry.cursor().source(),
          entry.type(),
          job == null ? null : job.text(),
          entry.node(),
          entry.actor(),
          entry.text());
    }
  }

  /** Reads entries after a position on the axis. */
  private interface Reader {
    List<TimelineEntry> read(Instant since, @Nullable Cursor after, int limit);
  }

  @Operation(
      operationId = "getJobTimeline",
      summary = "Read the timeline of a job",
      description =
          "Returns the events of the job, and the events of its nodes and clusters while it ran"
              + " on them, oldest first. Operators and auditors also see faults and repairs."
              + " Other callers see that a node was quarantined, released or drained.")
  @GetMapping("/jobs/{job}/timeline")
  ResponseEntity<Page<TimelineEntryResponse>> ofJob(
      Actor actor,
      @PathVariable String job,
      @RequestParam(defaultValue = A_DAY) String sinceTime,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    JobId id = new JobId(ApiPaths.id(IdKind.JOB, job));
    return page(
        actor,
        "job " + job,
        sinceTime,
        pageSize,
        pageToken,
        (since, after, limit) -> timelines.ofJob(actor, id, since, after, limit));
  }

  @Operation(
      operationId = "getNodeTimeline",
      summary = "Read the timeline of a node",
      description = "Returns incidents, quarantines, repairs and drains of the node, oldest first.")
  @GetMapping("/nodes/{node}/timeline")
  ResponseEntity<Page<TimelineEntryResponse>> ofNode(
      Actor actor,
      @PathVariable String node,
      @RequestParam(defaultValue = A_DAY) String sinceTime,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    return page(
        actor,
        "node " + node,
        sinceTime,
        pageSize,
        pageToken,
        (since, after, limit) -> timelines.ofNode(actor, node, since, after, limit));
  }

  @Operation(
      operationId = "getClusterTimeline",
      summary = "Read the timeline of a cluster",
      description =
          "Returns incidents, quarantines and repairs of its nodes, and drains of the"
              + " cluster and its nodes, oldest first.")
  @GetMapping("/clusters/{cluster}/timeline")
  ResponseEntity<Page<TimelineEntryResponse>> ofCluster(
      Actor actor,
      @PathVariable String cluster,
      @RequestParam(defaultValue = A_DAY) String sinceTime,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    return page(
        actor,
        "cluster " + cluster,
        sinceTime,
        pageSize,
        pageToken,
        (since, after, limit) -> timelines.ofCluster(actor, cluster, since, after, limit));
  }

  private ResponseEntity<Page<TimelineEntryResponse>> page(
      Actor actor,
      String of,
      String sinceTime,
      int pageSize,
      @Nullable String pageToken,
      Reader reader) {
    int size = Parameters.pageSize(pageSize);
    Instant now = clock.instant();
    Instant since = Objects.requireNonNull(Parameters.since("sinceTime", sinceTime, now));
    if (since.isBefore(now.minus(LONGEST))) {
      throw Parameters.refused("sinceTime", "must be at most 31 days ago");
    }
    String filter = "timeline of " + of + " since " + sinceTime;
    Cursor after =
        tokens.position(actor, filter, pageToken).map(TimelineController::cursor).orElse(null);
    List<TimelineEntry> found = reader.read(since, after, size + 1);
    return tokens
        .page(actor, filter, size, found, one -> text(one.cursor()))
        .map(TimelineEntryResponse::of)
        .answer();
  }

  private static String text(Cursor cursor) {
    return cursor.at() + " " + cursor.source() + " " + cursor.key();
  }

  private static Cursor cursor(String position) {
    String[] parts = position.split(" ", 3);
    return new Cursor(Instant.parse(parts[0]), Source.valueOf(parts[1]), parts[2]);
  }
}
