package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Secrets of a project, set by an owner and used by jobs. */
class SecretsIT {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final String CANARY = "canary-of-the-secrets";
  private static final String SECRETS = "/api/v1/projects/default/secrets";
  private static final String JOBS = "/api/v1/projects/default/jobs";
  private static final String JOB =
      "{name: %s, image: x, placement: {clusters: [kept]}, secretEnv: {TOKEN: {secret: %s, key:"
          + " %s}}, annotations: {sim.fairlead.dev/run-for: 1s}}";
  private static RunningFairlead fairlead;
  private static Http http;

  @BeforeAll
  static void start(@TempDir Path keys) {
    fairlead = RunningFairlead.start("--fairlead.key-file=" + keys.resolve("key"));
    http = fairlead.http();
    String cluster =
        "{name: kept, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 1, model: A10}]}";
    assertThat(http.yaml("/api/v1/clusters", cluster).status()).isEqualTo(201);
  }

  @AfterAll
  static void stop() {
    fairlead.close();
  }

  private static Http.Answer put(String name, String body, String... headers) {
    String[] all = new String[headers.length + 2];
    all[0] = "Content-Type";
    all[1] = Http.YAML;
    System.arraycopy(headers, 0, all, 2, headers.length);
    return http.send("PUT", SECRETS + "/" + name, body, all);
  }

  private static String state(String job) {
    return http.get(job).json().path("state").asString("");
  }

  private static String submitted(String name, String secret, String key) {
    Http.Answer answer = http.yaml(JOBS, JOB.formatted(name, secret, key));
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    return "/api/v1/jobs/" + answer.json().get("id").asString();
  }

  /** Logs everything at TRACE during the call, and counts lines with the canary. */
  private static Queue<String> told(Runnable work) {
    Queue<String> told = new ConcurrentLinkedQueue<>();
    AtomicInteger lines = new AtomicInteger();
    AppenderBase<ILoggingEvent> ear =
        new AppenderBase<>() {
          @Override
          protected void append(ILoggingEvent event) {
            lines.incrementAndGet();
            if (event.getFormattedMessage().contains(CANARY)) {
              told.add(event.getLoggerName() + ": " + event.getFormattedMessage());
            }
          }
        };
    Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    Logger web = (Logger) LoggerFactory.getLogger("org.springframework.web");
    Logger own = (Logger) LoggerFactory.getLogger("dev.fairlead");
    Logger jdbc = (Logger) LoggerFactory.getLogger("org.springframework.jdbc");
    ear.setContext(root.getLoggerContext());
    ear.start();
    for (Logger each : new Logger[] {web, own, jdbc}) {
      // only this test captures the log, because console output would slow it down
      each.setAdditive(false);
      each.addAppender(ear);
      each.setLevel(Level.TRACE);
    }
    try {
      work.run();
    } finally {
      for (Logger each : new Logger[] {web, own, jdbc}) {
        each.detachAppender(ear);
        each.setLevel(null);
        each.setAdditive(true);
      }
    }
    assertThat(lines.get()).isGreaterThan(100);
    System.out.printf(
        "security canary: %d lines at TRACE, %d with the secret%n", lines.get(), told.size());
    return told;
  }

  /** Fails when a secret value is shown anywhere, or a job does not start with it. */
  @Test
  void jobRunsWithASecretAndNoOutputShowsItsValue() {
    Queue<String> told =
        told(() -> {
          Http.Answer made = put("hub", "{data: {token: " + CANARY + "}}");
          assertThat(made.status()).as(made.body()).isEqualTo(200);
          assertThat(made.json().at("/keys/token").asInt()).isEqualTo(CANARY.length());
          String job = submitted("uses", "hub", "token");
          await().atMost(PATIENCE).until(() -> state(job).equals("SUCCEEDED"));
          for (String path :
              new String[] {
                SECRETS,
                SECRETS + "/hub",
                job,
                job + "/attempts",
                job + "/events",
                job + "/explanation",
                "/api/v1/audit?pageSize=500"
              }) {
            Http.Answer answer = http.get(path);
            assertThat(answer.status()).as(path).isEqualTo(200);
            assertThat(answer.body()).as(path).doesNotContain(CANARY);
          }
        });
    assertThat(told).isEmpty();
    assertThat(http.get("/api/v1/audit?action=putSecret").body()).contains("hub", "token");
  }

  @Test
  void jobReferringToAMissingSecretIsRejectedWithBothNames() {
    assertThat(put("db", "{data: {user: a, password: b}}").status()).isEqualTo(200);

    Http.Answer secret = http.yaml(JOBS, JOB.formatted("a", "none", "token"));
    assertThat(secret.status()).isEqualTo(422);
    assertThat(secret.body()).contains("/secretEnv/TOKEN", "default has no secret \\\"none\\\"");
    Http.Answer key = http.yaml(JOBS, JOB.formatted("a", "db", "token"));
    assertThat(key.status()).isEqualTo(422);
    assertThat(key.body()).contains("db", "has no key \\\"token\\\"", "password, user");
    Http.Answer volume = http.yaml(JOBS, "{image: x, volumes: [{secret: none, mountPath: /keys}]}");
    assertThat(volume.status()).isEqualTo(422);
    assertThat(volume.body()).contains("/volumes/0/secret");
  }

  /** Fails when a login is stored with which no pod of the project could be launched. */
  @Test
  void pullSecretInvalidForAKubeletIsRejectedWithoutItsValue() {
    String login = "{data: {.dockerconfigjson: '%s'}}";
    String[] refused = {
      "{data: {token: " + CANARY + "}}",
      "{data: {.dockerconfigjson: '{}', more: x}}",
      login.formatted(CANARY),
      login.formatted("[]"),
      login.formatted("{\"auths\": {}}"),
      login.formatted("{\"auths\": {\"r.example.com\": {}}, \"credsStore\": \"desktop\"}"),
      login.formatted("{\"auths\": {\"r.example.com\": {\"auth\": \"not base64\"}}}"),
      login.formatted("{\"auths\": \"" + "c".repeat(17_000) + "\"}"),
    };
    for (String body : refused) {
      Http.Answer answer = put("registry-login", body);
      assertThat(answer.code()).as(answer.body()).isEqualTo("INVALID_FIELD");
      assertThat(answer.body()).doesNotContain(CANARY, "cccc");
    }
    assertThat(http.get(SECRETS + "/registry-login").status()).isEqualTo(404);
    String usable = "{\"auths\": {\"r.example.com\": {\"auth\": \"dTpw\"}}}";
    assertThat(put("registry-login", login.formatted(usable)).status()).isEqualTo(200);
    assertThat(http.send("DELETE", SECRETS + "/registry-login", null).status()).isEqualTo(204);
  }

  /** Fails when an attempt starts without a secret that was deleted meanwhile, or waits for it. */
  @Test
  void attemptWhoseSecretWasDeletedFailsAndNamesIt() {
    assertThat(put("brief", "{data: {token: x}}").status()).isEqualTo(200);
    String spec = JOB.formatted("late", "brief", "token").replace("[kept]", "[later]");
    Http.Answer made = http.yaml(JOBS, spec);
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    String job = "/api/v1/jobs/" + made.json().get("id").asString();
    assertThat(http.send("DELETE", SECRETS + "/brief", null).status()).isEqualTo(204);
    assertThat(http.get(SECRETS + "/brief").status()).isEqualTo(404);

    String cluster =
        "{name: later, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 1, model: A10}]}";
    assertThat(http.yaml("/api/v1/clusters", cluster).status()).isEqualTo(201);

    await().atMost(PATIENCE).until(() -> state(job).equals("FAILED"));
    assertThat(http.get(job).body())
        .contains("CONFIGURATION", "no longer has a secret \\\"brief\\\"");
  }

  /** Fails when the size is only checked at the submit, although later values may be larger. */
  @Test
  void attemptWhoseSecretsExceedTheLimitFailsAndReportsTheSize() {
    String large = "c".repeat(65_000);
    assertThat(put("grows", "{data: {token: x, more: y}}").status()).isEqualTo(200);
    String spec =
        JOB.formatted("grown", "grows", "token")
            .replace("[kept]", "[bigger]")
            .replace("image", "array: 0-1, image");
    Http.Answer made = http.yaml(JOBS, spec);
    assertThat(made.status()).as(made.body()).isEqualTo(201);
    String grown = "{data: {token: " + large + ", more: " + large + "}}";
    assertThat(put("grows", grown).status()).isEqualTo(200);
    Http.Answer another = http.yaml(JOBS, spec);
    assertThat(another.status()).isEqualTo(422);
    assertThat(another.body()).contains("LIMIT_EXCEEDED", "for an array");

    String cluster =
        "{name: bigger, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 1, model: A10}]}";
    assertThat(http.yaml("/api/v1/clusters", cluster).status()).isEqualTo(201);
    String job = "/api/v1/jobs/" + made.json().get("id").asString();
    await().atMost(PATIENCE).until(() -> state(job).equals("FAILED"));
    assertThat(http.get(job + "/attempts").body()).contains("CONFIGURATION", "at most 65536");
  }

  @Test
  void secretUpdateRequiresItsVersionAndRespectsTheLimit() {
    Http.Answer first = put("tls", "{data: {crt: a}}");
    assertThat(put("tls", "{data: {crt: b}}").json().get("version").asInt()).isEqualTo(2);
    String seen = first.header("ETag");
    assertThat(put("tls", "{data: {crt: c}}", "If-Match", seen).status()).isEqualTo(412);
    assertThat(put("Tls", "{data: {crt: c}}").status()).isEqualTo(400);
    assertThat(put("tls", "{data: {}}").status()).isEqualTo(422);
    Http.Answer key = put("tls", "{data: {'a/b': " + CANARY + "}}");
    assertThat(key.status()).isEqualTo(422);
    Http.Answer large = put("tls", "{data: {crt: " + "c".repeat(65537) + "}}");
    assertThat(large.status()).isEqualTo(422);
    assertThat(key.body() + large.body()).doesNotContain(CANARY, "cccc");
    assertThat(http.get(SECRETS + "/tls").json().get("version").asInt()).isEqualTo(2);
  }
}
