package dev.fairlead.work.warmpool.web;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.BodyOf;
import dev.fairlead.kernel.mapping.PutBody;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Etags;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.web.spi.JobBodies;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RayPoolJob;
import dev.fairlead.work.warmpool.WarmPool;
import dev.fairlead.work.warmpool.service.WarmPoolView;
import dev.fairlead.work.warmpool.service.WarmPools;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;

/** Warm pools of projects. */
@ApiController(ApiPaths.ROOT + "/projects/{project}/warm-pools")
@Tag(name = "Projects")
class WarmPoolController {
  private static final Duration IDLE = Duration.ofMinutes(10);

  private final WarmPools pools;
  private final JobBodies jobs;

  WarmPoolController(WarmPools pools, JobBodies jobs) {
    this.pools = pools;
    this.jobs = jobs;
  }

  /**
   * How jobs share the Ray clusters of a pool.
   *
   * @param min number of Ray clusters that remain without jobs, at most members, 0 when absent
   * @param jobs maximum number of jobs that run in one Ray cluster
   * @param idleAfter time without jobs after which a Ray cluster above min is cancelled, 1m to 7d,
   *     10m when absent
   */
  @Schema(name = "RaySharingRequest")
  record RaySharing(
      @Min(0) @Max(WarmPool.MOST_MEMBERS) @Nullable Integer min,
      @Min(1) @Max(RayPoolJob.MOST_DRIVERS) Integer jobs,
      @Schema(implementation = String.class) @DurationMin(minutes = 1) @DurationMax(days = 7)
          @Nullable Duration idleAfter) {
    WarmPool.Sharing sharing() {
      return new WarmPool.Sharing(
          min == null ? 0 : min, jobs, idleAfter == null ? IDLE : idleAfter);
    }
  }

  /** The number of members of a warm pool, and its session or Ray cluster. */
  @Schema(name = "PutWarmPoolRequest")
  record PutWarmPoolRequest(
      @Schema(
              description =
                  "Number of sessions that run without a user, or maximum number of Ray clusters, 0"
                      + " to 32")
          @Min(0)
          @Max(WarmPool.MOST_MEMBERS)
          Integer members,
      @Nullable RaySharing ray,
      @Schema(
              ref = "#/components/schemas/SubmitJobRequest",
              description =
                  "Session of a session type without volumes and secrets, or a gang of launcher"
                      + " ray, as in POST /jobs but without name and dependsOn. It can name a"
                      + " template")
          Object job)
      implements RequestRules {
    private static final String JOB = "job";

    @Override
    public SortedMap<String, String> conflicts(SortedSet<String> given) {
      SortedMap<String, String> conflicts = new TreeMap<>();
      @Nullable Integer most = members;
      if (most != null && ray != null && ray.min() != null && ray.min() > most) {
        conflicts.put("members", "must be at least ray.min, which is " + ray.min());
      }
      return conflicts;
    }

    /**
     * Fields of a job that belong to one session. A maxRuntime is accepted, because projects with a
     * limit require it, and does not apply to members.
     */
    private static final List<String> NOT_IN_JOB = List.of("name", "dependsOn");

    /**
     * Reads the pool.
     *
     * @throws dev.fairlead.kernel.problem.Refusal every problem of the pool and of its job
     */
    static WarmPool read(Body body, WarmPools.Name name, Actor actor, JobBodies jobs) {
      FieldProblems problems = new FieldProblems();
      Value given = body.value(problems);
      Optional<PutWarmPoolRequest> request = BodyBinder.read(given, PutWarmPoolRequest.class);
      Optional<Value> job = given.fields().flatMap(fields -> fields.get(JOB));
      job.ifPresent(value -> check(value, name.project(), actor, jobs));
      problems.refuse();
      PutWarmPoolRequest wanted = request.orElseThrow();
      return new WarmPool(
          name.pool(),
          name.project(),
          wanted.members(),
          wanted.ray() == null ? null : wanted.ray().sharing(),
          Body.text(job.orElseThrow().tree()),
          false);
    }

    private static void check(Value job, String project, Actor actor, JobBodies jobs) {
      if (!job.isObject()) {
        job.bad("must be an object with the fields of a job", null);
        return;
      }
      if (job.isLarger(WarmPool.LARGEST_JOB)) {
        job.refuse(
            ProblemCode.LIMIT_EXCEEDED,
            "A job has at most " + WarmPool.LARGEST_JOB + " bytes",
            null);
        return;
      }
      Fields fields = job.fields().orElseThrow();
      for (String name : NOT_IN_JOB) {
        if (fields.has(name)) {
          fields.refuse(
              name,
              ProblemCode.INVALID_FIELD,
              "The job of a warm pool cannot have %s, which each session sets. Leave it out."
                  .formatted(name),
              null);
        }
      }
      Optional<JobSpec> _ = jobs.filled(actor, project, job);
    }
  }

  @Operation(
      operationId = "listWarmPools",
      summary = "List warm pools of a project",
      description = "Lists warm pools by name, each with its number of sessions that can be taken.")
  @GetMapping
  Page<WarmPoolView> all(Actor actor, @PathVariable String project) {
    return Page.whole(pools.all(actor, project));
  }

  @Operation(
      operationId = "putWarmPool",
      summary = "Add a warm pool, or change it",
      description =
          "Its sessions run without a user at the lowest priority. A submit of the same session"
              + " takes one of them instead of a start, and the pool submits another. Sessions with"
              + " another job are replaced. With ray, the pool has Ray clusters that jobs with"
              + " rayPool share. If-Match is optional.")
  @PutBody("/{warmPool}")
  ResponseEntity<WarmPoolView> put(
      Actor actor,
      @PathVariable String project,
      @PathVariable String warmPool,
      @RequestBody @BodyOf(PutWarmPoolRequest.class) Body body,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    if (!Names.isLabel(warmPool, WarmPool.LONGEST_NAME)) {
      throw Parameters.refused(
          "warmPool",
          "must be a DNS label: at most %d lower case letters, digits and -, beginning and ending with a letter or digit"
              .formatted(WarmPool.LONGEST_NAME));
    }
    WarmPools.Name name = new WarmPools.Name(project, warmPool);
    WarmPoolView view =
        pools.put(
            actor,
            PutWarmPoolRequest.read(body, name, actor, jobs),
            options.ifGiven(() -> pools.version(actor, name)),
            options.validateOnly());
    return ResponseEntity.ok().eTag(Etags.of(view.version())).body(view);
  }

  @Operation(
      operationId = "deleteWarmPool",
      summary = "Delete a warm pool",
      description =
          "Cancels the sessions without a user and deletes the pool when they have ended. Taken"
              + " sessions continue.")
  @ApiResponse(responseCode = "204", description = "Deleted.")
  @DeleteMapping("/{warmPool}")
  ResponseEntity<Void> delete(
      Actor actor,
      @PathVariable String project,
      @PathVariable String warmPool,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    WarmPools.Name name = new WarmPools.Name(project, warmPool);
    pools.delete(
        actor, name, options.ifGiven(() -> pools.version(actor, name)), options.validateOnly());
    return ResponseEntity.noContent().build();
  }
}
