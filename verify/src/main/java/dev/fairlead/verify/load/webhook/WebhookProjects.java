package dev.fairlead.verify.load.webhook;

import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.launcher.LocalFairlead;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * Projects with a webhook each, a hundred in a tenant, and their events. Events are appended by
 * statements, because jobs that cause so many would use the whole machine: per project jobs in
 * turn, each with four events, and one event at a time.
 */
final class WebhookProjects implements AutoCloseable {
  private static final int OF_TENANT = 100;
  private static final int BATCHES_PER_SECOND = 20;
  private static final long NANOS = 1_000_000_000L;

  private static final String TARGETS =
      """
      CREATE UNLOGGED TABLE bench_target AS
      SELECT row_number() OVER (ORDER BY t.name, p.name) - 1 AS n, p.tenant, p.id AS project, p.name
      FROM project p JOIN tenant t ON t.id = p.tenant
      WHERE t.name LIKE 'bench-%' AND p.name LIKE 'portal-%'
      """;

  private static final String APPEND =
      """
      INSERT INTO event (incarnation, type, subject_kind, subject, version, actor, tenant, project, data, context)
      SELECT i.incarnation, (ARRAY['JobSubmitted', 'JobQueued', 'JobStarted', 'JobSucceeded'])[1 + r.round % 4], 'JOB',
             md5('bench ' || t.n || ' ' || r.round / 4)::uuid, 1 + r.round % 4, 'bench', t.tenant, t.project, '{}',
             jsonb_build_array('run-' || r.round / 4, 'bench', jsonb_build_array(), 0, t.name, NULL)
      FROM bench_target t CROSS JOIN installation i CROSS JOIN (SELECT CAST(? AS bigint) AS round) r
      WHERE t.n >= ? AND t.n < ?
      """;

  private final int targets;
  private final Connection connection;
  private long sent;

  private WebhookProjects(int targets, Connection connection) {
    this.targets = targets;
    this.connection = connection;
  }

  /**
   * Creates them.
   *
   * @param targets a multiple of 100
   */
  static WebhookProjects create(
      LocalFairlead fairlead, TlsIdentity identity, Receiver receiver, int targets)
      throws SQLException {
    for (int from = 0; from < targets; from += OF_TENANT) {
      String tenant = "bench-" + from / OF_TENANT;
      fairlead.api().post("/tenants", JsonNodeFactory.instance.objectNode().put("name", tenant));
      try (FairleadApi api = fairlead.api().in(tenant)) {
        for (int i = 0; i < OF_TENANT; i++) {
          portal(api, identity, receiver, tenant, "portal-" + i);
        }
      }
    }
    EmbeddedDatabase database = fairlead.database();
    Connection connection =
        DriverManager.getConnection(database.url(), database.user(), database.password());
    try (Statement statement = connection.createStatement()) {
      statement.execute(TARGETS);
    }
    return new WebhookProjects(targets, connection);
  }

  private static void portal(
      FairleadApi api, TlsIdentity identity, Receiver receiver, String tenant, String project) {
    api.post("/projects", JsonNodeFactory.instance.objectNode().put("name", project));
    String path = "/" + tenant + "/" + project;
    String secret =
        api.putYaml(
                "/webhooks/portal?project=" + project,
                "{url: \"%s\", caData: \"%s\"}"
                    .formatted(receiver.address(path), identity.caData()))
            .path("secret")
            .asString("");
    receiver.expects(path, secret);
  }

  /** Number of appended events. */
  long sent() {
    return sent;
  }

  /**
   * Appends events at the rate, in batches at equal intervals. Returns when the last is committed.
   *
   * @param rate a second, a multiple of 20
   * @return events a second
   */
  double append(int rate, Duration time) throws SQLException, InterruptedException {
    int batch = rate / BATCHES_PER_SECOND;
    long start = System.nanoTime();
    long batches = time.toSeconds() * BATCHES_PER_SECOND;
    try (PreparedStatement append = connection.prepareStatement(APPEND);
        PreparedStatement wake =
            connection.prepareStatement("SELECT pg_notify('fairlead', 'JOBS')")) {
      for (long i = 0; i < batches; i++) {
        long due = start + i * NANOS / BATCHES_PER_SECOND;
        Thread.sleep(Duration.ofNanos(Math.max(0, due - System.nanoTime())));
        append(append, batch);
        boolean _ = wake.execute();
      }
    }
    long ends = start + time.toNanos();
    Thread.sleep(Duration.ofNanos(Math.max(0, ends - System.nanoTime())));
    return batches * batch * (double) NANOS / (System.nanoTime() - start);
  }

  /** Consecutive projects, starting after those of the last batch. */
  private void append(PreparedStatement append, int count) throws SQLException {
    int left = count;
    while (left > 0) {
      long from = sent % targets;
      long to = Math.min(targets, from + left);
      append.setLong(1, sent / targets);
      append.setLong(2, from);
      append.setLong(3, to);
      int rows = append.executeUpdate();
      if (rows != to - from) {
        throw new IllegalStateException(rows + " of " + (to - from) + " events were appended");
      }
      sent += rows;
      left -= rows;
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
