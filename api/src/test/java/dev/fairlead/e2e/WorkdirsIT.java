package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.identity.Sha256;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.AttemptCredential;
import dev.fairlead.work.attempt.AttemptId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Code of jobs from its upload to the attempt that fetches it. */
class WorkdirsIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String GZIP = "application/gzip";

  /** Longer than a piece. */
  private static final String CODE = "0123456789abcdef".repeat(300_000);

  private static RunningFairlead fairlead;
  private static Http http;
  @TempDir private static Path home;

  @BeforeAll
  static void start() {
    fairlead =
        RunningFairlead.start(
            "--fairlead.key-file=" + home.resolve("key"),
            "--fairlead.logs.directory=" + home.resolve("logs"));
    http = fairlead.http();
    http.yaml(
        "/api/v1/clusters",
        "{name: one, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 8, model: H100}]}");
  }

  @AfterAll
  static void stop() {
    fairlead.close();
  }

  private static String digest(String code) {
    return "sha256:" + Sha256.hex(code);
  }

  private static String path(String project, String digest) {
    return "/api/v1/projects/" + project + "/workdirs/" + digest;
  }

  private static Http.Answer upload(String project, String digest, String code) {
    return http.send("PUT", path(project, digest), code, "Content-Type", GZIP);
  }

  private static Http.Answer submit(String project, String name, String digest) {
    return http.yaml(
        "/api/v1/projects/" + project + "/jobs",
        "{name: %s, image: x, gpu: 1, workdir: {digest: '%s'}, annotations: {sim.fairlead.dev/run-for: 1h}}"
            .formatted(name, digest));
  }

  private static List<Path> pieces() throws IOException {
    try (Stream<Path> all = Files.walk(home.resolve("logs"))) {
      return all.filter(path -> path.toString().endsWith(".part")).toList();
    }
  }

  /** Fails when a plan, which only reads, defers the deletion of the code that it names. */
  @Test
  void aJobWithUploadedCodeHasAPlan() {
    String code = "planned";
    assertThat(upload("default", digest(code), code).status()).isEqualTo(200);

    Http.Answer plan =
        http.yaml(
            "/api/v1/jobs/plan",
            "{name: planned, image: x, gpu: 1, workdir: {digest: '%s'}}".formatted(digest(code)));

    assertThat(plan.status()).as(plan.body()).isEqualTo(200);
  }

  /** Fails when the bytes differ, or the credential of another attempt fetches them. */
  @Test
  void attemptFetchesItsUploadedCode() {
    String digest = digest(CODE);
    assertThat(http.get(path("default", digest)).status()).isEqualTo(404);
    assertThat(submit("default", "early", digest).body()).contains("/workdir/digest");

    JsonNode stored = upload("default", digest, CODE).json();
    assertThat(stored.get("bytes").asLong()).isEqualTo(CODE.length());
    assertThat(upload("default", digest, CODE).status()).isEqualTo(200);
    assertThat(http.get(path("default", digest)).status()).isEqualTo(200);

    JsonNode made = submit("default", "train", digest).json();
    assertThat(made.at("/spec/workdir/digest").asString("")).isEqualTo(digest);
    String job = "/api/v1/jobs/" + made.get("id").asString();
    await()
        .atMost(PATIENCE)
        .until(() -> http.get(job).json().get("state").asString().equals("RUNNING"));
    String attempt = http.get(job + "/attempts").json().at("/items/0/id").asString("");
    AttemptCredential own = credential(made.get("id").asString(), attempt);
    String fetch = "/api/v1/attempts/" + attempt + "/workdir";

    Http.Answer fetched = http.get(fetch, "Authorization", "Bearer " + fairlead.credential(own));
    assertThat(fetched.status()).isEqualTo(200);
    assertThat(digest(fetched.body())).isEqualTo(digest);
    assertThat(http.get(fetch).status()).as("an administrator").isEqualTo(403);
    AttemptCredential other =
        new AttemptCredential(own.tenant(), own.job(), new AttemptId(new java.util.UUID(1, 1)));
    assertThat(http.get(fetch, "Authorization", "Bearer " + fairlead.credential(other)).status())
        .isEqualTo(404);

    http.send("POST", job + "/cancel", null);
    await()
        .atMost(PATIENCE)
        .until(() ->
            http.get(fetch, "Authorization", "Bearer " + fairlead.credential(own)).status() == 404);
  }

  private static AttemptCredential credential(String job, String attempt) {
    String tenant = http.get("/api/v1/tenants").json().at("/items/0/id").asString("");
    return new AttemptCredential(
        new TenantId(IdText.decode(IdKind.TENANT, tenant).orElseThrow()),
        new JobId(IdText.decode(IdKind.JOB, job).orElseThrow()),
        new AttemptId(IdText.decode(IdKind.ATTEMPT, attempt).orElseThrow()));
  }

  /** Fails when a guessed digest of another tenant or project shows or uses its code. */
  @Test
  void codeOfAnotherProjectIsNotFound() {
    String code = "code of the default project";
    String digest = digest(code);
    assertThat(upload("default", digest, code).status()).isEqualTo(200);
    http.yaml("/api/v1/projects", "{name: sibling}");
    http.yaml("/api/v1/tenants", "{name: rival}");
    http.yaml("/api/v1/projects", "{name: theirs}", "Fairlead-Tenant", "rival");

    assertThat(http.get(path("sibling", digest)).status()).isEqualTo(404);
    assertThat(http.get(path("theirs", digest), "Fairlead-Tenant", "rival").status())
        .isEqualTo(404);
    assertThat(submit("sibling", "uses", digest).status()).isEqualTo(422);
  }

  /** Fails when a part of an upload that was refused can be used. */
  @Test
  void anUploadWithAnotherDigestStoresNothing() {
    String digest = digest("what was meant");
    assertThat(upload("default", digest, "what was sent").code()).isEqualTo("INVALID_FIELD");
    assertThat(http.get(path("default", digest)).status()).isEqualTo(404);
    assertThat(upload("default", digest, "").code()).isEqualTo("MALFORMED_BODY");
    assertThat(upload("default", "sha256:abc", "x").code()).isEqualTo("INVALID_PARAMETER");
    assertThat(
            http.send(
                    "PUT",
                    path("default", digest) + "?validateOnly=true",
                    "what",
                    "Content-Type",
                    GZIP)
                .status())
        .isEqualTo(200);
    assertThat(http.get(path("default", digest)).status()).isEqualTo(404);
  }

  @Test
  void workdirStorageOfAProjectIsLimited() throws IOException {
    http.yaml("/api/v1/projects", "{name: small}");
    http.send(
        "PATCH", "/api/v1/projects/small/limits", "{workdirMiB: 1}", "Content-Type", Http.YAML);
    String large = "x".repeat((1 << 20) + 1);
    List<Path> before = pieces();
    String trial = path("small", digest(large)) + "?validateOnly=true";
    await()
        .atMost(PATIENCE)
        .until(() ->
            http.send("PUT", trial, large, "Content-Type", GZIP).code().equals("LIMIT_EXCEEDED"));
    assertThat(upload("small", digest(large), large).body()).contains("workdirMiB");
    assertThat(pieces()).hasSameElementsAs(before);
    String most = "x".repeat(1 << 20);
    assertThat(upload("small", digest(most), most).status()).isEqualTo(200);
    assertThat(upload("small", digest("y"), "y").code()).isEqualTo("LIMIT_EXCEEDED");
  }
}
