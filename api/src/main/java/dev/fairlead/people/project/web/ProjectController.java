package dev.fairlead.people.project.web;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.DnsLabel;
import dev.fairlead.kernel.body.FieldReader;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.RequestRules;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.BodyOf;
import dev.fairlead.kernel.mapping.PatchBody;
import dev.fairlead.kernel.mapping.PostBody;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Etags;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.project.service.Projects;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Egress;
import dev.fairlead.people.tenant.Project;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.net.URI;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import tools.jackson.databind.annotation.JsonDeserialize;

/** Creates and reads projects. */
@ApiController(ApiPaths.ROOT + "/projects")
@Tag(name = "Projects")
class ProjectController {
  private static final int LONGEST_CENTRE = 63;
  private static final String DEFAULT_QUEUE = "default";
  private final Projects projects;

  ProjectController(Projects projects) {
    this.projects = projects;
  }

  /**
   * A project.
   *
   * @param namespace namespace of its jobs on every Kubernetes cluster, which never changes
   * @param costCentre account that is charged for its usage, null if none
   */
  @RecordBuilder
  record ProjectResponse(
      String id,
      String name,
      String namespace,
      String defaultQueue,
      EgressBody.EgressResponse egress,
      IdlePolicyBody.IdlePolicyResponse idlePolicy,
      @Nullable String costCentre,
      long version) {}

  /** A new project. */
  @Schema(name = "CreateProjectRequest")
  record CreateProjectRequest(
      @Schema(description = "DNS label of at most 40 characters") @DnsLabel(max = 40) String name,
      @Schema(description = "Queue of jobs without a queue, default when absent") @DnsLabel
          @Nullable String defaultQueue) {}

  /**
   * The changeable fields of a project.
   *
   * @param defaultQueue queue of jobs without a queue
   * @param egress addresses that its pods may reach on Kubernetes, replaced as a whole
   * @param idlePolicy policy for jobs that do not use their GPUs, replaced as a whole
   * @param costCentre account that is charged for its usage: at most 63 letters, digits, blanks and
   *     . _ / -, beginning with a letter or digit, empty if none
   */
  @Schema(name = "UpdateProjectRequest")
  record UpdateProjectRequest(
      @DnsLabel @Nullable String defaultQueue,
      EgressBody.@Nullable EgressRequest egress,
      IdlePolicyBody.@Nullable IdlePolicyRequest idlePolicy,
      @JsonDeserialize(using = CostCentre.class) @Nullable String costCentre)
      implements RequestRules {
    @Override
    public void check(Fields given) {
      if (given.removes("defaultQueue")) {
        given.refuse(
            "defaultQueue",
            ProblemCode.INVALID_FIELD,
            "A project always has a default queue. Set it to the name of a queue.",
            null);
      }
    }

    private Projects.Change change(Body patch) {
      return new Projects.Change(
          defaultQueue,
          egress != null ? egress.egress() : patch.removes("egress") ? Egress.OPEN : null,
          idlePolicy != null || patch.removes("idlePolicy")
              ? new Projects.Change.Idle(idlePolicy == null ? null : idlePolicy.policy())
              : null,
          patch.removes("costCentre") ? "" : costCentre);
    }
  }

  /** Reads a cost centre, which is empty if none. */
  static final class CostCentre extends FieldReader<String> {
    @Override
    protected Optional<String> read(Value value) {
      return value
          .anyText(LONGEST_CENTRE)
          .flatMap(text ->
              text.isEmpty() || Project.isCostCentre(text)
                  ? Optional.of(text)
                  : value.bad(
                      "must consist of letters, digits, spaces and . _ / -, beginning with a"
                          + " letter or digit, or be empty",
                      null));
    }
  }

  @Operation(
      operationId = "listProjects",
      summary = "List projects",
      description = "Lists projects in which the caller has a role, by name.")
  @GetMapping
  Page<ProjectResponse> all(Actor actor) {
    return Page.whole(
        projects.all(actor).stream().map(project -> response(actor, project)).toList());
  }

  @Operation(
      operationId = "getProject",
      summary = "Read a project",
      description = "Takes the name of the project.")
  @GetMapping("/{project}")
  ResponseEntity<ProjectResponse> one(Actor actor, @PathVariable String project) {
    Project found = projects.named(actor, project);
    return ResponseEntity.ok().eTag(Etags.of(found.version())).body(response(actor, found));
  }

  @Operation(
      operationId = "createProject",
      summary = "Create a project",
      description =
          "Creates a project, which owns jobs and has a default queue. Requires the role"
              + " owner of the tenant.")
  @ApiResponse(responseCode = "201", description = "Project created.", useReturnTypeSchema = true)
  @PostBody
  ResponseEntity<ProjectResponse> create(
      Actor actor,
      @RequestBody @BodyOf(CreateProjectRequest.class) Body body,
      @Takes({WritePart.VALIDATE_ONLY, WritePart.KEY}) WriteOptions options) {
    CreateProjectRequest request = BodyBinder.bind(body, CreateProjectRequest.class);
    String queue = request.defaultQueue() == null ? DEFAULT_QUEUE : request.defaultQueue();
    Project project =
        projects.create(
            actor, request.name(), queue, options.key("projects", body), options.validateOnly());
    return ResponseEntity.status(HttpStatus.CREATED)
        .location(URI.create(ApiPaths.v1("/projects/" + project.name())))
        .body(response(queue, project));
  }

  @Operation(
      operationId = "updateProject",
      summary = "Change a project",
      description =
          "JSON Merge Patch of defaultQueue, egress, idlePolicy and costCentre. Null resets"
              + " egress to OPEN and idlePolicy to OFF, and removes costCentre. The name of"
              + " a project cannot be changed. Requires the role owner. If-Match is optional.")
  @PatchBody("/{project}")
  ResponseEntity<ProjectResponse> update(
      Actor actor,
      @PathVariable String project,
      @RequestBody @BodyOf(UpdateProjectRequest.class) Body body,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    Long seen = expected(actor, project, options);
    UpdateProjectRequest request = BodyBinder.bind(body, UpdateProjectRequest.class);
    Projects.Change change = request.change(body);
    String queue = request.defaultQueue();
    Project old = projects.named(actor, project);
    Project changed =
        change.nothing()
            ? old
            : projects.update(actor, project, change, seen, options.validateOnly());
    return ResponseEntity.ok()
        .eTag(Etags.of(changed.version()))
        .body(response(queue == null ? projects.queueOf(actor, old) : queue, changed));
  }

  @Operation(
      operationId = "deleteProject",
      summary = "Delete a project",
      description =
          "Deletes a project without jobs. Ended jobs count too. Requires the role owner of"
              + " the tenant.")
  @ApiResponse(responseCode = "204", description = "Project deleted.")
  @DeleteMapping("/{project}")
  ResponseEntity<Void> delete(
      Actor actor,
      @PathVariable String project,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    projects.delete(actor, project, expected(actor, project, options), options.validateOnly());
    return ResponseEntity.noContent().build();
  }

  private @Nullable Long expected(Actor actor, String project, WriteOptions options) {
    return options.ifGiven(() -> projects.named(actor, project).version());
  }

  private ProjectResponse response(Actor actor, Project project) {
    return response(projects.queueOf(actor, project), project);
  }

  private static ProjectResponse response(String queue, Project project) {
    return ProjectControllerProjectResponseBuilder.builder()
        .id(project.id().text())
        .name(project.name())
        .namespace(project.namespace())
        .defaultQueue(queue)
        .egress(EgressBody.EgressResponse.of(project.egress()))
        .idlePolicy(IdlePolicyBody.IdlePolicyResponse.of(project.idle()))
        .costCentre(project.costCentre())
        .version(project.version())
        .build();
  }
}
