package dev.fairlead.work.serving.web;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.BodyOf;
import dev.fairlead.kernel.mapping.PatchBody;
import dev.fairlead.kernel.mapping.PostBody;
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
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.ServiceVersion;
import dev.fairlead.work.serving.service.ModelServiceView;
import dev.fairlead.work.serving.service.ModelServices;
import dev.fairlead.work.serving.service.RolloutOrder;
import dev.fairlead.work.spec.CommandSpec;
import dev.fairlead.work.spec.RoleSpec;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;

/** Model services of projects. */
@ApiController(ApiPaths.ROOT + "/projects/{project}/services")
@Tag(name = "Services")
class ModelServiceController {
  private final ModelServices services;
  private final JobBodies jobs;
  private final PageTokens tokens;

  ModelServiceController(ModelServices services, JobBodies jobs, PageTokens tokens) {
    this.services = services;
    this.jobs = jobs;
    this.tokens = tokens;
  }

  /** A version of a service. */
  @RecordBuilder
  @Schema(name = "ServiceVersionResponse")
  record ServiceVersionResponse(
      @Schema(description = "Number of the version, from 1") int number,
      @Schema(description = "Images of the roles of a replica") List<String> images,
      @Schema(
              description =
                  "Entry point and arguments of its first role, or empty for the defaults of the"
                      + " image")
          List<String> command,
      @Schema(description = "Runtime that filled the job, or null") @Nullable String runtime,
      @Schema(description = "Address of its model, or null if none") @Nullable String model,
      @Schema(description = "TCP port on which a replica accepts requests") int port,
      @Schema(description = "Path of the readiness check, or null if an open port is sufficient")
          @Nullable String readyPath,
      @Schema(description = "User on whose behalf its replicas are submitted") String createdBy,
      @Schema(description = "Time when the version was applied") Instant createdAt) {
    static ServiceVersionResponse of(ServiceVersion version) {
      return ModelServiceControllerServiceVersionResponseBuilder.builder()
          .number(version.number())
          .images(images(version))
          .command(command(version.job().roles().getFirst().command()))
          .runtime(version.job().annotations().get(ServiceVersion.RUNTIME))
          .model(version.job().annotations().get(ServiceVersion.MODEL))
          .port(version.endpoint().port())
          .readyPath(version.endpoint().readyPath())
          .createdBy(version.createdBy())
          .createdAt(version.createdAt())
          .build();
    }

    private static List<String> images(ServiceVersion version) {
      return version.job().roles().stream()
          .map(RoleSpec::images)
          .flatMap(List::stream)
          .distinct()
          .toList();
    }

    private static List<String> command(CommandSpec command) {
      return Stream.concat(command.command().stream(), command.args().stream()).toList();
    }
  }

  /** The version that receives all traffic. */
  @Schema(name = "RollbackModelServiceRequest")
  record RollbackRequest(
      @Schema(description = "Number of the version") @Min(1) @Max(Integer.MAX_VALUE)
          Integer version) {}

  /** The rollout that the caller has seen. */
  @Schema(name = "SeenRolloutRequest")
  record SeenRolloutRequest(
      @Schema(description = "Number of the version that the open rollout moves to")
          @Min(1)
          @Max(Integer.MAX_VALUE)
          Integer version) {}

  /** The step of a rollout that the caller has seen. */
  @Schema(name = "SkipStepRequest")
  record SkipStepRequest(
      @Schema(description = "Number of the version that the open rollout moves to")
          @Min(1)
          @Max(Integer.MAX_VALUE)
          Integer version,
      @Schema(description = "Traffic of the step in percent") @Min(0) @Max(99) Integer share) {}

  @Operation(
      operationId = "listModelServices",
      summary = "List model services of a project",
      description =
          "Lists services by name, each with its rollout, its replicas and the weights of its"
              + " versions.")
  @GetMapping
  Page<ModelServiceView> all(Actor actor, @PathVariable String project) {
    return Page.whole(services.all(actor, project));
  }

  @Operation(
      operationId = "getModelService",
      summary = "Read a model service",
      description =
          "Returns its settings, the rollout with the reason of its phase, and each replica with"
              + " the reason why it is not ready.")
  @GetMapping("/{service}")
  ResponseEntity<ModelServiceView> one(
      Actor actor, @PathVariable String project, @PathVariable String service) {
    return tagged(services.one(actor, new ModelServices.Name(project, service)));
  }

  @Operation(
      operationId = "putModelService",
      summary = "Add a model service, or change it",
      description =
          "A job that differs from the newest version's job is a new version: it gets traffic step"
              + " by step, and is rolled back when a larger share of its responses is bad than of"
              + " the stable version. Each replica is a job of the project, under its quota."
              + " If-Match is optional.")
  @PutBody("/{service}")
  ResponseEntity<ModelServiceView> put(
      Actor actor,
      @PathVariable String project,
      @PathVariable String service,
      @RequestBody @BodyOf(PutModelServiceRequest.class) Body body,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    Parameters.requireLabel("service", service, ModelService.LONGEST_NAME);
    ModelServices.Name name = new ModelServices.Name(project, service);
    return tagged(
        services.put(
            actor,
            name,
            PutModelServiceRequest.read(body, name, actor, jobs),
            options.ifGiven(() -> services.one(actor, name).version()),
            options.validateOnly()));
  }

  @Operation(
      operationId = "updateModelService",
      summary = "Change the numbers of replicas",
      description =
          "JSON Merge Patch (RFC 7396) of minReplicas, maxReplicas, scale, floors and idleAfter."
              + " The newest version remains. Requires If-Match.")
  @PatchBody("/{service}")
  ResponseEntity<ModelServiceView> update(
      Actor actor,
      @PathVariable String project,
      @PathVariable String service,
      @RequestBody @BodyOf(ScaleRequest.Update.class) Body body,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    ModelServices.Name name = new ModelServices.Name(project, service);
    ModelServiceView now = services.one(actor, name);
    long expected = options.expected(now::version);
    ScaleRequest.Update update =
        BodyBinder.bind(body.appliedTo(ScaleRequest.Update.fields(now)), ScaleRequest.Update.class);
    return tagged(services.scale(actor, name, update.scaled(), expected, options.validateOnly()));
  }

  @Operation(
      operationId = "deleteModelService",
      summary = "Delete a model service",
      description =
          "Its replicas are stopped, and it is removed with its versions when they have ended.")
  @ApiResponse(responseCode = "204", description = "Its replicas are being stopped.")
  @DeleteMapping("/{service}")
  ResponseEntity<Void> delete(
      Actor actor,
      @PathVariable String project,
      @PathVariable String service,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    services.remove(actor, new ModelServices.Name(project, service), options.validateOnly());
    return ResponseEntity.noContent().build();
  }

  @Operation(
      operationId = "promoteModelService",
      summary = "Promote the version of a rollout",
      description =
          "All traffic moves to the version as soon as its replicas are ready, without further"
              + " steps. Refused with ILLEGAL_STATE if no rollout to the version is open.")
  @PostBody("/{service}/promote")
  ResponseEntity<ModelServiceView> promote(
      Actor actor,
      @PathVariable String project,
      @PathVariable String service,
      @RequestBody SeenRolloutRequest request,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    ModelServices.Name name = new ModelServices.Name(project, service);
    return ordered(actor, RolloutOrder.PROMOTE, name, request.version(), options);
  }

  @Operation(
      operationId = "abortModelService",
      summary = "Abort a rollout",
      description =
          "All traffic returns to the stable version. Refused with ILLEGAL_STATE if no rollout"
              + " to the version is open.")
  @PostBody("/{service}/abort")
  ResponseEntity<ModelServiceView> abort(
      Actor actor,
      @PathVariable String project,
      @PathVariable String service,
      @RequestBody SeenRolloutRequest request,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    ModelServices.Name name = new ModelServices.Name(project, service);
    return ordered(actor, RolloutOrder.ABORT, name, request.version(), options);
  }

  @Operation(
      operationId = "pauseModelService",
      summary = "Pause a rollout",
      description =
          "The traffic does not change until the rollout is resumed. A bad version is still rolled"
              + " back. Refused with ILLEGAL_STATE if no rollout with steps to the version is"
              + " open.")
  @PostBody("/{service}/pause")
  ResponseEntity<ModelServiceView> pause(
      Actor actor,
      @PathVariable String project,
      @PathVariable String service,
      @RequestBody SeenRolloutRequest request,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    ModelServices.Name name = new ModelServices.Name(project, service);
    return ordered(actor, RolloutOrder.PAUSE, name, request.version(), options);
  }

  @Operation(
      operationId = "resumeModelService",
      summary = "Resume a rollout",
      description =
          "A paused rollout continues. Another rollout does not change. Refused with ILLEGAL_STATE"
              + " if no rollout with steps to the version is open.")
  @PostBody("/{service}/resume")
  ResponseEntity<ModelServiceView> resume(
      Actor actor,
      @PathVariable String project,
      @PathVariable String service,
      @RequestBody SeenRolloutRequest request,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    ModelServices.Name name = new ModelServices.Name(project, service);
    return ordered(actor, RolloutOrder.RESUME, name, request.version(), options);
  }

  @Operation(
      operationId = "skipModelServiceStep",
      summary = "Skip the rest of a step",
      description =
          "Its next step begins without a verdict of the current one. Refused with ILLEGAL_STATE if"
              + " no rollout to the version is open, if it is paused or waits for replicas, if it is"
              + " not in the step, and for the step to 100 percent.")
  @PostBody("/{service}/skip")
  ResponseEntity<ModelServiceView> skip(
      Actor actor,
      @PathVariable String project,
      @PathVariable String service,
      @RequestBody SkipStepRequest request,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    ModelServices.Name name = new ModelServices.Name(project, service);
    return ordered(actor, RolloutOrder.skip(request.share()), name, request.version(), options);
  }

  private ResponseEntity<ModelServiceView> ordered(
      Actor actor, RolloutOrder order, ModelServices.Name name, int version, WriteOptions options) {
    return tagged(services.order(actor, order, name, version, options.validateOnly()));
  }

  @Operation(
      operationId = "rollbackModelService",
      summary = "Roll a model service back to a version",
      description =
          "All traffic moves to the version as soon as its replicas are ready: immediately for the"
              + " previous stable version within ten minutes. Steps and analysis are skipped.")
  @PostBody("/{service}/rollback")
  ResponseEntity<ModelServiceView> rollback(
      Actor actor,
      @PathVariable String project,
      @PathVariable String service,
      @RequestBody RollbackRequest request,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    return tagged(
        services.rollback(
            actor,
            new ModelServices.Name(project, service),
            request.version(),
            options.validateOnly()));
  }

  @Operation(
      operationId = "wakeModelService",
      summary = "Wake a model service",
      description =
          "A sleeping service starts a replica. A service that is awake stays awake for its whole"
              + " idleAfter. A service with a minReplicas above 0 does not sleep.")
  @PostMapping("/{service}/wake")
  ResponseEntity<ModelServiceView> wake(
      Actor actor,
      @PathVariable String project,
      @PathVariable String service,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    return tagged(
        services.wake(actor, new ModelServices.Name(project, service), options.validateOnly()));
  }

  @Operation(
      operationId = "listModelServiceVersions",
      summary = "List versions of a model service",
      description = "The newest first.")
  @GetMapping("/{service}/versions")
  ResponseEntity<Page<ServiceVersionResponse>> versions(
      Actor actor,
      @PathVariable String project,
      @PathVariable String service,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    int size = Parameters.pageSize(pageSize);
    String sealed = "service versions " + project + " " + service;
    int before =
        tokens.position(actor, sealed, pageToken).map(Integer::valueOf).orElse(Integer.MAX_VALUE);
    List<ServiceVersionResponse> found =
        services
            .versions(actor, new ModelServices.Name(project, service), before, size + 1)
            .stream()
            .map(ServiceVersionResponse::of)
            .toList();
    return tokens.page(actor, sealed, size, found, one -> Integer.toString(one.number())).answer();
  }

  @Operation(
      operationId = "deleteModelServiceVersion",
      summary = "Delete a version of a model service",
      description =
          "Refused with ILLEGAL_STATE while the version serves traffic or has replicas, and for"
              + " the newest version.")
  @ApiResponse(responseCode = "204", description = "Deleted.")
  @DeleteMapping("/{service}/versions/{serviceVersion}")
  ResponseEntity<Void> deleteVersion(
      Actor actor,
      @PathVariable String project,
      @PathVariable String service,
      @PathVariable int serviceVersion,
      @Takes(WritePart.VALIDATE_ONLY) WriteOptions options) {
    services.deleteVersion(
        actor, new ModelServices.Name(project, service), serviceVersion, options.validateOnly());
    return ResponseEntity.noContent().build();
  }

  private static ResponseEntity<ModelServiceView> tagged(ModelServiceView view) {
    return ResponseEntity.ok().eTag(Etags.of(view.version())).body(view);
  }
}
