package dev.fairlead.work.job.web.view;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.store.Pipeline;
import dev.fairlead.work.spec.JobSpec.Dependency;
import dev.fairlead.work.spec.JobSpec.Dependency.Condition;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Jobs of a project with the same value of the label {@code pipeline}.
 *
 * @param name value of the label
 * @param states number of jobs in each state, without earlier runs
 * @param jobs newest job of each name, each after its dependencies
 * @param critical job that holds up the pipeline, absent if all jobs have ended and none failed
 */
@Schema(name = "PipelineResponse")
public record PipelineResponse(
    String name,
    SortedMap<JobState, Integer> states,
    List<PipelineJob> jobs,
    @Nullable CriticalJob critical) {
  /**
   * A job of a pipeline.
   *
   * @param cause cause of its last failure
   * @param startedAt time of its first start
   * @param endedAt time of its end
   * @param dependsOn its dependencies. A dependency that was submitted again is the new job
   * @param earlier ids of earlier jobs of this name, newest first
   */
  @RecordBuilder
  record PipelineJob(
      String id,
      String name,
      JobState state,
      @Nullable FailureCause cause,
      @Nullable Instant startedAt,
      @Nullable Instant endedAt,
      List<PipelineEdge> dependsOn,
      List<String> earlier) {
    static PipelineJob of(Pipeline pipeline, Job job) {
      Failure failure = job.run().failure();
      return PipelineResponsePipelineJobBuilder.builder()
          .id(job.id().text())
          .name(job.name())
          .state(job.state())
          .cause(failure == null ? null : failure.cause())
          .startedAt(job.run().startedAt())
          .endedAt(job.run().endedAt())
          .dependsOn(
              job.spec().dependsOn().stream()
                  .map(needed -> PipelineEdge.of(pipeline, job, needed))
                  .toList())
          .earlier(pipeline.earlier(job.name()).stream().map(JobId::text).toList())
          .build();
    }
  }

  /**
   * A dependency of a job of a pipeline.
   *
   * @param job id of the job that must meet the condition
   * @param name name of that job, absent if it is not in the pipeline
   * @param perElement whether each element of the array waits only for the element of the same
   *     index
   */
  record PipelineEdge(String job, @Nullable String name, Condition condition, boolean perElement) {
    static PipelineEdge of(Pipeline pipeline, Job job, Dependency needed) {
      Job present = pipeline.present(needed.job());
      return new PipelineEdge(
          pipeline.dependency(job, needed.job()).text(),
          present == null ? null : present.name(),
          needed.condition(),
          needed.perElement());
    }
  }

  /**
   * The first job of the longest chain of waiting jobs, or the job that failed first.
   *
   * @param chain number of jobs in the longest chain that waits for this job
   */
  record CriticalJob(String id, String name, JobState state, int chain) {
    static CriticalJob of(Pipeline.Critical critical) {
      Job job = critical.job();
      return new CriticalJob(job.id().text(), job.name(), job.state(), critical.chain());
    }
  }

  /**
   * A pipeline in the list of pipelines.
   *
   * @param name value of the label
   * @param states number of jobs in each state, including earlier runs
   */
  public record PipelineSummary(String name, SortedMap<JobState, Integer> states) {}

  /**
   * A job that a retry submitted.
   *
   * @param id id of the new job
   * @param warnings reasons why the job may wait for a long time, such as a fleet without its GPU
   *     model
   */
  public record RetriedJob(String id, String name, List<String> warnings) {}

  public static PipelineResponse of(String name, Pipeline pipeline) {
    return new PipelineResponse(
        name,
        pipeline.states(),
        pipeline.jobs().stream().map(job -> PipelineJob.of(pipeline, job)).toList(),
        pipeline.critical().map(CriticalJob::of).orElse(null));
  }
}
