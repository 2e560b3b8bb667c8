package dev.fairlead.verify.faults.chaos;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Invariants of the database's rows: counters equal the rows they count, at most one live attempt,
 * events without a gap. Each statement returns violations.
 */
final class DatabaseInvariants {
  private static final Map<String, String> CHECKS = checks();
  private final PostgresServer server;

  DatabaseInvariants(PostgresServer server) {
    this.server = server;
  }

  /** Violations in one snapshot of the database, empty if none. */
  List<String> wrong() throws SQLException {
    List<String> wrong = new ArrayList<>();
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      for (Map.Entry<String, String> check : CHECKS.entrySet()) {
        try (ResultSet rows = statement.executeQuery(check.getValue())) {
          while (rows.next()) {
            wrong.add(check.getKey() + ": " + rows.getString(1));
          }
        }
      }
      connection.rollback();
    }
    return wrong;
  }

  private static Map<String, String> checks() {
    Map<String, String> checks = new LinkedHashMap<>();
    checks.put(
        "counters of a node differ from its live attempts",
        """
        SELECT n.name || ' gpu ' || n.allocated_gpu || ' <> ' || coalesce(m.gpu, 0)
               || ', pods ' || n.allocated_pods || ' <> ' || coalesce(m.pods, 0)
        FROM node n LEFT JOIN (
          SELECT m.node, sum(m.gpu) AS gpu, sum(m.cpu) AS cpu, sum(m.memory_mib) AS memory, sum(m.pods) AS pods
          FROM member m JOIN attempt a ON a.id = m.attempt WHERE a.live GROUP BY m.node) m ON m.node = n.id
        WHERE (n.allocated_gpu, n.allocated_cpu, n.allocated_memory_mib, n.allocated_pods)
           <> (coalesce(m.gpu, 0), coalesce(m.cpu, 0), coalesce(m.memory, 0), coalesce(m.pods, 0))
        """);
    checks.put(
        "counter of a GPU differs from its allocations",
        """
        SELECT g.node || '/' || g.idx || ' ' || g.allocated_milli || ' <> ' || coalesce(sum(x.milli), 0)
        FROM gpu_slot g LEFT JOIN allocation x ON (x.node, x.gpu) = (g.node, g.idx)
        GROUP BY g.node, g.idx HAVING g.allocated_milli <> coalesce(sum(x.milli), 0)
        """);
    checks.put(
        "an allocation without a live attempt",
        "SELECT x.attempt FROM allocation x JOIN attempt a ON a.id = x.attempt WHERE NOT a.live");
    checks.put(
        "a live attempt holds GPUs that differ from those of its members",
        """
        SELECT a.id FROM attempt a WHERE a.live AND
          (SELECT coalesce(sum(gpu), 0) FROM member WHERE attempt = a.id)
          <> (SELECT coalesce(sum(milli), 0) FROM allocation WHERE attempt = a.id)
        """);
    checks.putAll(ofQuotas());
    checks.put(
        "a budget's reservations differ from its charges",
        """
        SELECT b.name || ' ' || coalesce(u.reserved, 0) || ' <> ' || coalesce(c.reserved, 0)
        FROM budget b
        LEFT JOIN (SELECT budget, sum(reserved) AS reserved FROM budget_use GROUP BY budget) u ON u.budget = b.id
        LEFT JOIN (
          SELECT budget, sum(milli * (until_ms - since_ms)) AS reserved FROM budget_charge GROUP BY budget) c
          ON c.budget = b.id
        WHERE coalesce(u.reserved, 0) <> coalesce(c.reserved, 0)
        """);
    checks.put(
        "a charge of an attempt that is not live",
        "SELECT c.attempt FROM budget_charge c LEFT JOIN attempt a ON a.id = c.attempt WHERE a.live"
            + " IS NOT TRUE");
    checks.put(
        "two live attempts of one job",
        "SELECT job FROM attempt WHERE live GROUP BY job, element HAVING count(*) > 1");
    checks.put(
        "a job's events have a gap",
        """
        SELECT j.id || ' version ' || j.version || ', versions in events ' || count(DISTINCT e.version)
        FROM job j LEFT JOIN event e ON e.subject = j.id GROUP BY j.id HAVING count(DISTINCT e.version) <> j.version
        """);
    checks.put(
        "a job that ended has a live attempt",
        "SELECT j.id FROM job j JOIN attempt a ON a.job = j.id WHERE NOT j.active AND a.live");
    checks.put(
        "the tally of ended jobs differs from their number",
        """
        SELECT state || ' ' || sum(jobs) FROM (
          SELECT state, -1 AS jobs FROM job WHERE NOT active UNION ALL SELECT state, -1 FROM job_archive
          UNION ALL SELECT state, jobs FROM job_tally) AS both_sides
        GROUP BY state HAVING sum(jobs) <> 0
        """);
    return checks;
  }

  private static Map<String, String> ofQuotas() {
    Map<String, String> checks = new LinkedHashMap<>();
    checks.put(
        "usage of a queue differs from its live attempts",
        """
        SELECT q.name || ' ' || coalesce(u.used, 0) || ' <> ' || coalesce(m.gpu, 0)
        FROM quota_node q
        LEFT JOIN (SELECT node, sum(used) AS used FROM quota_usage WHERE resource = 'gpu' GROUP BY node) u
          ON u.node = q.id
        LEFT JOIN (
          SELECT j.queue, sum(m.gpu) AS gpu FROM member m JOIN attempt a ON a.id = m.attempt JOIN job j ON j.id = a.job
          WHERE a.live GROUP BY j.queue) m ON m.queue = q.id
        WHERE q.queue_order IS NOT NULL AND coalesce(u.used, 0) <> coalesce(m.gpu, 0)
        """);
    checks.put(
        "non-preemptible usage of a limit's node differs from the live attempts under it",
        """
        WITH RECURSIVE bearer AS (
          SELECT n.id AS queue, n.id AS node, n.parent, EXISTS (SELECT FROM quota_limit l WHERE l.node = n.id) AS limited
          FROM quota_node n WHERE n.queue_order IS NOT NULL
          UNION ALL
          SELECT b.queue, n.id, n.parent, EXISTS (SELECT FROM quota_limit l WHERE l.node = n.id)
          FROM bearer b JOIN quota_node n ON n.id = b.parent WHERE NOT b.limited)
        SELECT q.name || ' ' || coalesce(u.firm, 0) || ' <> ' || coalesce(m.gpu, 0)
        FROM quota_node q
        LEFT JOIN (SELECT node, sum(firm) AS firm FROM quota_usage WHERE resource = 'gpu' GROUP BY node) u
          ON u.node = q.id
        LEFT JOIN (
          SELECT b.node, sum(m.gpu) AS gpu FROM member m JOIN attempt a ON a.id = m.attempt JOIN job j ON j.id = a.job
          JOIN bearer b ON b.queue = j.queue AND b.limited
          WHERE a.live AND m.standing IS DISTINCT FROM 'LEFT' AND NOT (j.spec #>> '{preemption,allowed}')::boolean
          GROUP BY b.node) m ON m.node = q.id
        WHERE coalesce(u.firm, 0) <> coalesce(m.gpu, 0)
        """);
    return checks;
  }
}
