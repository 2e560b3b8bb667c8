package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.people.audit.service.ForeignDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The backup of another installation is restored in the place of this one's. */
class ForeignRestoreIT {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final String RAISE = "--fairlead.installation.raise-incarnation-from=";

  /** State that a rejected start must not change: audit, epochs of leases, incarnation. */
  private static final String STATE =
      """
      SELECT (SELECT max(seq) FROM audit_record) || ' '
          || (SELECT string_agg(name || '=' || epoch || '/' || renewals, ',' ORDER BY name) FROM lease)
          || ' '
          || (SELECT incarnation FROM installation)
      """;

  @TempDir private Path folder;

  /**
   * Fails when a process serves a database that was sealed under another key file: writes would
   * succeed, but no secret or connection could be decrypted.
   */
  @Test
  void backupOfAnotherInstallationIsRejectedBeforeAnyChange() throws Exception {
    Path logs = Files.createDirectory(folder.resolve("logs-of-own"));
    Files.writeString(logs.resolve("installation"), "01m7vxn2c4e0mtrw2g5kqy8v3d 1");
    try (EmbeddedDatabase database = MigratedDatabase.start()) {
      String installation = written(database);
      String before = state(database);

      assertThatThrownBy(() -> start(database, "own", "0"))
          .isInstanceOfSatisfying(
              ForeignDatabase.class,
              refused ->
                  assertThat(refused.next())
                      .contains("backup of this installation")
                      .contains("FAIRLEAD_INSTALLATION_RAISE_INCARNATION_FROM=1"))
          .hasMessageContaining("is installation " + installation)
          .hasMessageContaining("FAIRLEAD_KEY_FILE");
      assertThat(state(database)).isEqualTo(before);

      RunningFairlead insists = start(database, "own", "1");
      try {
        namesWhatDoesNotFit(insists.http());
      } finally {
        insists.end();
      }
    }
  }

  /** Waits until the other installation has sealed its actions, and returns its id. */
  private String written(EmbeddedDatabase database) {
    RunningFairlead other = start(database, "other", "0");
    try {
      Http http = other.http();
      Http.Answer secret =
          http.send(
              "PUT",
              "/api/v1/projects/default/secrets/hub",
              "{\"data\":{\"token\":\"canary\"}}",
              "Content-Type",
              "application/json");
      assertThat(secret.status()).as(secret.body()).isIn(200, 201);
      await()
          .atMost(PATIENCE)
          .until(() ->
              checks(http).stream()
                  .anyMatch(check -> check.get("found").asString().matches("the newest [1-9].*")));
      return http.get("/api/v1/installation").json().get("id").asString();
    } finally {
      other.end();
    }
  }

  /**
   * After an operator's confirmation the process runs, and reports each part of another
   * installation.
   */
  private static void namesWhatDoesNotFit(Http http) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(checks(http))
                .anySatisfy(check ->
                    named(check, "secrets", "keys", "that this process does not", "restore"))
                .anySatisfy(check ->
                    named(
                        check,
                        "logs",
                        "store",
                        "but this installation is",
                        "that of this installation")));
  }

  private static void named(
      JsonNode check, String area, String subject, String found, String next) {
    assertThat(check.get("area").asString()).isEqualTo(area);
    assertThat(check.get("subject").asString()).isEqualTo(subject);
    assertThat(check.get("found").asString()).contains(found);
    assertThat(check.get("next").asString()).contains(next);
  }

  private static List<JsonNode> checks(Http http) {
    return List.copyOf(http.get("/api/v1/checks").json().get("items").values());
  }

  /** With the key file and the logs of that name. */
  private RunningFairlead start(EmbeddedDatabase database, String key, String raiseFrom) {
    return RunningFairlead.startBehind(
        database,
        database.url(),
        "--fairlead.key-file=" + folder.resolve(key),
        "--fairlead.logs.directory=" + folder.resolve("logs-of-" + key),
        RAISE + raiseFrom);
  }

  private static String state(EmbeddedDatabase database) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(database.url(), database.user(), database.password());
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(STATE)) {
      row.next();
      return row.getString(1);
    }
  }
}
