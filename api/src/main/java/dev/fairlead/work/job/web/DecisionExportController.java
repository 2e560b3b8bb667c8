package dev.fairlead.work.job.web;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.PageTokens;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.service.query.ClusterNames;
import dev.fairlead.work.job.service.query.DecisionQueries;
import dev.fairlead.work.job.service.query.DecisionSpan;
import dev.fairlead.work.job.store.DecisionRange;
import dev.fairlead.work.job.store.DecisionRange.Place;
import dev.fairlead.work.job.web.view.DecisionResponse;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Exports decisions about many jobs. */
@ApiController(ApiPaths.ROOT + "/decisions")
@Tag(name = "Audit")
class DecisionExportController {
  private static final Duration USUAL = Duration.ofDays(1);
  private final DecisionQueries decisions;
  private final ClusterNames clusters;
  private final PageTokens tokens;
  private final InstantSource clock;

  DecisionExportController(
      DecisionQueries decisions, ClusterNames clusters, PageTokens tokens, InstantSource clock) {
    this.decisions = decisions;
    this.clusters = clusters;
    this.tokens = tokens;
    this.clock = clock;
  }

  /**
   * A decision and its job.
   *
   * @param job id of the job
   * @param name name of the job
   * @param decision the decision as in the decisions of one job, without until: it applies until
   *     the next decision of its job
   */
  @Schema(name = "ExportedDecisionResponse")
  record ExportedDecisionResponse(
      String job, String name, String project, DecisionResponse decision) {}

  @Operation(
      operationId = "exportDecisions",
      summary = "Export decisions about jobs",
      description =
          "Exports decisions by time for all jobs of the tenant, or of a project, including"
              + " ended jobs. A page may have fewer decisions than requested, or none, even if"
              + " more follow. Continue until there is no nextPageToken.")
  @GetMapping
  ResponseEntity<Page<ExportedDecisionResponse>> export(
      Actor actor,
      @RequestParam(required = false) @Nullable String project,
      @Parameter(
              description =
                  "Start, as a time or a duration before now. Default: a day before" + " `until`.")
          @RequestParam(required = false)
          @Nullable String since,
      @Parameter(description = "End, exclusive, as a time or a duration before now. Default: now.")
          @RequestParam(required = false)
          @Nullable String until,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    int size = Parameters.pageSize(pageSize);
    /* The filter has the caller's parameters, so a later page stays in the range of the first. */
    String filter = "decisions " + project + " " + since + " " + until;
    Start start =
        tokens
            .position(actor, filter, pageToken)
            .map(DecisionExportController::start)
            .orElseGet(() -> first(since, until));
    DecisionQueries.Part part =
        decisions.of(
            actor, project, new DecisionRange(start.since(), start.until(), start.after(), size));
    Place last = part.last();
    String next =
        last == null ? null : tokens.next(actor, filter, text(start.since(), start.until(), last));
    return new Page<>(part.rows().stream().map(this::row).toList(), next).answer();
  }

  private Start first(@Nullable String since, @Nullable String until) {
    Parameters.Span span = Parameters.span("since", since, "until", until, USUAL, clock.instant());
    return new Start(span.from(), span.to(), Place.START);
  }

  private ExportedDecisionResponse row(DecisionQueries.ProjectRow row) {
    DecisionRange.Row decided = row.row();
    return new ExportedDecisionResponse(
        decided.place().job().text(),
        decided.name(),
        row.project(),
        DecisionResponse.of(new DecisionSpan(decided.decision(), null), clusters));
  }

  private record Start(Instant since, Instant until, Place after) {}

  private static String text(Instant since, Instant until, Place place) {
    return "%s %s %s %s %d".formatted(since, until, place.at(), place.job().text(), place.id());
  }

  private static Start start(String text) {
    String[] parts = text.split(" ", 5);
    JobId job = new JobId(IdText.decode(IdKind.JOB, parts[3]).orElseThrow());
    return new Start(
        Instant.parse(parts[0]),
        Instant.parse(parts[1]),
        new Place(Instant.parse(parts[2]), job, Long.parseLong(parts[4])));
  }
}
