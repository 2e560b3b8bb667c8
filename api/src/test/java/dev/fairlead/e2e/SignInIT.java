package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.people.tenant.ProjectId;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Sign-in at a real issuer, and tokens of another issuer or another audience. */
class SignInIT {
  private static final String BOOTSTRAP = "a-token-to-begin-with";
  private static final String ME = "/api/v1/me";
  private static final String JOBS = "/api/v1/projects/default/jobs";
  private static final String SPEC = "{image: x, placement: {clusters: [nowhere]}}";
  private static final ProjectId FIRST_PROJECT =
      new ProjectId(UUID.fromString("01900000-0000-7000-8000-000000000004"));
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static EmbeddedDatabase database;
  private static TestIssuer issuer;
  private static RunningFairlead fairlead;
  private static Http http;

  @BeforeAll
  static void start() throws SQLException {
    database = MigratedDatabase.start();
    issuer = TestIssuer.start();
    fairlead =
        RunningFairlead.startBehind(
            database,
            database.url(),
            "--fairlead.oidc.issuer=" + issuer.url(),
            "--fairlead.oidc.audience=" + TestIssuer.AUDIENCE,
            "--fairlead.cors.origins=https://portal.example.com",
            "--fairlead.oidc.roles[0].value=ml",
            "--fairlead.oidc.roles[0].role=tenant-member",
            "--fairlead.bootstrap-token=" + BOOTSTRAP,
            "--fairlead.oidc.roles[1].value=guests",
            "--fairlead.oidc.roles[1].role=project-viewer",
            "--fairlead.oidc.roles[1].project=" + FIRST_PROJECT.text(),
            "--fairlead.oidc.roles[2].value=others",
            "--fairlead.oidc.roles[2].tenant=other",
            "--fairlead.oidc.roles[2].role=tenant-owner");
    http = fairlead.http();
    try (Connection connection =
        DriverManager.getConnection(database.url(), database.user(), database.password())) {
      connection
          .createStatement()
          .execute("INSERT INTO tenant (id, name, version) VALUES (gen_random_uuid(), 'other', 1)");
    }
  }

  @AfterAll
  static void stop() {
    fairlead.close();
    issuer.close();
  }

  private static String[] bearer(String token) {
    return new String[] {"Authorization", "Bearer " + token};
  }

  private static Http.Answer me(String token) {
    return http.get(ME, bearer(token));
  }

  @Test
  void signedInUserHasTheRolesOfItsGroups() {
    String[] trainer = bearer(issuer.signIn("trainer"));
    Http.Answer submitted = http.yaml(JOBS, SPEC, trainer);
    assertThat(submitted.status()).as(submitted.body()).isEqualTo(201);
    assertThat(submitted.json().get("user").asString()).isEqualTo("trainer");
    String job = "/api/v1/jobs/" + submitted.json().get("id").asString();
    assertThat(http.get(job, trainer).status()).isEqualTo(200);
    assertThat(http.get("/api/v1/operations", trainer).status()).isEqualTo(403);

    String[] watcher = bearer(issuer.signIn("watcher"));
    assertThat(http.get(job, watcher).status()).isEqualTo(200);
    assertThat(http.yaml(JOBS, SPEC, watcher).code()).isEqualTo("FORBIDDEN");

    String[] stranger = bearer(issuer.signIn("stranger"));
    assertThat(http.get(job, stranger).status()).isEqualTo(404);
    assertThat(http.yaml(JOBS, SPEC, stranger).status()).isEqualTo(404);

    String[] loner = bearer(issuer.signIn("loner"));
    assertThat(http.get(job, loner).status()).isEqualTo(404);
    assertThat(http.get("/api/v1/nodes", loner).status()).isEqualTo(403);
  }

  /**
   * Fails when memberships do not count for users that sign in, replace their groups, or outlive
   * their removal by more than 5 s.
   */
  @Test
  void membershipsAddToGroupRolesUntilTheyEnd() throws IOException, InterruptedException {
    member("apprentice", "project-member");
    String[] apprentice = bearer(named("apprentice", "unmapped"));
    assertThat(http.yaml(JOBS, SPEC, apprentice).status()).as("by membership").isEqualTo(201);
    assertThat(http.get("/api/v1/projects/default/members", apprentice).status()).isEqualTo(200);
    member("assistant", "project-member");
    String[] assistant = bearer(named("assistant", "guests"));
    assertThat(http.yaml(JOBS, SPEC, assistant).status()).as("besides a group").isEqualTo(201);

    HttpRequest request =
        HttpRequest.newBuilder(URI.create(http.base() + "/api/v1/events/stream?project=default"))
            .headers(apprentice)
            .build();
    try (HttpClient client = HttpClient.newHttpClient();
        InputStream stream =
            client.send(request, HttpResponse.BodyHandlers.ofInputStream()).body()) {
      assertThat(stream.read()).isPositive();
      Instant removed = Instant.now();
      for (String user : new String[] {"apprentice", "assistant"}) {
        String path = "/api/v1/projects/default/members/" + user;
        assertThat(http.send("DELETE", path, null, bearer(BOOTSTRAP)).status()).isLessThan(300);
      }
      while (stream.read() >= 0) {
        assertThat(Instant.now()).isBefore(removed.plus(PATIENCE));
      }
    }
    assertThat(http.yaml(JOBS, SPEC, apprentice).status()).isEqualTo(404);
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(http.yaml(JOBS, SPEC, assistant).code()).isEqualTo("FORBIDDEN"));
  }

  private static String named(String user, String group) {
    return issuer.signed(
        issuer.header().build(),
        issuer.claims().subject(user).claim("groups", List.of(group)).build());
  }

  private static void member(String user, String role) {
    Http.Answer made =
        http.send(
            "PUT",
            "/api/v1/projects/default/members/" + user,
            "{role: " + role + "}",
            "Authorization",
            "Bearer " + BOOTSTRAP,
            "Content-Type",
            Http.YAML);
    assertThat(made.status()).as(made.body()).isBetween(200, 201);
  }

  /** Fails when one of the checks of a token is omitted. */
  @Test
  void tokenOfAnotherIssuerOrAudienceIsRejected() throws Exception {
    assertThat(me(issuer.signIn("trainer")).status()).isEqualTo(200);
    for (Map.Entry<String, String> token : corpus().entrySet()) {
      Http.Answer answer = me(token.getValue());
      assertThat(answer.status()).as(token.getKey()).isEqualTo(401);
      assertThat(answer.header("WWW-Authenticate"))
          .as(token.getKey())
          .isEqualTo("Bearer realm=\"fairlead\", error=\"invalid_token\"");
      assertThat(answer.code()).isEqualTo("UNAUTHENTICATED");
      assertThat(answer.body()).contains("Sign in again");
    }
    String oversized =
        issuer.signed(
            issuer.header().build(), issuer.claims().claim("x", "x".repeat(100_000)).build());
    assertThat(me(oversized).status()).isBetween(400, 431);
    System.out.printf(
        "security jwt: %d forged or foreign tokens, none let in%n", corpus().size() + 1);
    assertThat(issuer.lured()).as("addresses that tokens named and were asked").isZero();
  }

  private static Map<String, String> corpus() throws JOSEException {
    JWSHeader header = issuer.header().build();
    JWTClaimsSet good = issuer.claims().build();
    String whole = issuer.signed(header, good);
    String[] parts = whole.split("\\.", -1);
    RSAKey own = new RSAKeyGenerator(2048).keyID("own").generate();
    RSAKey twin = new RSAKey.Builder(own).keyID(issuer.key().getKeyID()).build();
    URI lure = URI.create(issuer.url() + "/lure");
    Date past = Date.from(Instant.now().minusSeconds(120));
    Date future = Date.from(Instant.now().plusSeconds(120));
    Map<String, String> tokens = new TreeMap<>();
    tokens.put("alg none", new PlainJWT(good).serialize());
    tokens.put(
        "alg none with the signature",
        encoded("{\"alg\":\"none\"}") + "." + parts[1] + "." + parts[2]);
    tokens.put("HS256 by the public key", confused(good));
    tokens.put(
        "wrong audience", issuer.signed(header, issuer.claims().audience("other-api").build()));
    tokens.put(
        "no audience", issuer.signed(header, issuer.claims().audience((String) null).build()));
    tokens.put(
        "wrong issuer",
        issuer.signed(header, issuer.claims().issuer("https://evil.example").build()));
    tokens.put("expired", issuer.signed(header, issuer.claims().expirationTime(past).build()));
    tokens.put(
        "not yet valid", issuer.signed(header, issuer.claims().notBeforeTime(future).build()));
    tokens.put("no expiry", issuer.signed(header, issuer.claims().expirationTime(null).build()));
    tokens.put("no subject", issuer.signed(header, issuer.claims().subject(null).build()));
    tokens.put(
        "the name of the administrator",
        issuer.signed(header, issuer.claims().subject("local").build()));
    tokens.put(
        "the name of a service account",
        issuer.signed(header, issuer.claims().subject("sa:ci").build()));
    tokens.put(
        "a name of two lines", issuer.signed(header, issuer.claims().subject("a\nb").build()));
    tokens.put(
        "unknown key", signed(new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("own").build(), own));
    tokens.put("another key of that name", signed(header, twin));
    tokens.put(
        "embedded jwk",
        signed(new JWSHeader.Builder(header).jwk(twin.toPublicJWK()).build(), twin));
    tokens.put("jku", signed(new JWSHeader.Builder(header).jwkURL(lure).build(), twin));
    tokens.put("x5u", signed(new JWSHeader.Builder(header).x509CertURL(lure).build(), twin));
    tokens.put(
        "another algorithm",
        issuer.signed(new JWSHeader.Builder(JWSAlgorithm.RS512).keyID("first").build(), good));
    tokens.put("an unknown critical header", critical(good));
    tokens.put("truncated", whole.substring(0, whole.length() - 20));
    tokens.put("no signature", parts[0] + "." + parts[1] + ".");
    tokens.put("two signatures", whole + "." + parts[2]);
    tokens.put(
        "two signatures as JSON", "{\"payload\":\"" + parts[1] + "\",\"signatures\":[{},{}]}");
    tokens.put("empty payload", parts[0] + ".." + parts[2]);
    tokens.put(
        "a payload of another token", parts[0] + "." + encoded("{\"sub\":\"x\"}") + "." + parts[2]);
    tokens.put("dots alone", "..");
    tokens.put("no JSON", encoded("x") + "." + encoded("y") + "." + encoded("z"));
    return tokens;
  }

  private static String signed(JWSHeader header, RSAKey key) throws JOSEException {
    SignedJWT token = new SignedJWT(header, issuer.claims().build());
    token.sign(new RSASSASigner(key));
    return token.serialize();
  }

  /** The public key is not a secret: as the secret of an HMAC it signs anything. */
  private static String confused(JWTClaimsSet claims) throws JOSEException {
    SignedJWT token =
        new SignedJWT(new JWSHeader.Builder(JWSAlgorithm.HS256).keyID("first").build(), claims);
    token.sign(new MACSigner(issuer.key().toRSAPublicKey().getEncoded()));
    return token.serialize();
  }

  private static String critical(JWTClaimsSet claims) throws JOSEException {
    return issuer.signed(
        issuer.header().criticalParams(Set.of("exp")).customParam("exp", 1).build(), claims);
  }

  private static String encoded(String text) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void clockSkewOfUpToAMinuteIsAccepted() {
    Date past = Date.from(Instant.now().minusSeconds(30));
    Date future = Date.from(Instant.now().plusSeconds(30));
    JWTClaimsSet early = issuer.claims().notBeforeTime(future).build();
    JWTClaimsSet late = issuer.claims().expirationTime(past).build();

    assertThat(me(issuer.signed(issuer.header().build(), early)).status()).isEqualTo(200);
    assertThat(me(issuer.signed(issuer.header().build(), late)).status()).isEqualTo(200);
  }

  /**
   * Fails when each unknown key causes a query of the issuer, or when known keys need the issuer.
   */
  @Test
  void issuerIsNotQueriedPerTokenAndMayBeUnavailable() throws JOSEException {
    String known = issuer.signIn("trainer");
    assertThat(me(known).status()).isEqualTo(200);
    RSAKey own = new RSAKeyGenerator(2048).generate();
    int before = issuer.readsOfKeys();
    for (int i = 0; i < 50; i++) {
      String guess =
          signed(new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("guess-" + i).build(), own);
      assertThat(me(guess).status()).isEqualTo(401);
    }
    assertThat(issuer.readsOfKeys() - before).isLessThan(5);

    issuer.away(true);
    String unknown = signed(new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("own").build(), own);
    try {
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(me(unknown).code()).isEqualTo("UNAVAILABLE"));
      assertThat(me(known).status()).isEqualTo(200);
    } finally {
      issuer.away(false);
    }
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(me(unknown).status()).isEqualTo(401));
  }

  /** Fails when a preflight needs a token, or a page that is not listed can read a response. */
  @Test
  void pagesOfListedOriginsUseTheApiOnlyWithAToken() {
    String portal = "https://portal.example.com";
    Http.Answer asked = preflight(portal, "authorization,if-match,fairlead-tenant");
    assertThat(asked.status()).as(asked.body()).isEqualTo(200);
    assertThat(asked.header("Access-Control-Allow-Origin")).isEqualTo(portal);
    assertThat(asked.header("Access-Control-Allow-Methods")).contains("PATCH");
    assertThat(asked.header("Access-Control-Allow-Credentials")).isEmpty();
    assertThat(preflight(portal, "cookie").status()).isEqualTo(403);
    Http.Answer evil = preflight("https://evil.example.com", "authorization");
    assertThat(evil.header("Access-Control-Allow-Origin")).isEmpty();
    assertThat(evil.header("Access-Control-Allow-Headers")).isEmpty();

    String token = "Bearer " + issuer.signIn("trainer");
    Http.Answer seen = http.get(ME, "Origin", portal, "Authorization", token);
    assertThat(seen.status()).isEqualTo(200);
    assertThat(seen.header("Access-Control-Allow-Origin")).isEqualTo(portal);
    Http.Answer hidden = http.get(ME, "Origin", "https://evil.example.com", "Authorization", token);
    assertThat(hidden.status()).as("as a program").isEqualTo(200);
    assertThat(hidden.header("Access-Control-Allow-Origin")).as("for no page").isEmpty();
    assertThat(http.get(ME, "Origin", portal).status()).isEqualTo(401);
  }

  private static Http.Answer preflight(String origin, String headers) {
    return http.send(
        "OPTIONS",
        JOBS,
        null,
        "Origin",
        origin,
        "Access-Control-Request-Method",
        "PATCH",
        "Access-Control-Request-Headers",
        headers);
  }

  /** Fails when the expiry is checked only at the start of a stream. */
  @Test
  void streamEndsWhenItsTokenExpires() throws IOException, InterruptedException {
    // a slow machine opens it too late, and gets a longer timeout
    int seconds = 4;
    while (!endsWithItsToken(seconds)) {
      seconds *= 2;
      assertThat(seconds).as("seconds in which no stream began").isLessThan(100);
    }
  }

  /** False when the token had ended before its stream began. */
  private boolean endsWithItsToken(int seconds) throws IOException, InterruptedException {
    // a token states its expiry in whole seconds
    Instant end = Instant.now().plusSeconds(seconds).truncatedTo(ChronoUnit.SECONDS);
    JWTClaimsSet claims = issuer.claims().expirationTime(Date.from(end)).build();
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(http.base() + "/api/v1/events/stream"))
            .headers(bearer(issuer.signed(issuer.header().build(), claims)))
            .build();
    try (HttpClient client = HttpClient.newHttpClient();
        InputStream stream =
            client.send(request, HttpResponse.BodyHandlers.ofInputStream()).body()) {
      int first = stream.read();
      if (!Instant.now().isBefore(end)) {
        return false;
      }
      assertThat(first).isPositive();
      while (stream.read() >= 0) {
        assertThat(Instant.now()).isBefore(end.plus(PATIENCE));
      }
      assertThat(Instant.now()).isBetween(end, end.plus(PATIENCE));
      return true;
    }
  }

  @Test
  void otherAuthenticationMethodsWorkAlongsideSignIn() {
    assertThat(http.get(ME).status()).as("no local administrator beside an issuer").isEqualTo(401);
    Http.Answer made =
        http.yaml("/api/v1/tokens", "{name: a, user: ana, role: tenant-viewer}", bearer(BOOTSTRAP));
    assertThat(made.status()).as("the bootstrap token makes a token").isEqualTo(201);
    assertThat(me(made.json().get("token").asString()).status()).isEqualTo(200);

    String[] trainer = bearer(issuer.signIn("trainer"));
    String body = "{name: a, role: tenant-viewer}";
    assertThat(http.yaml("/api/v1/tokens", body, trainer).code())
        .as("a token stands on a membership, which a group is not")
        .isEqualTo("ILLEGAL_STATE");
    String[] owner = bearer(issuer.signIn("stranger"));
    assertThat(http.yaml("/api/v1/tokens", body, owner).code())
        .as("an owner by its group makes no member of itself")
        .isEqualTo("ILLEGAL_STATE");
  }
}
