package dev.fairlead.work.job.web;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.BodyOf;
import dev.fairlead.kernel.mapping.PostBody;
import dev.fairlead.kernel.web.AcrossProjects;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.service.JobBulk;
import dev.fairlead.work.job.service.query.JobQueries;
import dev.fairlead.work.job.store.JobCount;
import dev.fairlead.work.job.store.JobFilter;
import dev.fairlead.work.job.web.view.CountResponse;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;

/** Counts and cancels many jobs in one request. */
@ApiController(ApiPaths.ROOT + "/jobs")
@Tag(name = "Jobs")
class BulkController {
  private final JobQueries queries;
  private final JobBulk bulk;
  private final InstantSource clock;

  BulkController(JobQueries queries, JobBulk bulk, InstantSource clock) {
    this.queries = queries;
    this.bulk = bulk;
    this.clock = clock;
  }

  @AcrossProjects
  @Operation(
      operationId = "summarizeJobs",
      summary = "Count jobs by groups",
      description =
          "Counts jobs in all projects where the caller has a role, by the values of groupBy,"
              + " which may be repeated: state, queue, project, user. Groups without jobs are"
              + " omitted. Takes the same filters as the list.")
  @GetMapping("/summary")
  Page<CountResponse> summary(
      Actor actor,
      @RequestParam(defaultValue = "state") List<String> groupBy,
      @RequestParam(required = false) @Nullable String project,
      @RequestParam(required = false) @Nullable List<String> state,
      @RequestParam(required = false) @Nullable List<String> queue,
      @RequestParam(required = false) @Nullable String user,
      @RequestParam(required = false) @Nullable List<String> label,
      @RequestParam(required = false) @Nullable String createdAfter,
      @RequestParam(required = false) @Nullable String createdBefore) {
    TreeSet<JobCount.Group> groups = new TreeSet<>();
    groupBy.forEach(name -> groups.add(CountResponse.group(name)));
    JobFilters filters =
        JobFiltersBuilder.builder()
            .projects(
                project == null ? actor.projects() : List.of(queries.projectNamed(actor, project)))
            .states(JobFilters.states(given(state)))
            .queues(given(queue))
            .user(user)
            .name(null)
            .labels(JobFilters.labels(given(label)))
            .created(new JobFilters.Created(createdAfter, createdBefore))
            .order(JobFilter.Order.NEWEST)
            .build();
    JobFilter filter = filters.toFilter(actor.tenant(), null, Page.MOST, clock.instant());
    return Page.whole(
        queries.count(actor, filter, groups).stream().map(CountResponse::of).toList());
  }

  @Operation(
      operationId = "bulkCancelJobs",
      summary = "Cancel many jobs",
      description =
          "Cancels all jobs of the filter that can be cancelled, at most 1,000, in one"
              + " transaction. If their number differs from expectedCount, nothing is cancelled"
              + " and the response is 409 with both numbers.")
  @PostBody("/bulk-cancel")
  BulkCancelResponse cancel(
      Actor actor,
      @RequestBody @BodyOf(BulkCancelRequest.class) Body body,
      @Takes({WritePart.VALIDATE_ONLY, WritePart.KEY}) WriteOptions options) {
    BulkCancelRequest request = BodyBinder.bind(body, BulkCancelRequest.class);
    JobFilter filter =
        request
            .filter()
            .filters(project -> queries.projectNamed(actor, project))
            .toFilter(actor.tenant(), null, Page.MOST, clock.instant());
    return new BulkCancelResponse(
        bulk.cancel(
            actor,
            filter,
            request.expectedCount(),
            options.key("bulk-cancel", body),
            options.validateOnly()));
  }

  private static List<String> given(@Nullable List<String> values) {
    return values == null ? List.of() : new ArrayList<>(values);
  }
}
