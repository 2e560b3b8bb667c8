package dev.fairlead.work.job.web;

import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.web.AcrossProjects;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.PageTokens;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.job.service.query.JobPage;
import dev.fairlead.work.job.service.query.JobQueries;
import dev.fairlead.work.job.store.JobFilter;
import dev.fairlead.work.job.web.view.JobResponse;
import dev.fairlead.work.job.web.view.JobResponses;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;

/** Lists jobs. */
@ApiController(ApiPaths.ROOT)
@Tag(name = "Jobs")
class JobListController {
  private static final String NAME_CONTAINS =
      "Only jobs with this text in their name. Excludes name. At most 2,000 jobs are checked for a"
          + " page, so a page may be short.";
  private final JobQueries queries;
  private final JobResponses responses;
  private final PageTokens tokens;
  private final InstantSource clock;

  JobListController(
      JobQueries queries, JobResponses responses, PageTokens tokens, InstantSource clock) {
    this.queries = queries;
    this.responses = responses;
    this.tokens = tokens;
    this.clock = clock;
  }

  /** The detail of each job in a list. */
  enum View {
    BASIC,
    FULL
  }

  @AcrossProjects
  @Operation(
      operationId = "listJobs",
      summary = "List jobs in all projects",
      description =
          "Lists jobs in all projects where the caller has a role, newest first or in the"
              + " order of orderBy. A repeated parameter matches any of its values, and different"
              + " parameters must all match. createdAfter and createdBefore take a time or a"
              + " duration before now."
              + " view=BASIC omits the specs. If matching jobs are rare among many, or their specs"
              + " are large, a page may have fewer than pageSize jobs, or none, although a"
              + " nextPageToken exists.")
  @GetMapping("/jobs")
  ResponseEntity<Page<JobResponse>> all(
      Actor actor,
      @RequestParam(required = false) @Nullable String project,
      @RequestParam(required = false) @Nullable List<String> state,
      @RequestParam(required = false) @Nullable List<String> queue,
      @RequestParam(required = false) @Nullable String user,
      @RequestParam(required = false) @Nullable String name,
      @Parameter(description = NAME_CONTAINS) @RequestParam(required = false)
          @Nullable String nameContains,
      @RequestParam(required = false) @Nullable List<String> label,
      @RequestParam(required = false) @Nullable String createdAfter,
      @RequestParam(required = false) @Nullable String createdBefore,
      @RequestParam(defaultValue = "-createdAt") String orderBy,
      @RequestParam(defaultValue = "FULL") String view,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    List<ProjectId> projects =
        project == null ? actor.projects() : List.of(queries.projectNamed(actor, project));
    JobFilters filters =
        JobFiltersBuilder.builder()
            .projects(projects)
            .states(JobFilters.states(given(state)))
            .queues(given(queue))
            .user(user)
            .name(JobFilters.name(name, nameContains))
            .labels(JobFilters.labels(given(label)))
            .created(new JobFilters.Created(createdAfter, createdBefore))
            .order(JobFilters.order(orderBy))
            .build();
    return page(actor, filters, view, pageSize, pageToken);
  }

  @Operation(
      operationId = "listProjectJobs",
      summary = "List jobs in a project",
      description = "Lists jobs in one project. Takes the same parameters as the list of all jobs.")
  @GetMapping("/projects/{project}/jobs")
  ResponseEntity<Page<JobResponse>> inProject(
      Actor actor,
      @PathVariable String project,
      @RequestParam(required = false) @Nullable List<String> state,
      @RequestParam(required = false) @Nullable List<String> queue,
      @RequestParam(required = false) @Nullable String user,
      @RequestParam(required = false) @Nullable String name,
      @Parameter(description = NAME_CONTAINS) @RequestParam(required = false)
          @Nullable String nameContains,
      @RequestParam(required = false) @Nullable List<String> label,
      @RequestParam(required = false) @Nullable String createdAfter,
      @RequestParam(required = false) @Nullable String createdBefore,
      @RequestParam(defaultValue = "-createdAt") String orderBy,
      @RequestParam(defaultValue = "FULL") String view,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    return all(
        actor,
        project,
        state,
        queue,
        user,
        name,
        nameContains,
        label,
        createdAfter,
        createdBefore,
        orderBy,
        view,
        pageSize,
        pageToken);
  }

  private ResponseEntity<Page<JobResponse>> page(
      Actor actor, JobFilters filters, String view, int pageSize, @Nullable String pageToken) {
    int size = Parameters.pageSize(pageSize);
    boolean full = Parameters.choice("view", View.class, view) == View.FULL;
    String text = filters.text();
    JobFilter.Cursor after =
        tokens.position(actor, text, pageToken).map(JobFilters::cursor).orElse(null);
    JobPage found =
        queries.jobs(actor, filters.toFilter(actor.tenant(), after, size, clock.instant()));
    String next =
        found.next() == null ? null : tokens.next(actor, text, JobFilters.position(found.next()));
    List<JobResponse> jobs = found.jobs().stream().map(job -> responses.listed(job, full)).toList();
    return new Page<>(jobs, next).answer();
  }

  private static List<String> given(@Nullable List<String> values) {
    return values == null ? List.of() : values;
  }
}
