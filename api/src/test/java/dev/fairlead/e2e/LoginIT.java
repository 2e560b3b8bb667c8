package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.launcher.EmbeddedDatabase;
import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** {@code fairlead login} at a real issuer, with a browser whose user consents or refuses. */
class LoginIT {
  private static final String BOOTSTRAP = "a-token-to-begin-with";
  private static final JsonMapper MAPPER = JsonMapper.builder().build();
  private static final Pattern CODE_PAGE = Pattern.compile("^or open (\\S+)");
  private static final Pattern SIGN_IN_PAGE = Pattern.compile("on this machine: (\\S+)");
  private static TestIssuer issuer;
  private static RunningFairlead fairlead;
  private static Http http;

  @TempDir Path folder;

  @BeforeAll
  static void start() {
    EmbeddedDatabase database = MigratedDatabase.start();
    issuer = TestIssuer.start();
    fairlead =
        RunningFairlead.startBehind(
            database,
            database.url(),
            "--fairlead.oidc.issuer=" + issuer.url(),
            "--fairlead.oidc.audience=" + TestIssuer.AUDIENCE,
            "--fairlead.oidc.clients.cli=" + TestIssuer.CLI,
            "--fairlead.oidc.clients.ui=" + TestIssuer.CLI,
            "--fairlead.oidc.clients.scopes=" + TestIssuer.SCOPE,
            "--fairlead.oidc.roles[0].value=ml",
            "--fairlead.oidc.roles[0].role=tenant-member",
            "--fairlead.bootstrap-token=" + BOOTSTRAP);
    http = fairlead.http();
  }

  @AfterAll
  static void stop() {
    fairlead.close();
    issuer.close();
  }

  private CommandLine cli() {
    return new CommandLine(folder, http.base());
  }

  private Path kept() {
    return folder.resolve("sign-in-config.json");
  }

  private ObjectNode tokens() throws IOException {
    return (ObjectNode) MAPPER.readTree(Files.readString(kept()));
  }

  private JsonNode whoami(Map<String, String> environment) {
    CommandLine.Ended asked = cli().start(environment, "config", "whoami", "-o", "json").ended();
    assertThat(asked.code()).as(asked.said()).isZero();
    return MAPPER.readTree(asked.printed());
  }

  private void signInByCode() {
    CommandLine.Running login = cli().start(Map.of(), "login", "--device", "-y");
    new Browser(true).open(login.says(CODE_PAGE));
    CommandLine.Ended ended = login.ended();
    assertThat(ended.code()).as(ended.said()).isZero();
  }

  /**
   * Fails when the device flow does not end in a sign-in that the service accepts, when others can
   * read the file, or when a token of the environment does not take precedence.
   */
  @Test
  void deviceCodeSignsInTheUserWhoEntersIt() throws IOException {
    signInByCode();

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(kept())))
        .isEqualTo("rw-------");
    JsonNode me = whoami(Map.of());
    assertThat(me.get("user").asString()).isEqualTo(TestIssuer.USER);
    assertThat(me.get("tenant").asString()).isEqualTo("default");
    assertThat(me.get("roles").toString()).isEqualTo("[\"tenant-member\"]");
    assertThat(me.get("by").asString()).isEqualTo("sign-in at " + issuer.url());
    assertThat(me.get("expires").asString()).isNotEmpty();
    assertThat(whoami(Map.of("FAIRLEAD_TOKEN", BOOTSTRAP)).get("user").asString())
        .isEqualTo("bootstrap");
  }

  /**
   * Fails when an expired access token is sent, the refresh token is used a second time, or {@code
   * fairlead config logout} leaves the refresh token valid at the issuer.
   */
  @Test
  void aSignInIsRenewedUntilItsUserSignsOut() throws IOException {
    signInByCode();
    ObjectNode before = tokens();
    String first = before.get("access_token").asString();
    Files.writeString(kept(), before.put("expires_at", 1).put("access_token", "x").toString());

    assertThat(whoami(Map.of()).get("user").asString()).isEqualTo(TestIssuer.USER);
    ObjectNode renewed = tokens();
    assertThat(renewed.get("access_token").asString()).isNotEqualTo("x").isNotEqualTo(first);
    assertThat(renewed.get("refresh_token")).isNotEqualTo(before.get("refresh_token"));

    assertThat(cli().run("config", "logout").said()).contains("signed out");
    assertThat(kept()).doesNotExist();
    CommandLine.Ended refused = cli().run("config", "whoami");
    assertThat(refused.code()).isEqualTo(4);
    assertThat(refused.said()).contains("fairlead login");
    Files.writeString(kept(), renewed.put("expires_at", 1).toString());
    Files.setPosixFilePermissions(kept(), PosixFilePermissions.fromString("rw-------"));
    CommandLine.Ended ended = cli().run("config", "whoami");
    assertThat(ended.code()).isEqualTo(4);
    assertThat(ended.said()).contains("has ended (invalid_grant): fairlead login");
  }

  /**
   * Fails when the local page accepts a response with another state, or the code is sent without
   * the verifier of the challenge.
   */
  @Test
  void browserSignsInAndAForeignPageCannotAnswerForIt() {
    CommandLine.Running login = cli().start(Map.of(), "login", "--browser", "-y");
    String page = login.says(SIGN_IN_PAGE);
    Map<String, String> asked = query(page);
    assertThat(asked).containsEntry("code_challenge_method", "S256");
    assertThat(asked.get("code_challenge")).hasSize(43);

    Http callback = new Http(asked.get("redirect_uri"));
    assertThat(callback.get("?code=stolen&state=" + "x".repeat(43)).status()).isEqualTo(400);
    assertThat(callback.get("?code=stolen").status()).isEqualTo(400);
    assertThat(new Browser(true).open(page).body()).contains("Return to the terminal");

    CommandLine.Ended ended = login.ended();
    assertThat(ended.code()).as(ended.said()).isZero();
    assertThat(whoami(Map.of()).get("user").asString()).isEqualTo(TestIssuer.USER);
  }

  private static Map<String, String> query(String address) {
    return Arrays.stream(URI.create(address).getRawQuery().split("&"))
        .map(pair -> pair.split("=", 2))
        .collect(
            Collectors.toMap(
                pair -> pair[0], pair -> URLDecoder.decode(pair[1], StandardCharsets.UTF_8)));
  }

  /**
   * Fails when a refusal by the issuer counts as a sign-in, or is only detected at the time-out.
   */
  @Test
  void userWhoDeclinesIsNotSignedIn() {
    issuer.forgetConsent();
    CommandLine.Running byBrowser = cli().start(Map.of(), "login", "--browser", "-y");
    new Browser(false).open(byBrowser.says(SIGN_IN_PAGE));
    denied(byBrowser.ended());
    CommandLine.Running byCode = cli().start(Map.of(), "login", "--device", "-y");
    new Browser(false).open(byCode.says(CODE_PAGE));
    denied(byCode.ended());
  }

  private void denied(CommandLine.Ended login) {
    assertThat(login.code()).as(login.said()).isEqualTo(4);
    assertThat(login.said()).contains(issuer.url() + " denies the sign-in");
    assertThat(kept()).doesNotExist();
  }

  /** Fails when an unreachable issuer is reported as a fault of the service, or not at all. */
  @Test
  void unavailableIssuerIsNamed() {
    issuer.away(true);
    try {
      CommandLine.Ended login = cli().run("login", "--device", "-y");
      assertThat(login.code()).isEqualTo(8);
      assertThat(login.said()).contains(issuer.url()).contains("Is the issuer up");
    } finally {
      issuer.away(false);
    }
  }

  /**
   * Fails when the document requires a token, has more than a client needs to sign in, or Swagger
   * UI cannot request a token from the issuer.
   */
  @Test
  void signInAddressIsPublic() {
    assertThat(http.get("/.well-known/fairlead").body())
        .isEqualTo(
            "{\"api\":\"/api/v1\",\"signIn\":{\"issuer\":\"%s\",\"clientId\":\"%s\",\"scopes\":[\"%s\"]}}"
                .formatted(issuer.url(), TestIssuer.CLI, TestIssuer.SCOPE));
    JsonNode document = http.get("/v3/api-docs").json();
    assertThat(document.at("/components/securitySchemes/sign-in/openIdConnectUrl").asString())
        .isEqualTo(issuer.url() + "/.well-known/openid-configuration");
    assertThat(document.at("/paths/~1api~1v1~1me/get/security").toString())
        .contains("{\"sign-in\":[]}");
    Http.Answer ui = http.get("/swagger-ui/swagger-initializer.js");
    assertThat(ui.body())
        .contains("usePkceWithAuthorizationCodeGrant")
        .contains(TestIssuer.CLI)
        .doesNotContain("clientSecret\":");
    assertThat(ui.header("Content-Security-Policy")).contains("connect-src 'self' " + issuer.url());
  }
}
