package dev.fairlead.work.job.web;

import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.PageTokens;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.service.Pipelines;
import dev.fairlead.work.job.web.spec.JobSpecReader;
import dev.fairlead.work.job.web.view.PipelineResponse;
import dev.fairlead.work.job.web.view.PipelineResponse.PipelineSummary;
import dev.fairlead.work.job.web.view.PipelineResponse.RetriedJob;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;

/** Shows pipelines, and submits their failed parts again. */
@ApiController(ApiPaths.ROOT + "/projects/{project}/pipelines")
@Tag(name = "Jobs")
class PipelineController {
  private final Pipelines pipelines;
  private final JobSpecReader specs;
  private final PageTokens tokens;

  PipelineController(Pipelines pipelines, JobSpecReader specs, PageTokens tokens) {
    this.pipelines = pipelines;
    this.specs = specs;
    this.tokens = tokens;
  }

  @Operation(
      operationId = "listPipelines",
      summary = "List pipelines",
      description =
          "Lists the values of the label pipeline of the jobs of the project by name, with the"
              + " number of their jobs in each state.")
  @GetMapping
  ResponseEntity<Page<PipelineSummary>> all(
      Actor actor,
      @PathVariable String project,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    int size = Parameters.pageSize(pageSize);
    String list = "pipelines of " + project;
    String after = tokens.position(actor, list, pageToken).<String>map(name -> name).orElse("");
    SortedMap<String, SortedMap<JobState, Integer>> found =
        pipelines.list(actor, project, after, size + 1);
    List<PipelineSummary> page = new ArrayList<>();
    found.forEach((name, states) -> page.add(new PipelineSummary(name, states)));
    boolean more = page.size() > size;
    List<PipelineSummary> shown = more ? page.subList(0, size) : page;
    String next = more ? tokens.next(actor, list, shown.getLast().name()) : null;
    return new Page<>(List.copyOf(shown), next).answer();
  }

  @Operation(
      operationId = "getPipeline",
      summary = "Read a pipeline",
      description =
          "Returns the newest job of each name with the label pipeline of this value, their"
              + " dependencies, and the job that blocks the others. At most 2,000 jobs can have"
              + " the label, including earlier runs.")
  @GetMapping("/{pipeline}")
  PipelineResponse one(Actor actor, @PathVariable String project, @PathVariable String pipeline) {
    return PipelineResponse.of(pipeline, pipelines.pipeline(actor, project, pipeline));
  }

  @Operation(
      operationId = "retryPipeline",
      summary = "Submit the failed part of a pipeline again",
      description =
          "Submits all jobs of the pipeline that failed or were cancelled, and the jobs that"
              + " depend on them, again in one transaction. Dependencies on jobs that succeeded"
              + " remain, so their outputs are used. The jobs of the earlier run do not change.")
  @PostMapping("/{pipeline}/retry")
  @ResponseStatus(HttpStatus.CREATED)
  Page<RetriedJob> retry(
      Actor actor,
      @PathVariable String project,
      @PathVariable String pipeline,
      @Takes({WritePart.VALIDATE_ONLY, WritePart.KEY}) WriteOptions options) {
    return Page.whole(
        pipelines
            .retry(
                actor,
                project,
                pipeline,
                job -> specs.limited(actor, project, job),
                options.validateOnly() ? null : options.key("retry " + project + "/" + pipeline),
                options.validateOnly())
            .stream()
            .map(each -> new RetriedJob(each.job().id().text(), each.job().name(), each.warnings()))
            .toList());
  }
}
