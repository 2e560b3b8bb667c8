package dev.fairlead.people.secret.web;

import dev.fairlead.kernel.body.Body;
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
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;

/** Manages secrets of projects. Values are write-only. */
@ApiController(ApiPaths.ROOT + "/projects/{project}/secrets")
@Tag(name = "Secrets")
class SecretController {
  private static final Pattern KEY = Pattern.compile("[-._a-zA-Z0-9]+");
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
  record PutSecretRequest(Map<String, String> data) {}

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
    Fields fields = body.fields(problems);
    SortedMap<String, Secret> values = new TreeMap<>();
    Optional<Value> data = fields.required("data", "the values by key.");
    long size = 0;
    for (Map.Entry<String, Value> given :
        data.map(v -> v.entries(ProjectSecret.MOST_KEYS)).orElse(new TreeMap<>()).entrySet()) {
      Optional<String> text = value(given.getKey(), given.getValue());
      if (text.isPresent()) {
        values.put(given.getKey(), new Secret(text.get()));
        size += bytes(text.get());
      }
    }
    fields.done();
    if (size > ProjectSecret.LARGEST) {
      fields.refuse(
          "data",
          ProblemCode.LIMIT_EXCEEDED,
          "The values have %d bytes, but at most %d are allowed."
              .formatted(size, ProjectSecret.LARGEST),
          null);
    }
    problems.refuse();
    if (values.isEmpty()) {
      fields.refuse("data", ProblemCode.INVALID_FIELD, "Give at least one key.", null);
      problems.refuse();
    }
    if (secret.equals(ProjectSecret.REGISTRY_LOGIN)) {
      RegistryLogin.trouble(values)
          .ifPresent(why -> fields.refuse("data", ProblemCode.INVALID_FIELD, why, null));
      problems.refuse();
    }
    return values;
  }

  /** A refused value is reported only by its key and size. */
  private static Optional<String> value(String key, Value given) {
    if (!KEY.matcher(key).matches() || key.length() > ProjectSecret.LONGEST_KEY) {
      given.refuse(
          ProblemCode.INVALID_FIELD,
          "A key is 1 to %d letters, digits, dots, hyphens and underscores"
              .formatted(ProjectSecret.LONGEST_KEY),
          null);
      return Optional.empty();
    }
    if (key.startsWith("..") || key.equals(".")) {
      given.refuse(
          ProblemCode.INVALID_FIELD,
          "A key is a file name: it must not be . or begin with ..",
          null);
      return Optional.empty();
    }
    Optional<String> text = given.secret(ProjectSecret.LARGEST_VALUE);
    if (text.filter(t -> bytes(t) > ProjectSecret.LARGEST_VALUE).isPresent()) {
      given.refuse(
          ProblemCode.LIMIT_EXCEEDED,
          "The value has %d bytes, but at most %d are allowed."
              .formatted(bytes(text.get()), ProjectSecret.LARGEST_VALUE),
          null);
      return Optional.empty();
    }
    return text;
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
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
