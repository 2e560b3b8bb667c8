package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.fleet.cluster.connection.ClusterRight;
import dev.fairlead.kernel.loop.LoopThread;
import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.launcher.LoopbackPorts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Faults planted in a running service, as reported to its operator. */
class DoctorIT {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** A row that is sealed later would be sealed with the change. */
  private static final String SEALED = " WHERE seq = (SELECT min(seq) FROM audit_link)";

  private static final int PROBLEM = 31;
  private static final int WARNING = 30;

  /** A planted error: the object that it names, its text, and the step that repairs it. */
  private record Fault(String area, String subject, String found, String next) {
    boolean in(List<JsonNode> checks) {
      return checks.stream()
          .filter(check -> check.get("area").asString().equals(area))
          .filter(check -> check.get("subject").asString().equals(subject))
          .filter(check -> !check.get("verdict").asString().equals("OK"))
          .anyMatch(check ->
              check.get("found").asString().contains(found)
                  && check.get("next").asString().contains(next));
    }
  }

  private static final List<Fault> FAULTS =
      List.of(
          new Fault("roles", "all", "fairlead_loops", "NOBYPASSRLS"),
          new Fault("migrations", "schema", "V0008 failed", "flyway_schema_history"),
          new Fault("leases", "cluster/gone", "was released", "FAIRLEAD_ROLES"),
          new Fault("partitions", "event", "room for new events", "FairleadNoRoomForEvents"),
          new Fault("backup", "archive", "could not be archived", "the disk of the archive"),
          new Fault("audit", "chain", "link ", "FairleadAuditBroken"),
          new Fault("logs", "store", "rejects writes", "Free space"),
          new Fault("loops", "dying", "its thread has ended", "Restart this process"),
          new Fault("clusters", "away", "does not answer", "FairleadClusterSilent"),
          new Fault(
              "efficiency", "well", "is not read: ", "docs/how-to/logs.md#gpu-efficiency-of-jobs"),
          new Fault("gpu-faults", "well", "is not read: ", "docs/how-to/health.md"),
          new Fault("secrets", "keys", "with keys that this process does not have", "restore"),
          new Fault("keys", "locked", "", "FAIRLEAD_KEY_FILE"),
          new Fault("fences", "locked", "could still create pods", "Apply deploy/cluster.yaml"),
          new Fault("rights", "locked", "delete pods", "resources: [pods], verbs: [delete]"),
          new Fault("isolation", "locked", "may write anywhere", "Apply deploy/cluster.yaml"));

  @TempDir private static Path folder;
  private static EmbeddedDatabase database;
  private static RunningFairlead fairlead;

  @BeforeAll
  static void start() {
    database = EmbeddedDatabase.archived();
    fairlead =
        RunningFairlead.startBehind(
            database,
            database.url(),
            "--fairlead.key-file=" + folder.resolve("key"),
            "--fairlead.logs.directory=" + folder.resolve("logs"));
  }

  @AfterAll
  static void stop() {
    fairlead.close();
  }

  private static void sql(String... statements) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(database.url(), database.user(), database.password());
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  private static List<JsonNode> checks() {
    return List.copyOf(fairlead.http().get("/api/v1/checks").json().get("items").values());
  }

  /**
   * Fails when the command line shows a fault without a name or with the wrong next step, or still
   * shows it after the repair.
   */
  @Test
  void eachFaultIsReportedWithItsStepUntilItIsRepaired() throws Exception {
    Http http = fairlead.http();
    sql("ALTER SYSTEM SET archive_command = 'true'", "SELECT pg_reload_conf()");
    http.yaml(
        "/api/v1/clusters",
        "{name: well, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 8, model: H100}]}");
    noProblem();
    await()
        .atMost(PATIENCE)
        .until(() ->
            checks().stream()
                .map(check -> check.get("found").asString())
                .anyMatch(found -> found.matches("the newest [1-9]\\d* rows are as sealed")));

    try (LoopThread dying = fairlead.run(new DyingLoop())) {
      plant(http);
      await()
          .dontCatchUncaughtExceptions()
          .atMost(PATIENCE)
          .untilAsserted(() -> {
            List<JsonNode> checks = checks();
            assertThat(FAULTS).allSatisfy(fault -> assertThat(fault.in(checks)).isTrue());
          });
      CommandLine.Ended shown = doctor();
      assertThat(shown.code()).isEqualTo(PROBLEM);
      assertThat(FAULTS)
          .allSatisfy(fault ->
              assertThat(shown.said().lines())
                  .anyMatch(line ->
                      line.startsWith(fault.area() + " " + fault.subject() + ": ")
                          && line.contains(fault.next())));
    }

    repair();
    noProblem();
    await().atMost(PATIENCE).until(() -> Set.of(0, WARNING).contains(doctor().code()));
  }

  private static CommandLine.Ended doctor() {
    return new CommandLine(folder, fairlead.http().base()).run("doctor");
  }

  /** Leases and loops of a new process take a moment. */
  private static void noProblem() {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(checks())
                .noneMatch(check -> check.get("verdict").asString().equals("PROBLEM")));
  }

  private static void plant(Http http) throws Exception {
    Http.Answer away =
        http.yaml(
            "/api/v1/clusters",
            "{name: away, connection: {server: 'https://127.0.0.1:%d', token: none, caData: %s}}"
                .formatted(LoopbackPorts.anyPort(), anyCertificate()));
    assertThat(away.status()).as(away.body()).isEqualTo(201);
    measured(
        http,
        "{\"url\":\"https://127.0.0.1:%d\",\"faults\":true}".formatted(LoopbackPorts.anyPort()));
    assertThat(http.get("/api/v1/clusters/well").json().at("/prometheus/faults").asBoolean())
        .isTrue();
    sql(
        "ALTER ROLE fairlead_loops BYPASSRLS",
        "UPDATE flyway_schema_history SET success = false WHERE version = '0008'",
        "INSERT INTO lease (name, holder, epoch, released) VALUES ('cluster/gone', 'none', 1, true)",
        "DO $$ BEGIN EXECUTE 'DROP TABLE event_d' || to_char(now() AT TIME ZONE 'UTC' + interval '1"
            + " day', 'YYYYMMDD'); END $$",
        "ALTER SYSTEM SET archive_command = 'false'",
        "SELECT pg_reload_conf()",
        "SELECT pg_switch_wal()",
        "UPDATE audit_record SET actor = actor || '!'" + SEALED,
        locked());
    Files.move(folder.resolve("logs"), folder.resolve("logs.away"));
    Files.writeString(folder.resolve("logs"), "no directory");
  }

  /**
   * Sets the address of the cluster's Prometheus. A supervisor may write the row between the two
   * requests.
   */
  private static void measured(Http http, String prometheus) {
    String well = "/api/v1/clusters/well";
    String body = "{\"prometheus\":%s}".formatted(prometheus);
    await()
        .dontCatchUncaughtExceptions()
        .atMost(PATIENCE)
        .until(
            () ->
                http.send(
                        "PATCH",
                        well,
                        body,
                        "Content-Type",
                        "application/merge-patch+json",
                        "If-Match",
                        http.get(well).header("etag"))
                    .status(),
            status -> status == 200);
  }

  private static String anyCertificate() throws GeneralSecurityException {
    TrustManagerFactory known = TrustManagerFactory.getInstance("PKIX");
    known.init((KeyStore) null);
    X509TrustManager trusted = (X509TrustManager) known.getTrustManagers()[0];
    String body =
        Base64.getMimeEncoder().encodeToString(trusted.getAcceptedIssuers()[0].getEncoded());
    String pem = "-----BEGIN CERTIFICATE-----\n" + body + "\n-----END CERTIFICATE-----\n";
    return Base64.getEncoder().encodeToString(pem.getBytes(StandardCharsets.US_ASCII));
  }

  /** A cluster without a supervisor that would determine the actual state. */
  private static String locked() {
    String known =
        """
        {"serverVersion": "v1.36", "fence": "ABSENT", "reasons": {"rights": "%s"},
         "isolation": [{"name": "scope", "state": "NOT_ENFORCED", "reason": "it may write anywhere"}]}
        """
            .formatted(ClusterRight.lacking(List.of(new ClusterRight("", "pods", "delete"))));
    return """
    INSERT INTO cluster
    SELECT (jsonb_populate_record(c, jsonb_build_object(
        'id', gen_random_uuid(), 'name', 'locked', 'kind', 'KUBERNETES', 'state', 'DISABLED',
        'capabilities', c.capabilities || '%s',
        'connection', jsonb_build_object('sealed', 'v2:lost:x:x')))).*
    FROM cluster c WHERE c.name = 'well'
    """
        .formatted(known);
  }

  private static void repair() throws SQLException, IOException {
    Files.delete(folder.resolve("logs"));
    Files.move(folder.resolve("logs.away"), folder.resolve("logs"));
    sql(
        "ALTER ROLE fairlead_loops NOBYPASSRLS",
        "UPDATE flyway_schema_history SET success = true",
        "DELETE FROM lease WHERE name = 'cluster/gone'",
        "SELECT fairlead_make_partitions()",
        "ALTER SYSTEM SET archive_command = 'true'",
        "SELECT pg_reload_conf()",
        "UPDATE audit_record SET actor = rtrim(actor, '!')" + SEALED,
        "DELETE FROM cluster WHERE name = 'locked'");
    Http http = fairlead.http();
    measured(http, "null");
    String away = "/api/v1/clusters/away";
    // A supervisor may write the row between the two requests.
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                http.send("DELETE", away, null, "If-Match", http.get(away).header("etag")).status(),
            status -> status == 200);
  }
}
