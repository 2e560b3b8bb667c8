package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.fairlead.launcher.EmbeddedDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Signs in at the console in a real Chromium ({@code FAIRLEAD_BROWSER}), at a real issuer. */
@Tag("long")
class ConsoleSignInIT {
  private static final String BROWSER = System.getenv("FAIRLEAD_BROWSER");
  private static final String BOOTSTRAP = "a-token-to-begin-with";

  @TempDir private static Path profile;
  private static TestIssuer issuer;
  private static RunningFairlead fairlead;

  @BeforeAll
  static void start() {
    assumeThat(BROWSER).as("FAIRLEAD_BROWSER, as make console sets it").isNotNull();
    EmbeddedDatabase database = MigratedDatabase.start();
    issuer = TestIssuer.start();
    fairlead =
        RunningFairlead.startBehind(
            database,
            database.url(),
            "--fairlead.oidc.issuer=" + issuer.url(),
            "--fairlead.oidc.audience=" + TestIssuer.AUDIENCE,
            "--fairlead.oidc.clients.ui=" + TestIssuer.CLI,
            "--fairlead.oidc.clients.scopes=" + TestIssuer.SCOPE,
            "--fairlead.oidc.roles[0].value=ml",
            "--fairlead.oidc.roles[0].role=tenant-member",
            "--fairlead.bootstrap-token=" + BOOTSTRAP);
  }

  @AfterAll
  static void end() {
    if (fairlead != null) {
      fairlead.close();
      issuer.close();
    }
  }

  /**
   * Fails when the code is not exchanged, the requested page is not shown after the sign-in, or the
   * code stays in the address.
   */
  @Test
  void peopleSignInAtTheIssuerAndReturnToThePage() {
    try (Chromium browser = Chromium.start(BROWSER, profile.resolve("issuer"))) {
      browser.open(fairlead.http().base() + "/console/#/map");
      browser.shows(".sign-in", "Sign in");
      browser.evaluate("document.querySelector('.sign-in .primary').click()");
      browser.until("document.querySelector('input[name=username]')");
      browser.evaluate(
          """
          document.querySelector('input[name=username]').value = '%s';
          document.querySelector('input[name=password]').value = '%s';
          document.querySelector('form').submit();
          """
              .formatted(TestIssuer.USER, TestIssuer.PASSWORD));
      browser.until("document.querySelector('input[type=checkbox]')");
      browser.evaluate(
          "document.querySelector('input[type=checkbox]').checked = true;"
              + " document.querySelector('form').submit();");

      browser.shows(".who", TestIssuer.USER);
      browser.shows("fl-map h1", "Capacity");
      assertThat(browser.evaluate("location.search + location.hash").asString()).isEqualTo("#/map");
      assertThat(browser.evaluate("localStorage.length + document.cookie.length").asInt()).isZero();
    }
  }

  /** Fails when a wrong token opens the console, a right one does not, or either is stored. */
  @Test
  void aTokenOpensTheConsoleUntilItsUserSignsOut() {
    try (Chromium browser = Chromium.start(BROWSER, profile.resolve("token"))) {
      browser.open(fairlead.http().base() + "/console/");
      browser.shows(".sign-in", "API token");
      enter(browser, "no-token-of-this-service");
      browser.shows(".sign-in", "does not accept this token");

      enter(browser, BOOTSTRAP);
      browser.shows(".who", "bootstrap");
      browser.shows(".live", "Live");
      assertThat(browser.evaluate("localStorage.length").asInt()).isZero();
      browser.evaluate("document.querySelector('.top button').click()");
      browser.shows(".sign-in", "API token");
      assertThat(browser.evaluate("sessionStorage.length").asInt()).isZero();
    }
  }

  private static void enter(Chromium browser, String token) {
    browser.evaluate(
        "document.querySelector('#token').value = '%s'; document.querySelector('.sign-in form button').click()"
            .formatted(token));
  }
}
