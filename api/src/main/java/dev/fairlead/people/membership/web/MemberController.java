package dev.fairlead.people.membership.web;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.BodyOf;
import dev.fairlead.kernel.mapping.PutBody;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Etags;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.kernel.web.Takes;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.kernel.web.WritePart;
import dev.fairlead.people.membership.service.Members;
import dev.fairlead.people.membership.service.Members.Place;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Principal;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantMember;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;

/**
 * Manages members of tenants and projects. The guard has set the path's tenant as the tenant of the
 * actor.
 */
@ApiController(ApiPaths.ROOT)
@Tag(name = "Tenants")
class MemberController {
  private static final String OF_TENANT = "/tenants/{tenant}/members";
  private static final String OF_PROJECT = "/projects/{project}/members";
  private final Members members;

  MemberController(Members members) {
    this.members = members;
  }

  /**
   * A principal with its role.
   *
   * @param user person, or service account (sa:...)
   */
  record TenantMemberResponse(
      String user, String role, Instant createdAt, String createdBy, long version) {
    static TenantMemberResponse of(TenantMember member) {
      return new TenantMemberResponse(
          member.principal(),
          member.membership().role().wire(),
          member.createdAt(),
          member.createdBy(),
          member.version());
    }
  }

  /**
   * The role of a member of a tenant.
   *
   * @param role role in a tenant: tenant-owner, tenant-member or tenant-viewer. In a project:
   *     project-owner, project-member or project-viewer
   */
  @Schema(name = "PutMemberRequest")
  record PutMemberRequest(String role) {}

  @Operation(
      operationId = "listTenantMembers",
      summary = "List members of a tenant",
      description = "Lists members with a role in all projects of the tenant, by name.")
  @GetMapping(OF_TENANT)
  Page<TenantMemberResponse> ofTenant(Actor actor, @PathVariable String tenant) {
    return all(actor, new Place(null, "listTenantMembers"));
  }

  @Operation(
      operationId = "listProjectMembers",
      summary = "List members of a project",
      description =
          "Lists members with a role in this project, by name. Members of the tenant are"
              + " not repeated.")
  @GetMapping(OF_PROJECT)
  Page<TenantMemberResponse> ofProject(Actor actor, @PathVariable String project) {
    return all(actor, new Place(project, "listProjectMembers"));
  }

  private Page<TenantMemberResponse> all(Actor actor, Place place) {
    return Page.whole(members.all(actor, place).stream().map(TenantMemberResponse::of).toList());
  }

  @Operation(
      operationId = "getTenantMember",
      summary = "Read a member of a tenant",
      description = "Returns the role of the member, and the time when it first got a role.")
  @GetMapping(OF_TENANT + "/{member}")
  ResponseEntity<TenantMemberResponse> oneOfTenant(
      Actor actor, @PathVariable String tenant, @PathVariable String member) {
    return answer(members.one(actor, new Place(null, "getTenantMember"), member));
  }

  @Operation(
      operationId = "getProjectMember",
      summary = "Read a member of a project",
      description = "Returns the role of the member, and the time when it first got a role.")
  @GetMapping(OF_PROJECT + "/{member}")
  ResponseEntity<TenantMemberResponse> oneOfProject(
      Actor actor, @PathVariable String project, @PathVariable String member) {
    return answer(members.one(actor, new Place(project, "getProjectMember"), member));
  }

  @Operation(
      operationId = "putTenantMember",
      summary = "Add a member to a tenant, or change its role",
      description =
          "A person or a service account (sa:...) has one role in a tenant. Permissions of"
              + " its tokens change within 5 seconds. If-Match is optional.")
  @PutBody(OF_TENANT + "/{member}")
  ResponseEntity<TenantMemberResponse> putInTenant(
      Actor actor,
      @PathVariable String tenant,
      @PathVariable String member,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options,
      @RequestBody @BodyOf(PutMemberRequest.class) Body body) {
    Role role = role(body, Role.Scope.TENANT);
    return put(actor, new Place(null, "putTenantMember"), member, role, options);
  }

  @Operation(
      operationId = "putProjectMember",
      summary = "Add a member to a project, or change its role",
      description =
          "A person or a service account (sa:...) has one role in a project, and may have"
              + " another in its tenant. Permissions of its tokens change within 5 seconds."
              + " If-Match is optional.")
  @PutBody(OF_PROJECT + "/{member}")
  ResponseEntity<TenantMemberResponse> putInProject(
      Actor actor,
      @PathVariable String project,
      @PathVariable String member,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options,
      @RequestBody @BodyOf(PutMemberRequest.class) Body body) {
    Role role = role(body, Role.Scope.PROJECT);
    return put(actor, new Place(project, "putProjectMember"), member, role, options);
  }

  private ResponseEntity<TenantMemberResponse> put(
      Actor actor, Place place, String member, Role role, WriteOptions options) {
    if (!Principal.isName(member) || Principal.reserved(member)) {
      throw Parameters.refused(
          "member",
          "must be "
              + Principal.NAME_RULE
              + "; and not"
              + " the name of an administrator without an account (local, bootstrap)");
    }
    Long expected = expected(actor, place, member, options);
    return answer(members.put(actor, place, member, role, expected, options.validateOnly()));
  }

  private static Role role(Body body, Role.Scope scope) {
    FieldProblems problems = new FieldProblems();
    Value given = body.value(problems);
    Optional<PutMemberRequest> request = BodyBinder.read(given, PutMemberRequest.class);
    Optional<Role> role =
        request
            .filter(_ -> problems.none())
            .flatMap(_ -> given.fields().orElseThrow().get("role"))
            .flatMap(name -> name.oneOf(names(scope)))
            .flatMap(Role::of);
    problems.refuse();
    return role.orElseThrow();
  }

  private static List<String> names(Role.Scope scope) {
    return Stream.of(Role.values()).filter(role -> role.scope() == scope).map(Role::wire).toList();
  }

  @Operation(
      operationId = "removeTenantMember",
      summary = "Remove a member of a tenant",
      description =
          "Within 5 seconds every replica revokes the permissions that its tokens have "
              + "from this role and ends its open streams. Roles in projects remain.")
  @ApiResponse(responseCode = "204", description = "Member removed.")
  @DeleteMapping(OF_TENANT + "/{member}")
  ResponseEntity<Void> removeFromTenant(
      Actor actor,
      @PathVariable String tenant,
      @PathVariable String member,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    return remove(actor, new Place(null, "removeTenantMember"), member, options);
  }

  @Operation(
      operationId = "removeProjectMember",
      summary = "Remove a member of a project",
      description =
          "Within 5 seconds every replica revokes the permissions that its tokens have "
              + "from this role and ends its open streams. A role in the tenant remains.")
  @ApiResponse(responseCode = "204", description = "Member removed.")
  @DeleteMapping(OF_PROJECT + "/{member}")
  ResponseEntity<Void> removeFromProject(
      Actor actor,
      @PathVariable String project,
      @PathVariable String member,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    return remove(actor, new Place(project, "removeProjectMember"), member, options);
  }

  private ResponseEntity<Void> remove(
      Actor actor, Place place, String member, WriteOptions options) {
    Long expected = expected(actor, place, member, options);
    members.remove(actor, place, member, expected, options.validateOnly());
    return ResponseEntity.noContent().build();
  }

  private @Nullable Long expected(Actor actor, Place place, String member, WriteOptions options) {
    return options.ifGiven(() -> members.one(actor, place, member).version());
  }

  private static ResponseEntity<TenantMemberResponse> answer(TenantMember member) {
    return ResponseEntity.ok()
        .eTag(Etags.of(member.version()))
        .body(TenantMemberResponse.of(member));
  }
}
