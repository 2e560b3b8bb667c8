package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fairlead.launcher.EmbeddedDatabase;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** PostgreSQL's disk is full, and later has free space again. */
class FullDiskIT {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int MOST = 2_000;
  private static final int BLOCK = 1 << 16;
  private static final String PROJECT = "/api/v1/projects/default/jobs";

  /** With a label that soon fills a page of a table. */
  private static final String JOB =
      "{image: x, gpu: 1, placement: {clusters: [eu]}, labels: {filler: %s},"
              .formatted("x".repeat(60))
          + " annotations: {sim.fairlead.dev/run-for: 1s}, env: {FILLER: %s}}"
              .formatted("y".repeat(4_000));

  @TempDir private Path folder;
  private Path disk;

  @BeforeEach
  void mount() throws IOException, InterruptedException {
    disk = Files.createDirectory(folder.resolve("disk"));
    assumeTrue(
        Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid")),
        "a small disk is a mount, which needs root");
    assumeTrue(
        ran("mount", "-t", "tmpfs", "-o", "size=96m,mode=0700", "tmpfs", disk.toString()),
        "this machine lets nothing be mounted");
  }

  @AfterEach
  void unmount() throws IOException, InterruptedException {
    boolean _ = ran("umount", "--lazy", disk.toString());
  }

  private static boolean ran(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command).start().waitFor() == 0;
  }

  private static void sql(EmbeddedDatabase database, String statement) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(database.url(), database.user(), database.password());
        Statement jdbc = connection.createStatement()) {
      jdbc.execute(statement);
    }
  }

  private Path filled() throws IOException {
    Path filler = disk.resolve("filler");
    try (OutputStream out = Files.newOutputStream(filler)) {
      while (Files.getFileStore(disk).getUsableSpace() > 0) {
        out.write(new byte[BLOCK]);
      }
    } catch (IOException full) {
      assertThat(full).hasMessageContaining("No space left");
    }
    return filler;
  }

  private static Http.Answer submit(Http http, int number) {
    return http.yaml(PROJECT, JOB, "Idempotency-Key", "job-" + number);
  }

  /**
   * Fails when a submit that was not stored is reported as an internal error, or an acknowledged
   * submit is lost or does not run afterwards.
   */
  @Test
  void fullDiskRejectsSubmitsServesReadsAndLosesNoAcknowledgedJob() throws Exception {
    try (EmbeddedDatabase database = EmbeddedDatabase.start()) {
      sql(database, "CREATE TABLESPACE small LOCATION '" + disk + "'");
      sql(database, "CREATE DATABASE small TABLESPACE small");
      RunningFairlead fairlead =
          RunningFairlead.startBehind(
              database, database.url("small"), "--fairlead.key-file=" + folder.resolve("key"));
      try {
        Http http = fairlead.http();
        assertThat(
                http.yaml(
                        "/api/v1/clusters",
                        "{name: eu, kind: SIMULATED, fleet: [{nodes: 4, gpusPerNode: 8, model:"
                            + " H100}]}")
                    .status())
            .isEqualTo(201);
        List<String> acknowledged = new ArrayList<>();
        acknowledged.add(submit(http, 0).json().get("id").asString());

        Path filler = filled();
        int refused = 1;
        Http.Answer answer = submit(http, refused);
        while (answer.status() == 201 && refused < MOST) {
          acknowledged.add(answer.json().get("id").asString());
          answer = submit(http, ++refused);
        }
        assertThat(answer.status()).as(answer.body()).isEqualTo(503);
        assertThat(answer.code()).isEqualTo("UNAVAILABLE");
        assertThat(answer.body()).contains("disk is full");
        assertThat(answer.header("Retry-After")).isNotEmpty();
        assertThat(http.get("/api/v1/jobs?pageSize=1").status()).isEqualTo(200);

        Files.delete(filler);
        int again = refused;
        await().atMost(PATIENCE).until(() -> submit(http, again).status(), status -> status == 201);
        for (String job : acknowledged) {
          await(job)
              .atMost(PATIENCE)
              .until(
                  () -> http.get("/api/v1/jobs/" + job).json().path("state").asString(""),
                  "SUCCEEDED"::equals);
        }
      } finally {
        fairlead.end();
      }
    }
  }
}
