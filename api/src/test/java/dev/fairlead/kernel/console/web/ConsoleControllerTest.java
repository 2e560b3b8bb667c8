package dev.fairlead.kernel.console.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.kernel.problem.Refusal;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockServletContext;
import org.springframework.web.context.support.StaticWebApplicationContext;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;

class ConsoleControllerTest {
  private static final ConsoleFiles FILES = ConsoleFiles.read();
  private static final ConsoleSignIn NO_ISSUER =
      new ConsoleSignIn("", new ConsoleSignIn.Clients("", List.of("openid")));

  /** Fails when {@code fairlead.console.enabled=false} leaves a page or a module reachable. */
  @Test
  void aDisabledConsoleServesNothing() {
    ConsoleSettings off = new ConsoleSettings(false);
    ConsoleController controller = new ConsoleController(off, FILES, NO_ISSUER);
    ResourceHandlerRegistry resources =
        new ResourceHandlerRegistry(new StaticWebApplicationContext(), new MockServletContext());

    new ConsoleConfiguration().consoleResources(off, FILES).addResourceHandlers(resources);

    assertThat(resources.hasMappingForPattern("/console/" + FILES.digest() + "/*")).isFalse();
    assertThat(controller.root().getHeaders().getLocation())
        .isEqualTo(URI.create("/swagger-ui.html"));
    assertThatThrownBy(controller::page).isInstanceOf(Refusal.class);
    assertThatThrownBy(controller::configuration).isInstanceOf(Refusal.class);
    assertThatThrownBy(controller::withoutSlash).isInstanceOf(Refusal.class);
  }

  /** Fails when the page cannot reach the issuer, or lacks the client. */
  @Test
  void theIssuerAndTheClientForBrowsersAreNamed() {
    ConsoleSignIn issuer =
        new ConsoleSignIn(
            "https://id.example.com/realms/gpu",
            new ConsoleSignIn.Clients("browser", List.of("openid", "offline_access")));
    ConsoleController controller = new ConsoleController(new ConsoleSettings(true), FILES, issuer);

    assertThat(controller.configuration().signIn())
        .isEqualTo(
            new ConsoleController.SignIn(
                "https://id.example.com/realms/gpu", "browser", List.of("openid")));
    assertThat(controller.page().getHeaders().getFirst("Content-Security-Policy"))
        .contains("connect-src 'self' https://id.example.com;");
  }
}
