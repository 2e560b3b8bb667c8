package dev.fairlead.kernel.console.web;

import dev.fairlead.kernel.errors.HttpStatusProblem;
import io.swagger.v3.oas.annotations.Hidden;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Serves the page of the console and its sign-in configuration. The root address of the service
 * redirects to the console, or to Swagger UI if the console is off.
 */
@Hidden
@RestController
class ConsoleController {
  static final String PATH = "/console/";
  private static final MediaType HTML = new MediaType("text", "html", StandardCharsets.UTF_8);

  /**
   * The page may load its own modules, its stylesheet and Lit, and connect to this service and the
   * issuer. Only Lit may create markup.
   */
  private static final String POLICY =
      String.join(
          "; ",
          "default-src 'none'",
          "script-src 'self' %s",
          "style-src 'self'",
          "img-src 'self'",
          "connect-src 'self'%s",
          "form-action 'none'",
          "frame-ancestors 'none'",
          "base-uri 'none'",
          "require-trusted-types-for 'script'",
          "trusted-types lit-html");

  private final ConsoleSettings settings;
  private final ConsoleFiles files;
  private final String policy;
  private final Configuration configuration;

  ConsoleController(ConsoleSettings settings, ConsoleFiles files, ConsoleSignIn signIn) {
    this.settings = settings;
    this.files = files;
    this.policy =
        POLICY.formatted(files.importMap(), signIn.present() ? " " + signIn.origin() : "");
    this.configuration =
        new Configuration(
            signIn.present()
                ? new SignIn(signIn.issuer(), signIn.clients().ui(), signIn.scopes())
                : null);
  }

  /**
   * The sign-in configuration of the console. It contains no secret.
   *
   * @param signIn null if people enter a token, or need none
   */
  record Configuration(@Nullable SignIn signIn) {}

  /**
   * The issuer and its public client.
   *
   * @param issuer the OpenID Connect issuer
   * @param clientId the id of its public client for browsers
   * @param scopes the scopes that the console requests
   */
  record SignIn(String issuer, String clientId, List<String> scopes) {}

  @GetMapping("/")
  ResponseEntity<Void> root() {
    return redirect(settings.enabled() ? PATH : "/swagger-ui.html");
  }

  @GetMapping("/console")
  ResponseEntity<Void> withoutSlash() {
    requireEnabled();
    return redirect(PATH);
  }

  @GetMapping(path = PATH, produces = MediaType.TEXT_HTML_VALUE)
  ResponseEntity<String> page() {
    requireEnabled();
    return ResponseEntity.ok()
        .header("Content-Security-Policy", policy)
        .cacheControl(CacheControl.noCache())
        .eTag(files.etag())
        .contentType(HTML)
        .body(files.page());
  }

  @GetMapping(path = PATH + "config.json", produces = MediaType.APPLICATION_JSON_VALUE)
  Configuration configuration() {
    requireEnabled();
    return configuration;
  }

  private void requireEnabled() {
    if (!settings.enabled()) {
      throw HttpStatusProblem.of(404);
    }
  }

  private static ResponseEntity<Void> redirect(String path) {
    return ResponseEntity.status(HttpStatus.FOUND).location(URI.create(path)).build();
  }
}
