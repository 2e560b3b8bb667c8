package dev.fairlead.people.token.web;

import dev.fairlead.kernel.body.FieldReader;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.mapping.ApiController;
import dev.fairlead.kernel.mapping.PostBody;
import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.kernel.web.Page;
import dev.fairlead.kernel.web.PageTokens;
import dev.fairlead.kernel.web.Parameters;
import dev.fairlead.kernel.web.WriteOptions;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Principal;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.token.TokenId;
import dev.fairlead.people.token.service.NewToken;
import dev.fairlead.people.token.service.Tokens;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import tools.jackson.databind.annotation.JsonDeserialize;

/** Creates, lists and revokes API tokens. */
@ApiController(ApiPaths.ROOT + "/tokens")
@Tag(name = "Tokens")
class TokenController {
  private static final Duration USUAL = Duration.ofDays(90);
  private static final int LONGEST_USER = 128;
  private static final int LONGEST_CLUSTER = 63;
  private static final String LIST = "tokens";
  private final Tokens tokens;
  private final PageTokens pages;

  TokenController(Tokens tokens, PageTokens pages) {
    this.tokens = tokens;
    this.pages = pages;
  }

  /**
   * A new token.
   *
   * @param name name of the token: at most 63 letters, digits, -, _ and .
   * @param user owner of the token: a person, or sa: and the name of a service account. The caller
   *     when absent. Required for the local and the bootstrap administrator, except for role admin
   * @param role role of the bearer: admin, operator, auditor, tenant-owner, tenant-member,
   *     tenant-viewer, project-owner, project-member, project-viewer or monitor
   * @param cluster id or name of the only cluster for which a token of the role monitor reports,
   *     absent for other roles
   * @param expiresIn lifetime, 1m to 366d, 90d when absent. A token that is created with another
   *     token expires no later than that token
   */
  @Schema(name = "CreateTokenRequest")
  record CreateTokenRequest(
      @Size(min = 1, max = Names.LONGEST_LABEL)
          @Pattern(regexp = Names.WORD_PATTERN, message = Names.WORD_RULE)
          String name,
      @JsonDeserialize(using = UserReader.class) @Nullable String user,
      @Schema(implementation = String.class) @JsonDeserialize(using = RoleReader.class) Role role,
      @Size(min = 1, max = LONGEST_CLUSTER) @Nullable String cluster,
      @Schema(implementation = String.class) @DurationMin(minutes = 1) @DurationMax(days = 366)
          @Nullable Duration expiresIn) {
    private NewToken token(@Nullable String project) {
      return new NewToken(
          name, user, role, project, cluster, expiresIn == null ? USUAL : expiresIn);
    }
  }

  /** Reads the name of a person or service account. */
  static final class UserReader extends FieldReader<String> {
    @Override
    protected Optional<String> read(Value value) {
      return value
          .text(LONGEST_USER)
          .flatMap(text ->
              Principal.isName(text)
                  ? Optional.of(text)
                  : value.bad("must be " + Principal.NAME_RULE + ", not " + value.shown(), null));
    }
  }

  /** Reads a role by its name in the API. */
  static final class RoleReader extends FieldReader<Role> {
    @Override
    protected Optional<Role> read(Value value) {
      return value.named(List.of(Role.values()), Role::wire);
    }
  }

  /**
   * A token, returned only once.
   *
   * @param token text for the header Authorization: Bearer, null if the request was only validated
   */
  record CreatedTokenResponse(@Nullable String token, TokenResponse details) {
    /** Spring logs response bodies at DEBUG. */
    @Override
    public String toString() {
      return "a new token, " + details;
    }
  }

  @Operation(
      operationId = "createToken",
      summary = "Create an API token",
      description =
          "Creates a token for a person or a service account (sa:...). Only this response"
              + " contains the token, and only a hash is stored. A project role applies to the"
              + " project in the parameter, and the role monitor to the cluster in the body. A"
              + " caller cannot grant more than its own permissions. A principal that is not a"
              + " member yet becomes a member with that role. A token that was created with another"
              + " token expires no later, and is revoked with it. A caller can create 500 a day,"
              + " and a user can have 200 valid tokens. Takes no Idempotency-Key, because a"
              + " repeated request could not return the token.")
  @ApiResponse(responseCode = "201", description = "Token created.", useReturnTypeSchema = true)
  @PostBody
  ResponseEntity<CreatedTokenResponse> create(
      Actor actor,
      @RequestParam(required = false) @Nullable String project,
      WriteOptions options,
      @RequestBody CreateTokenRequest request) {
    Tokens.Made made = tokens.create(actor, request.token(project), options.validateOnly());
    TokenResponse details = TokenResponse.of(made.view());
    return ResponseEntity.status(HttpStatus.CREATED)
        .location(URI.create(ApiPaths.v1("/tokens/" + details.id())))
        .body(new CreatedTokenResponse(made.text() == null ? null : made.text().reveal(), details));
  }

  @Operation(
      operationId = "listTokens",
      summary = "List API tokens",
      description =
          "Lists all tokens of the tenant for its owners, otherwise the caller's own,"
              + " newest first. Tokens are listed for 30 days after they expired or were revoked.")
  @GetMapping
  ResponseEntity<Page<TokenResponse>> all(
      Actor actor,
      @RequestParam(defaultValue = Page.SIZE) int pageSize,
      @RequestParam(required = false) @Nullable String pageToken) {
    int size = Parameters.pageSize(pageSize);
    TokenId before = pages.position(actor, LIST, pageToken).map(TokenController::id).orElse(null);
    List<TokenResponse> found =
        tokens.page(actor, before, size + 1).stream().map(TokenResponse::of).toList();
    List<TokenResponse> page = found.subList(0, Math.min(size, found.size()));
    String next = found.size() > size ? pages.next(actor, LIST, page.getLast().id()) : null;
    return new Page<>(page, next).answer();
  }

  @Operation(
      operationId = "getToken",
      summary = "Read an API token",
      description = "Returns the properties of the token. The token itself is not stored.")
  @GetMapping("/{token}")
  TokenResponse one(Actor actor, @PathVariable String token) {
    return TokenResponse.of(tokens.one(actor, id(token)));
  }

  @Operation(
      operationId = "revokeToken",
      summary = "Revoke an API token",
      description =
          "Within 5 seconds every replica rejects the token and ends its open streams. The"
              + " same applies to all tokens that were created with it. The token is listed for"
              + " another 30 days.")
  @ApiResponse(
      responseCode = "204",
      description = "The token is revoked, by this request or an earlier one.")
  @DeleteMapping("/{token}")
  ResponseEntity<Void> revoke(Actor actor, @PathVariable String token) {
    tokens.revoke(actor, id(token));
    return ResponseEntity.noContent().build();
  }

  private static TokenId id(String text) {
    return new TokenId(ApiPaths.id(IdKind.TOKEN, text));
  }
}
