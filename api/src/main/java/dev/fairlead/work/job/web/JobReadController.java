package dev.fairlead.work.job.web;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Etags;
import dev.fairlead.kernel.web.EventResponse;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.PageTokens;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.money.efficiency.Efficiency;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptRange;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.event.EventRecord;
import dev.fairlead.work.job.DecisionRecord;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.service.JobForecaster;
import dev.fairlead.work.job.service.query.ClusterNames;
import dev.fairlead.work.job.service.query.ExplainedJob;
import dev.fairlead.work.job.service.query.GpuQueries;
import dev.fairlead.work.job.service.query.JobCosts;
import dev.fairlead.work.job.service.query.JobEfficiency;
import dev.fairlead.work.job.service.query.JobQueries;
import dev.fairlead.work.job.service.query.JobStorage;
import dev.fairlead.work.job.web.view.AttemptResponse;
import dev.fairlead.work.job.web.view.DecisionResponse;
import dev.fairlead.work.job.web.view.ElementResponse;
import dev.fairlead.work.job.web.view.ExplanationResponse;
import dev.fairlead.work.job.web.view.JobResponse;
import dev.fairlead.work.job.web.view.JobResponses;
import dev.fairlead.work.job.web.view.LogUrls;
import dev.fairlead.work.job.web.view.ProgressReportResponse;
import dev.fairlead.work.output.ProgressReport;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;

/** Reads one job and its parts. */
@ApiController(ApiPaths.ROOT)
@Tag(name = "Jobs")
class JobReadController {
  private static final String JOB = "/jobs/" + ApiPaths.JOB;
  private static final int MOST_ATTEMPTS = 1_000_000;
  private static final int MOST_ELEMENTS = 10_000;
  private final JobQueries queries;
  private final JobForecaster forecaster;
  private final JobCosts costs;
  private final JobEfficiency efficiency;
  private final JobStorage storage;
  private final JobResponses responses;
  private final ClusterNames clusters;
  private final GpuQueries gpus;
  private final LogUrls logs;
  private final PageTokens tokens;

  JobReadController(
      JobQueries queries,
      JobForecaster forecaster,
      JobCosts costs,
      JobEfficiency efficiency,
      JobStorage storage,
      JobResponses responses,
      ClusterNames clusters,
      GpuQueries gpus,
      LogUrls logs,
      PageTokens tokens) {
    this.queries = queries;
    this.forecaster = forecaster;
    this.costs = costs;
    this.efficiency = efficiency;
    this.storage = storage;
    this.responses = responses;
    this.clusters = clusters;
    this.gpus = gpus;
    this.logs = logs;
    this.tokens = tokens;
  }

  @Operation(
      operationId = "getJob",
      summary = "Read a job",
      description =
          "Returns the job with its expanded spec, its placement, and the reason of its" + " wait.")
  @GetMapping(JOB)
  ResponseEntity<JobResponse> job(Actor actor, @PathVariable String job) {
    return single(actor, id(job));
  }

  @Operation(
      operationId = "getJobByName",
      summary = "Read a job by its name",
      description =
          "Returns the newest job with this name in the project: the active job, or the job"
              + " that ended last. The response is the same as for a read by id.")
  @GetMapping("/projects/{project}/jobs/{name}")
  ResponseEntity<JobResponse> named(
      Actor actor, @PathVariable String project, @PathVariable String name) {
    return single(actor, queries.newestNamed(actor, project, name));
  }

  private ResponseEntity<JobResponse> single(Actor actor, JobId job) {
    ExplainedJob explained = queries.explanation(actor, job);
    JobResponse answer =
        responses.single(
            explained.view(),
            explained.place(),
            new JobResponses.Extras(
                actor,
                costs.of(explained.view()),
                efficiency.of(actor, explained.view()),
                storage.of(actor, explained.view()),
                queries.outputs(actor, explained.view())));
    return ResponseEntity.ok().eTag(Etags.of(answer.version())).body(answer);
  }

  @Operation(
      operationId = "getJobExplanation",
      summary = "Explain why a job waits",
      description =
          "Returns all blockers with their numbers, most important first, the position in"
              + " the queue, and the result for each cluster.")
  @GetMapping(JOB + "/explanation")
  ExplanationResponse explanation(Actor actor, @PathVariable String job) {
    ExplainedJob explained = queries.explanation(actor, id(job));
    return ExplanationResponse.of(explained, forecaster.risk(explained.view()));
  }

  @Operation(
      operationId = "listJobDecisions",
      summary = "List decisions about a job",
      description =
          "Lists placements, waits of more than a minute, evictions and moves by time, each"
              + " with its explanation at that time. For each job at most 250 decisions are"
              + " stored, the newest of each kind. They are retained for a year after its end, or"
              + " as long as `decisionDays` of its tenant or a legal hold requires.")
  @GetMapping(JOB + "/decisions")
  Page<DecisionResponse> decisions(
      Actor actor,
      @PathVariable String job,
      @Parameter(
              description =
                  "Kind of decision to return: PLACED, WAITED, EVICTED, MOVED, UNREACHABLE or"
                      + " REACHABLE.")
          @RequestParam(required = false)
          @Nullable String kind,
      @Parameter(
              description =
                  "Time such as 2030-01-31T08:00:00Z: returns the decision in effect at"
                      + " that time, or none before the first decision and after the end of the"
                      + " job.")
          @RequestParam(required = false)
          @Nullable String at) {
    DecisionRecord.Kind only =
        kind == null ? null : Parameters.choice("kind", DecisionRecord.Kind.class, kind);
    Instant then = at == null ? null : Parameters.time("at", at);
    return Page.whole(
        queries.decisions(actor, id(job), only, then).stream()
            .map(span -> DecisionResponse.of(span, clusters))
            .toList());
  }

  @Operation(
      operationId = "listJobAttempts",
      summary = "List a job's attempts",
      description =
          "Lists attempts by element and number, with their members. For an array, lists"
              + " the attempts of all elements or of one element.")
  @GetMapping(JOB + "/attempts")
  ResponseEntity<Page<AttemptResponse>> attempts(
      Actor actor,
      @PathVariable String job,
      @Parameter(description = "Index of the array element. All elements when absent.")
          @RequestParam(required = false)
          @Nullable Integer element,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    int size = Parameters.pageSize(pageSize);
    Integer index = element == null ? null : Parameters.range("element", element, 0, MOST_ELEMENTS);
    String filter = "attempts " + job + " " + index;
    AttemptRange range =
        tokens
            .position(actor, filter, pageToken)
            .map(text -> {
              String[] at = text.split(" ", 2);
              return new AttemptRange(
                  index, Integer.parseInt(at[0]), Integer.parseInt(at[1]), size);
            })
            .orElse(AttemptRange.of(index, size));
    List<Attempt> found = queries.attempts(actor, id(job), range);
    SortedMap<AttemptId, Efficiency> measured = efficiency.of(actor, found);
    SortedMap<AttemptId, ProgressReport> reports = queries.reports(actor, found);
    Duration longest =
        reports.isEmpty() ? null : queries.job(actor, id(job)).job().spec().maxRuntime();
    SortedMap<String, String> serials = gpus.serials(found);
    String next =
        found.size() < size
            ? null
            : tokens.next(
                actor, filter, found.getLast().element() + " " + found.getLast().number());
    return new Page<>(
            found.stream()
                .map(attempt ->
                    AttemptResponse.of(
                        attempt,
                        clusters.of(attempt.cluster()),
                        measured.get(attempt.id()),
                        ProgressReportResponse.of(reports.get(attempt.id()), attempt, longest),
                        logs,
                        serials))
                .toList(),
            next)
        .answer();
  }

  @Operation(
      operationId = "listJobMembers",
      summary = "List the members of an attempt",
      description =
          "Lists the members of the newest attempt, or of the given one, with their node,"
              + " GPUs and end. Empty before the first attempt.")
  @GetMapping(JOB + "/members")
  Page<AttemptResponse.MemberResponse> members(
      Actor actor,
      @PathVariable String job,
      @RequestParam(required = false) @Nullable Integer attempt,
      @RequestParam(required = false) @Nullable Integer element) {
    Integer number =
        attempt == null ? null : Parameters.range("attempt", attempt, 1, MOST_ATTEMPTS);
    Integer index = element == null ? null : Parameters.range("element", element, 0, MOST_ELEMENTS);
    List<Attempt> found = queries.attempt(actor, id(job), index, number).stream().toList();
    SortedMap<String, String> serials = gpus.serials(found);
    return Page.whole(
        found.stream()
            .flatMap(
                each -> AttemptResponse.members(each, clusters.of(each.cluster()), logs, serials))
            .toList());
  }

  @Operation(
      operationId = "listJobElements",
      summary = "List elements of an array job",
      description = "Lists elements that have started at least once, by index.")
  @GetMapping(JOB + "/elements")
  ResponseEntity<Page<ElementResponse>> elements(
      Actor actor,
      @PathVariable String job,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    int size = Parameters.pageSize(pageSize);
    String filter = "elements " + job;
    int from = tokens.position(actor, filter, pageToken).map(Integer::parseInt).orElse(0);
    List<JobElement> found = queries.elements(actor, id(job), from, size);
    String next =
        found.size() < size
            ? null
            : tokens.next(actor, filter, Integer.toString(found.getLast().index() + 1));
    return new Page<>(found.stream().map(ElementResponse::of).toList(), next).answer();
  }

  @Operation(
      operationId = "listJobEvents",
      summary = "List a job's events",
      description = "Lists the events of the job, oldest first.")
  @GetMapping(JOB + "/events")
  ResponseEntity<Page<EventResponse>> events(
      Actor actor,
      @PathVariable String job,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    int size = Parameters.pageSize(pageSize);
    String filter = "events " + job;
    EventPosition after =
        tokens
            .position(actor, filter, pageToken)
            .map(JobReadController::position)
            .orElse(EventPosition.START);
    List<EventRecord> found = queries.events(actor, id(job), after, size);
    String next =
        found.size() < size ? null : tokens.next(actor, filter, text(found.getLast().position()));
    return new Page<>(found.stream().map(EventResponse::of).toList(), next).answer();
  }

  private static JobId id(String text) {
    return new JobId(ApiPaths.id(IdKind.JOB, text));
  }

  private static String text(EventPosition position) {
    return position.transaction() + " " + position.sequence();
  }

  private static EventPosition position(String text) {
    String[] parts = text.split(" ", 2);
    return new EventPosition(Long.parseLong(parts[0]), Long.parseLong(parts[1]));
  }
}
