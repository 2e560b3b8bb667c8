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
 * Which issuer's tokens are accepted, and what their claims mean. Properties {@code
 * fairlead.oidc.*}.
 *
 * @param issuer exactly as tokens name it in {@code iss}; empty for no sign-in
 * @param audience what {@code aud} has to name
 * @param algorithms of signatures, asymmetric ones alone
 * @param userClaim the claim that names the user
 * @param rolesClaim the claim with what {@code roles} maps; dots lead into objects
 * @param roles what its values mean; the first that a token has decides the tenant
 * @param clients ids of the clients that sign people in
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
   * What a value of the claim means.
   *
   * @param role as people write it, {@code tenant-member}
   * @param project id of the project where a role of a project counts; null for other roles. A name
   *     would give the role to the members of a later project of that name
   */
  public record RoleMapping(
      String value, @DefaultValue("default") String tenant, String role, @Nullable String project) {
    Role parsed() {
      return Role.of(role)
          .filter(known -> (known.scope() == Role.Scope.PROJECT) == (project != null))
          .orElseThrow(() ->
              new IllegalArgumentException(
                  "fairlead.oidc.roles: \"%s\" is no role, or needs a project, or has one and counts in none"
                      .formatted(role)));
    }

    /** The project, empty for a role of no project. */
    Optional<ProjectId> projectId() {
      return Optional.ofNullable(project)
          .map(text ->
              IdText.decode(IdKind.PROJECT, text)
                  .map(ProjectId::new)
                  .orElseThrow(() ->
                      new IllegalArgumentException(
                          "fairlead.oidc.roles: \"%s\" is no id of a project. GET /api/v1/projects shows the ids; a name is not taken, since another project may get it later"
                              .formatted(text))));
    }
  }

  /**
   * Public clients of the issuer: they have no secret, so that their ids may be read by everybody.
   *
   * @param cli of {@code fairlead login}; empty for no such
   * @param ui client of Swagger UI and the console, or empty for none
   * @param scopes what both ask for
   */
  public record Clients(
      @DefaultValue("") String cli,
      @DefaultValue("") String ui,
      @DefaultValue({"openid", "offline_access"}) List<String> scopes) {}

  /**
   * @throws IllegalArgumentException for settings that would let others in, or nobody
   */
  public OidcSettings {
    if (!issuer.isEmpty()) {
      secure("fairlead.oidc.issuer", issuer);
      if (audience.isEmpty()) {
        throw new IllegalArgumentException(
            "fairlead.oidc.audience is missing: without it a token for any other service of the"
                + " issuer would count here");
      }
      if (algorithms.isEmpty() || !KNOWN.containsAll(algorithms)) {
        throw new IllegalArgumentException(
            "fairlead.oidc.algorithms is %s; possible are %s".formatted(algorithms, KNOWN));
      }
      roles.forEach(RoleMapping::parsed);
      roles.forEach(RoleMapping::projectId);
    }
  }

  /** Those of the environment. */
  public static OidcSettings of(Environment environment) {
    return Binder.get(environment).bindOrCreate(PREFIX, Bindable.of(OidcSettings.class));
  }

  public boolean present() {
    return !issuer.isEmpty();
  }

  /**
   * The address, when what comes from there can be believed: HTTPS, or this machine.
   *
   * @throws IllegalArgumentException otherwise
   */
  static URI secure(String what, String address) {
    URI uri = URI.create(address);
    if ("https".equals(uri.getScheme()) || "http".equals(uri.getScheme()) && local(uri)) {
      return uri;
    }
    throw new IllegalArgumentException(
        "%s is \"%s\"; it must be an https address, or http on loopback".formatted(what, address));
  }

  private static boolean local(URI uri) {
    try {
      return uri.getHost() != null && InetAddress.getByName(uri.getHost()).isLoopbackAddress();
    } catch (UnknownHostException unknown) {
      return false;
    }
  }
}
