package dev.fairlead.people.secret.web;

import dev.fairlead.kernel.body.Body;
import dev.fairlead.kernel.body.BodyBinder;
import dev.fairlead.kernel.body.FieldProblems;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.keyring.Secret;
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
import dev.fairlead.people.secret.ProjectSecret;
import dev.fairlead.people.secret.service.ProjectSecrets;
import dev.fairlead.people.tenant.Actor;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Instant;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import tools.jackson.databind.annotation.JsonDeserialize;

/** Manages secrets of projects. Values are write-only. */
@ApiController(ApiPaths.ROOT + "/projects/{project}/secrets")
@Tag(name = "Secrets")
class SecretController {
  private final ProjectSecrets secrets;

  SecretController(ProjectSecrets secrets) {
    this.secrets = secrets;
  }

  /**
   * A secret without its values.
   *
   * @param keys size of each value in bytes, by key
   */
  @Schema(name = "SecretResponse")
  record SecretResponse(
      String name,
      SortedMap<String, Integer> keys,
      Instant createdAt,
      Instant updatedAt,
      String updatedBy,
      long version) {
    static SecretResponse of(ProjectSecret secret) {
      return new SecretResponse(
          secret.name(),
          secret.keys(),
          secret.createdAt(),
          secret.changed().at(),
          secret.changed().by(),
          secret.version());
    }
  }

  /**
   * All values of a secret.
   *
   * @param data values by key: 1 to 64 keys of letters, digits, -, _ and ., values of at most 64
   *     KiB and 256 KiB together
   */
  @Schema(name = "PutSecretRequest")
  record PutSecretRequest(
      @Schema(types = "object", additionalPropertiesSchema = String.class)
          @JsonDeserialize(using = SecretValues.class)
          SortedMap<String, Secret> data) {}

  @Operation(
      operationId = "listSecrets",
      summary = "List secrets of a project",
      description = "Lists secrets by name, with keys and sizes but without values.")
  @GetMapping
  Page<SecretResponse> all(Actor actor, @PathVariable String project) {
    return Page.whole(secrets.all(actor, project).stream().map(SecretResponse::of).toList());
  }

  @Operation(
      operationId = "getSecret",
      summary = "Read the keys of a secret",
      description =
          "Returns the keys with their sizes, and the last change. Values are never" + " returned.")
  @GetMapping("/{secret}")
  ResponseEntity<SecretResponse> one(
      Actor actor, @PathVariable String project, @PathVariable String secret) {
    return answer(secrets.one(actor, project, secret));
  }

  @Operation(
      operationId = "putSecret",
      summary = "Create a secret, or replace all its values",
      description =
          "The next attempt of a job that names the secret gets the new values. Launched"
              + " attempts retain their values. Every pod of the project pulls its image with the"
              + " secret named registry-login, which has one key .dockerconfigjson with docker's"
              + " config.json, at most 16 KiB. If-Match is optional.")
  @PutBody("/{secret}")
  ResponseEntity<SecretResponse> put(
      Actor actor,
      @PathVariable String project,
      @PathVariable String secret,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options,
      @RequestBody @BodyOf(PutSecretRequest.class) Body body) {
    Parameters.requireLabel("secret", secret, Names.LONGEST_LABEL);
    SortedMap<String, Secret> values = values(body, secret);
    Long expected = expected(actor, project, secret, options);
    return answer(secrets.put(actor, project, secret, values, expected, options.validateOnly()));
  }

  private static SortedMap<String, Secret> values(Body body, String secret) {
    FieldProblems problems = new FieldProblems();
    Value given = body.value(problems);
    Optional<PutSecretRequest> request = BodyBinder.read(given, PutSecretRequest.class);
    problems.refuse();
    SortedMap<String, Secret> values = request.orElseThrow().data();
    if (secret.equals(ProjectSecret.REGISTRY_LOGIN)) {
      Fields fields = given.fields().orElseThrow();
      RegistryLogin.trouble(values)
          .ifPresent(why -> fields.refuse("data", ProblemCode.INVALID_FIELD, why, null));
      problems.refuse();
    }
    return values;
  }

  @Operation(
      operationId = "deleteSecret",
      summary = "Delete a secret",
      description =
          "Launched attempts retain their values. Later attempts of jobs that name the"
              + " secret fail with the cause CONFIGURATION, which contains its name.")
  @ApiResponse(responseCode = "204", description = "Secret deleted.")
  @DeleteMapping("/{secret}")
  ResponseEntity<Void> delete(
      Actor actor,
      @PathVariable String project,
      @PathVariable String secret,
      @Takes({WritePart.IF_MATCH, WritePart.VALIDATE_ONLY}) WriteOptions options) {
    Long expected = expected(actor, project, secret, options);
    secrets.delete(actor, project, secret, expected, options.validateOnly());
    return ResponseEntity.noContent().build();
  }

  private @Nullable Long expected(
      Actor actor, String project, String secret, WriteOptions options) {
    return options.ifGiven(() -> secrets.one(actor, project, secret).version());
  }

  private static ResponseEntity<SecretResponse> answer(ProjectSecret secret) {
    return ResponseEntity.ok().eTag(Etags.of(secret.version())).body(SecretResponse.of(secret));
  }
}
