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
 * Says to everybody where to sign in, as {@code fairlead login} asks before it has a token. Nothing
 * in it is secret: the clients are public ones.
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
   * What the service offers.
   *
   * @param api path of the API
   * @param signIn null where the service accepts the tokens of no issuer
   */
  record Discovery(String api, @Nullable SignInOffer signIn) {}

  /**
   * Where people sign in.
   *
   * @param issuer the OpenID Connect issuer
   * @param clientId of its public client for {@code fairlead login}; empty when there is none
   * @param scopes to ask for
   */
  record SignInOffer(String issuer, String clientId, List<String> scopes) {}

  @GetMapping(path = "/.well-known/fairlead", produces = MediaType.APPLICATION_JSON_VALUE)
  Discovery discovery() {
    return answer;
  }
}
