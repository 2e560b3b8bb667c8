package dev.fairlead.people.security.oidc;

import com.nimbusds.jose.JWSAlgorithm;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Role;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.env.Environment;

/**
 * The accepted issuer, and the meaning of its claims. Properties {@code fairlead.oidc.*}.
 *
 * @param issuer issuer exactly as in the claim {@code iss} of tokens, empty for no sign-in
 * @param audience required value of {@code aud}
 * @param algorithms accepted signature algorithms, asymmetric only
 * @param userClaim claim with the user name
 * @param rolesClaim claim with the values that {@code roles} maps. Dots separate nested objects
 * @param roles meaning of the values. The first role in a token decides the tenant
 * @param clients ids of the clients for sign-in
 */
public record OidcSettings(
    @DefaultValue("") String issuer,
    @DefaultValue("") String audience,
    @DefaultValue({"RS256", "PS256", "ES256"}) List<String> algorithms,
    @DefaultValue("sub") String userClaim,
    @DefaultValue("groups") String rolesClaim,
    @DefaultValue List<RoleMapping> roles,
    @DefaultValue Clients clients) {
  private static final String PREFIX = "fairlead.oidc";
  private static final Set<String> KNOWN =
      JWSAlgorithm.Family.SIGNATURE.stream().map(JWSAlgorithm::getName).collect(Collectors.toSet());

  /**
   * Meaning of a value of the claim.
   *
   * @param role role in the form {@code tenant-member}
   * @param project id of the project of a project role, null for other roles. A name would give the
   *     role to the members of a later project with that name
   */
  public record RoleMapping(
      String value, @DefaultValue("default") String tenant, String role, @Nullable String project) {
    Role parsed() {
      return Role.of(role)
          .filter(known -> (known.scope() == Role.Scope.PROJECT) == (project != null))
          .orElseThrow(() ->
              new IllegalArgumentException(
                  ("fairlead.oidc.roles: \"%s\" is not a role, lacks a project, or has a project"
                          + " that the role does not take")
                      .formatted(role)));
    }

    /** The project, empty for a role without a project. */
    Optional<ProjectId> projectId() {
      return Optional.ofNullable(project)
          .map(text ->
              IdText.decode(IdKind.PROJECT, text)
                  .map(ProjectId::new)
                  .orElseThrow(() ->
                      new IllegalArgumentException(
                          ("fairlead.oidc.roles: \"%s\" is not the id of a project. GET"
                                  + " /api/v1/projects shows the ids. A name is not accepted,"
                                  + " because another project may get it later")
                              .formatted(text))));
    }
  }

  /**
   * Public clients of the issuer: they have no secret, so their ids may be public.
   *
   * @param cli client of {@code fairlead login}, empty if none
   * @param ui client of Swagger UI and the console, empty if none
   * @param scopes scopes that both request
   */
  public record Clients(
      @DefaultValue("") String cli,
      @DefaultValue("") String ui,
      @DefaultValue({"openid", "offline_access"}) List<String> scopes) {}

  /**
   * @throws IllegalArgumentException for settings that would admit strangers, or no users
   */
  public OidcSettings {
    if (!issuer.isEmpty()) {
      secure("fairlead.oidc.issuer", issuer);
      if (audience.isEmpty()) {
        throw new IllegalArgumentException(
            "fairlead.oidc.audience is missing: without it, a token for any other service of"
                + " the issuer would be accepted");
      }
      if (algorithms.isEmpty() || !KNOWN.containsAll(algorithms)) {
        throw new IllegalArgumentException(
            "fairlead.oidc.algorithms is %s, but must contain only %s"
                .formatted(algorithms, KNOWN));
      }
      roles.forEach(RoleMapping::parsed);
      roles.forEach(RoleMapping::projectId);
    }
  }

  /** Settings from the environment. */
  public static OidcSettings of(Environment environment) {
    return Binder.get(environment).bindOrCreate(PREFIX, Bindable.of(OidcSettings.class));
  }

  public boolean present() {
    return !issuer.isEmpty();
  }

  /**
   * Returns the address if its content can be trusted: HTTPS, or loopback.
   *
   * @throws IllegalArgumentException otherwise
   */
  static URI secure(String what, String address) {
    URI uri = URI.create(address);
    if ("https".equals(uri.getScheme()) || "http".equals(uri.getScheme()) && local(uri)) {
      return uri;
    }
    throw new IllegalArgumentException(
        "%s is \"%s\", but must be an https address, or http on loopback".formatted(what, address));
  }

  private static boolean local(URI uri) {
    try {
      return uri.getHost() != null && InetAddress.getByName(uri.getHost()).isLoopbackAddress();
    } catch (UnknownHostException unknown) {
      return false;
    }
  }
}
