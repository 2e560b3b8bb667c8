package dev.fairlead.people.security.web;

import dev.fairlead.kernel.web.ApiPaths;
import dev.fairlead.people.security.oidc.OidcSettings;
import io.swagger.v3.oas.annotations.Hidden;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Returns the addresses for sign-in without authentication, because {@code fairlead login} needs
 * them before it has a token. The content is not secret: the clients are public ones.
 */
@Hidden
@RestController
class DiscoveryController {
  private final Discovery answer;

  DiscoveryController(Environment environment) {
    OidcSettings oidc = OidcSettings.of(environment);
    answer =
        new Discovery(
            ApiPaths.ROOT,
            oidc.present()
                ? new SignInOffer(oidc.issuer(), oidc.clients().cli(), oidc.clients().scopes())
                : null);
  }

  /**
   * Capabilities of the service.
   *
   * @param api path of the API
   * @param signIn sign-in settings, null if the service accepts tokens of no issuer
   */
  record Discovery(String api, @Nullable SignInOffer signIn) {}

  /**
   * Sign-in settings.
   *
   * @param issuer the OpenID Connect issuer
   * @param clientId id of the public client for {@code fairlead login}, empty if none
   * @param scopes scopes to request
   */
  record SignInOffer(String issuer, String clientId, List<String> scopes) {}

  @GetMapping(path = "/.well-known/fairlead", produces = MediaType.APPLICATION_JSON_VALUE)
  Discovery discovery() {
    return answer;
  }
}
