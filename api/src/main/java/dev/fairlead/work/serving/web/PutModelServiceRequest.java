package dev.fairlead.work.serving.web;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.work.job.web.spi.JobBodies;
import dev.fairlead.work.serving.ModelRuntime;
import dev.fairlead.work.serving.ModelRuntimes;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.ServiceVersion;
import dev.fairlead.work.serving.ServiceVersion.Endpoint;
import dev.fairlead.work.serving.service.AppliedService;
import dev.fairlead.work.serving.service.AppliedServiceBuilder;
import dev.fairlead.work.serving.service.ModelServices;
import dev.fairlead.work.serving.signal.Guard;
import dev.fairlead.work.serving.traffic.RouteOptions;
import dev.fairlead.work.spec.JobSpec;
import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;

/** The settings of a model service and its newest version. */
record PutModelServiceRequest(
    @Schema(description = "Host name of its requests, unique among services")
        @Size(min = 1, max = Names.LONGEST_SUBDOMAIN)
        @Pattern(regexp = Names.SUBDOMAIN_PATTERN, message = Names.SUBDOMAIN_RULE)
        String route,
    @Schema(
            description =
                "Minimum number of ready replicas, which are not preemptible, 1 by default. With 0"
                    + " the service has no replica while it sleeps, and at least 1 while it is"
                    + " awake")
        @Min(0)
        @Max(ModelService.MOST_REPLICAS)
        @Nullable Integer minReplicas,
    @Schema(
            description =
                "Maximum number of replicas of all versions together, twice minReplicas by default, 2 with 0."
                    + " The difference is available for rollouts")
        @Min(2)
        @Max(2 * ModelService.MOST_REPLICAS)
        @Nullable Integer maxReplicas,
    @Schema(
            description =
                "Traffic of a new version in percent, ascending, the last 100. Default: 1, 5, 25,"
                    + " 100. During a first step of 0, only requests with the header"
                    + " Fairlead-Version and its number reach it")
        @Size(min = 1, max = ModelService.MOST_STEPS)
        @Nullable List<@Min(0) @Max(ALL) Integer> steps,
    @Schema(
            implementation = String.class,
            description = "Minimum duration of a step, 0s to 7d, 30s by default")
        @DurationMax(days = 7)
        @Nullable Duration stepFor,
    @Schema(
            implementation = String.class,
            description = "Latency above which a response counts as bad, 1ms to 1h, 1s by default")
        @DurationMin(millis = 1)
        @DurationMax(hours = 1)
        @Nullable Duration slowerThan,
    @Schema(
            description =
                "Target load of one replica. The number of replicas follows it between minReplicas"
                    + " and maxReplicas. Without it, the service has minReplicas")
        @Valid
        @Nullable ScaleRequest scale,
    @Schema(description = FloorRequest.FLOORS) @Size(max = ModelService.MOST_FLOORS)
        @Nullable List<@Valid FloorRequest> floors,
    @Schema(implementation = String.class, description = ScaleRequest.IDLE_AFTER)
        @DurationMin(minutes = 2)
        @DurationMax(days = 7)
        @Nullable Duration idleAfter,
    @Schema(
            description =
                "OPEN, the default, for every client that reaches the gateway. KEYS for clients with"
                    + " an API key of the service, whose requests all pass through the gate")
        ModelService.@Nullable Access access,
    @Schema(description = GuardRequest.GUARDS) @Size(max = Guard.MOST)
        @Nullable List<@Valid GuardRequest> guards,
    @Schema(
            description =
                "Percent of the requests that the gateway copies to a new version during a first"
                    + " step of 0. Requires a GatewayClass with HTTPRouteRequestMirror")
        @Min(1)
        @Max(ALL)
        @Nullable Integer mirror,
    @Schema(
            implementation = String.class,
            description =
                "Maximum duration of a request at the gateway, 1s to 1h, the default of the gateway"
                    + " without it. Requires a GatewayClass with HTTPRouteRequestTimeout")
        @DurationMin(seconds = 1)
        @DurationMax(hours = 1)
        @Nullable Duration timeout,
    @Schema(
            description =
                "Further tries of the gateway for a request that a replica answers with 502, 503 or"
                    + " 504. Requires a GatewayClass with HTTPRouteRetry")
        @Min(1)
        @Max(MOST_RETRIES)
        @Nullable Integer retries,
    @Schema(
            description =
                "TCP port on which a replica accepts requests, 8080 by default. A change creates a"
                    + " new version")
        @Min(1)
        @Max(HIGHEST_PORT)
        @Nullable Integer port,
    @Schema(
            description =
                "Path of the readiness check, such as /health. A replica is ready when it"
                    + " answers with a status below 400. Without it, a replica is ready when its"
                    + " port is open. A change creates a new version")
        @Size(min = 1, max = LONGEST_PATH)
        @Pattern(
            regexp = "/[A-Za-z0-9._~/-]*",
            message = "must be a path such as /health, without a query")
        @Nullable String readyPath,
    @Schema(
            description =
                "Name of a model server, such as vllm, which fills the program, the image, port and"
                    + " readyPath. GET /runtimes lists them")
        @Nullable String runtime,
    @Schema(description = "Model of the replicas. Requires runtime") @Valid
        @Nullable ModelRequest model,
    @Schema(
            ref = "#/components/schemas/SubmitJobRequest",
            requiredMode = Schema.RequiredMode.NOT_REQUIRED,
            description =
                "One replica, as in POST /jobs, without array, dependsOn, notBefore, deadline"
                    + " and maxRuntime. A job that differs from the job of the newest version"
                    + " creates a new version. Required without runtime. With runtime, args"
                    + " contains further options of the server")
        Object job)
    implements RequestRules {
  /** The model of a service with a runtime. */
  @Schema(name = "ServiceModelRequest")
  record ModelRequest(
      @Schema(
              description =
                  "URI of the model: hf://OWNER/NAME on the Hugging Face Hub, s3://BUCKET/PATH,"
                      + " https://HOST/PATH, volume://VOLUME/PATH, which mounts a volume of the project"
                      + " at /models, or oci://REGISTRY/REPOSITORY:TAG, which mounts an image"
                      + " there")
          String uri,
      @Schema(description = "Format of the model, such as gguf, which the runtime must support")
          @Nullable String format) {}

  private static final Duration STEP_FOR = Duration.ofSeconds(30);
  private static final Duration SLOWER_THAN = Duration.ofSeconds(1);
  private static final int ALL = 100;
  private static final int MOST_RETRIES = 5;
  private static final int HIGHEST_PORT = 65_535;
  private static final int LONGEST_PATH = 200;
  private static final String JOB = "job";

  @Override
  public SortedMap<String, String> conflicts(SortedSet<String> given) {
    SortedMap<String, String> conflicts = new TreeMap<>();
    ScaleRequest.room(floor(), maxReplicas).ifPresent(why -> conflicts.put("maxReplicas", why));
    ScaleRequest.awake(floor(), idleAfter).ifPresent(why -> conflicts.put("idleAfter", why));
    GuardRequest.objection(guards).ifPresent(why -> conflicts.put("guards", why));
    FloorRequest.objection(floors, most()).ifPresent(why -> conflicts.put("floors", why));
    if (steps != null && !ascending(steps)) {
      String _ = conflicts.put("steps", "must be whole numbers from 0 that ascend to 100");
    } else if (dark() && access == ModelService.Access.KEYS) {
      String _ =
          conflicts.put(
              "steps",
              "cannot begin with 0 and access KEYS: the gate divides requests by weights only");
    }
    if (mirror != null && !dark()) {
      String _ = conflicts.put("mirror", "needs steps that begin with 0, such as 0, 5, 25, 100");
    }
    return conflicts;
  }

  private boolean dark() {
    return steps != null && !steps.isEmpty() && steps.getFirst() == 0;
  }

  private static boolean ascending(List<Integer> steps) {
    int before = -1;
    for (Integer step : steps) {
      if (step == null || step <= before) {
        return false;
      }
      before = step;
    }
    return before == ALL;
  }

  private int floor() {
    return minReplicas == null ? 1 : minReplicas;
  }

  private int most() {
    return maxReplicas == null ? ScaleRequest.most(floor()) : maxReplicas;
  }

  /**
   * @throws dev.fairlead.kernel.problem.Refusal every problem of the service and of its job
   */
  static AppliedService read(Body body, ModelServices.Name name, Actor actor, JobBodies jobs) {
    FieldProblems problems = new FieldProblems();
    Value given = FilledServices.filled(body.value(problems), name.service());
    problems.refuse();
    Optional<PutModelServiceRequest> request = BodyBinder.read(given, PutModelServiceRequest.class);
    Optional<JobSpec> job = request.flatMap(r -> job(given, name.project(), actor, jobs));
    problems.refuse();
    return request.orElseThrow().request(job.orElseThrow());
  }

  /** Reads the job as a submit to the project does. Returns empty for a refused one. */
  private static Optional<JobSpec> job(Value given, String project, Actor actor, JobBodies jobs) {
    Optional<Value> value = given.fields().flatMap(f -> f.get(JOB));
    value.ifPresent(job -> JobBodies.refuseDependsOn(job, "a replica runs until it is stopped"));
    Optional<JobSpec> spec = value.flatMap(job -> jobs.read(actor, project, job));
    spec.flatMap(ServiceVersion::objection)
        .ifPresent(detail ->
            given.fields().orElseThrow().refuse(JOB, ProblemCode.INVALID_FIELD, detail, null));
    return spec;
  }

  private AppliedService request(JobSpec spec) {
    return AppliedServiceBuilder.builder()
        .route(route)
        .scale(
            new AppliedService.Scale(
                floor(),
                most(),
                scale == null ? null : scale.rule(),
                FloorRequest.floors(floors),
                ScaleRequest.idle(floor(), idleAfter)))
        .steps(steps == null ? ModelService.DEFAULT_STEPS : steps)
        .stepFor(stepFor == null ? STEP_FOR : stepFor)
        .slowerThan(slowerThan == null ? SLOWER_THAN : slowerThan)
        .job(
            runtime == null
                ? spec
                : ServiceVersion.served(
                    spec,
                    runtime,
                    model == null ? null : model.uri(),
                    ModelRuntimes.find(runtime).map(ModelRuntime::openAi).orElse(false)))
        .endpoint(new Endpoint(port == null ? Endpoint.DEFAULT.port() : port, readyPath))
        .access(access == null ? ModelService.Access.OPEN : access)
        .guards(GuardRequest.guards(guards))
        .options(new RouteOptions(mirror, timeout, retries))
        .build();
  }
}
