package dev.fairlead.kernel.console.web;

import java.net.URI;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties {@code fairlead.oidc.*} for the sign-in of the console.
 *
 * @param issuer empty if none
 */
@ConfigurationProperties("fairlead.oidc")
record ConsoleSignIn(@DefaultValue("") String issuer, @DefaultValue Clients clients) {
  private static final String REFRESH = "offline_access";

  /**
   * The public client for browsers.
   *
   * @param ui its id, or empty if none
   * @param scopes scopes of {@code fairlead login}
   */
  record Clients(@DefaultValue("") String ui, @DefaultValue("openid") List<String> scopes) {}

  boolean present() {
    return !issuer.isEmpty() && !clients.ui().isEmpty();
  }

  /** A page that is loaded again signs in again, so it needs no refresh token. */
  List<String> scopes() {
    return clients.scopes().stream().filter(scope -> !scope.equals(REFRESH)).toList();
  }

  /** Scheme, host and port of the issuer, as a Content-Security-Policy names it. */
  String origin() {
    URI uri = URI.create(issuer);
    return uri.getScheme() + "://" + uri.getRawAuthority();
  }
}
