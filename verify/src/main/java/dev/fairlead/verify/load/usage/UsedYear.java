package dev.fairlead.verify.load.usage;

import dev.fairlead.launcher.EmbeddedDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A year of use that ends with the last closed hour, stored by a few statements that bypass the
 * API: intervals of use, states of GPUs, and the sums of hours by the keys of the roll-up. Twenty
 * tenants have ten projects each, and queues of fifty users each. The tenant {@code default} has a
 * quarter of the turns, with three labels: 40 grants, five customers and 18 papers. A year by all
 * three labels and by month still fits into a report. The fleet has twenty pools on five clusters,
 * three models and three capacity types. Blocks of nodes change their user together, and one in ten
 * of their periods is idle.
 */
final class UsedYear {
  static final int HOURS = 366 * 24;

  /** Labels of the tenant that the reports cover. */
  static final List<String> KEYS = List.of("grant", "paper", "customer");

  private static final long POOLS = 20;

  /** Block of nodes, its pool, and their derived values. */
  private static final String BLOCKS =
      """
      CREATE UNLOGGED TABLE bench_block AS
      SELECT b, md5('cluster ' || b % 5)::uuid AS cluster, 'pool-' || b % {pools} AS pool,
             (ARRAY['H100', 'A100', 'L40'])[1 + b % {pools} % 3] AS model,
             CASE WHEN b % {pools} < 12 THEN 'RESERVED' WHEN b % {pools} < 16 THEN 'ON_DEMAND' ELSE 'SPOT' END AS capacity
      FROM generate_series(0, {blocks} - 1) b
      """;

  /** The user of a block by time, selected by the hash of block and turn. */
  private static final String TURNS =
      """
      CREATE UNLOGGED TABLE bench_turn AS
      SELECT x.b, x.k, t.id AS tenant, md5('project ' || t.id || x.h / 100 % 10)::uuid AS project,
             md5('queue ' || t.id || x.h / 100 % 10)::uuid AS queue,
             'user-' || x.h / 100 % 10 || '-' || x.h / 1000 % 50 AS used_by, x.from_ms, x.from_ms + {length} AS to_ms
      FROM (
        SELECT b, k, abs(hashint4(b * 10007 + k)::bigint) AS h, {begin} + k * {length}::bigint + b * {length}::bigint / {blocks} AS from_ms
        FROM generate_series(0, {blocks} - 1) b CROSS JOIN generate_series(0, {turns} - 2) k
        WHERE (b + k) % 10 <> 9
      ) x
      CROSS JOIN LATERAL (
        SELECT CASE WHEN x.h % 100 < 25 THEN (SELECT id FROM tenant WHERE name = 'default')
                    ELSE md5('tenant ' || x.h % 19)::uuid END AS id) t
      """;

  private static final String INTERVALS =
      """
      INSERT INTO usage_interval (attempt, role, idx, tenant, project, queue, used_by, job, cluster, node, pool, model,
                                  capacity, gpus, milli, slices, started_ms, ended_ms)
      SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(t.k::bigint * {blocks} + t.b), 12, '0'))::uuid, 'worker', n, t.tenant,
             t.project, t.queue, t.used_by, '00000000-0000-7000-8000-000000000000', b.cluster,
             md5('node ' || t.b * {nodes} + n)::uuid, b.pool, b.model, b.capacity, '{0,1,2,3,4,5,6,7}',
             '{1000,1000,1000,1000,1000,1000,1000,1000}', '{0,0,0,0,0,0,0,0}', t.from_ms, t.to_ms
      FROM bench_turn t JOIN bench_block b ON b.b = t.b CROSS JOIN generate_series(0, {nodes} - 1) n
      ORDER BY t.k, t.b
      """;

  private static final String GPUS =
      """
      INSERT INTO gpu_interval (node, gpu, cluster, pool, model, capacity, state, kept_milli, started_ms, ended_ms)
      SELECT md5('node ' || b.b * {nodes} + n)::uuid, g, b.cluster, b.pool, b.model, b.capacity, 'FREE', 0,
             {begin} + {year} / 12 * m, {begin} + {year} / 12 * (m + 1)
      FROM generate_series(0, 11) m CROSS JOIN bench_block b CROSS JOIN generate_series(0, {nodes} - 1) n
      CROSS JOIN generate_series(0, 7) g
      """;

  private static final String HOURS_OF_USE =
      """
      INSERT INTO use_fact (kind, period, start_ms, tenant, project, queue, used_by, cluster, pool, model, capacity, amount)
      SELECT 'USE', 'HOUR', h, t.tenant, t.project, t.queue, t.used_by, b.cluster, b.pool, b.model, b.capacity,
             sum(least(t.to_ms, h + 3600000) - greatest(t.from_ms, h)) * {block}
      FROM bench_turn t JOIN bench_block b ON b.b = t.b
      CROSS JOIN generate_series(t.from_ms - t.from_ms % 3600000, t.to_ms - 1, 3600000) h
      GROUP BY 3, 4, 5, 6, 7, 8, 9, 10, 11
      ORDER BY 3, 4
      """;

  /**
   * Labels of the tenant that the reports cover: grant and customer of the user, paper of the turn.
   */
  private static final String NAMED =
      """
      INSERT INTO usage_label (tenant, from_ms, keys, named_by)
      SELECT id, {begin}, ARRAY['customer', 'grant', 'paper'], 'bench' FROM tenant WHERE name = 'default'
      """;

  private static final String LABELS =
      """
      INSERT INTO attempt_label (attempt, tenant, labels)
      SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(t.k::bigint * {blocks} + t.b), 12, '0'))::uuid, t.tenant,
             jsonb_build_object('grant', 'g-' || abs(hashtext(t.used_by)) % 40, 'paper', 'p-' || (t.b * 7 + t.k) % 18,
                                'customer', 'c-' || abs(hashtext(t.used_by)) % 40 % 5)
      FROM bench_turn t WHERE t.tenant = (SELECT id FROM tenant WHERE name = 'default')
      """;

  private static final String HOURS_OF_LABELS =
      """
      INSERT INTO use_fact (kind, period, start_ms, tenant, project, queue, used_by, pool, model, capacity, labels, amount)
      SELECT 'LABELLED', 'HOUR', h, t.tenant, t.project, t.queue, t.used_by, b.pool, b.model, b.capacity,
             jsonb_build_object('grant', 'g-' || abs(hashtext(t.used_by)) % 40, 'paper', 'p-' || (t.b * 7 + t.k) % 18,
                                'customer', 'c-' || abs(hashtext(t.used_by)) % 40 % 5),
             sum(least(t.to_ms, h + 3600000) - greatest(t.from_ms, h)) * {block}
      FROM bench_turn t JOIN bench_block b ON b.b = t.b
      CROSS JOIN generate_series(t.from_ms - t.from_ms % 3600000, t.to_ms - 1, 3600000) h
      WHERE t.tenant = (SELECT id FROM tenant WHERE name = 'default')
      GROUP BY 3, 4, 5, 6, 7, 8, 9, 10, 11
      ORDER BY 3, 4
      """;

  private static final String HOURS_OF_FLEET =
      """
      INSERT INTO use_fact (kind, period, start_ms, cluster, pool, model, capacity, detail, amount)
      SELECT 'FLEET', 'HOUR', s.h, s.cluster, s.pool, s.model, s.capacity, x.bucket, x.milli_ms
      FROM (
        SELECT h, b.cluster, b.pool, b.model, b.capacity, count(*) * {block} * 3600000 AS there,
               coalesce((SELECT sum(u.amount) FROM use_fact u
                         WHERE u.kind = 'USE' AND u.period = 'HOUR' AND u.start_ms = h AND u.pool = b.pool), 0) AS used
        FROM generate_series({begin}::bigint, {begin} + {year} - 3600000, 3600000) h CROSS JOIN bench_block b
        GROUP BY 1, 2, 3, 4, 5
      ) s
      CROSS JOIN LATERAL (VALUES ('USED', s.used), ('FREE', s.there - s.used)) AS x (bucket, milli_ms)
      """;

  private static final String SPILL =
      """
      INSERT INTO use_fact (kind, period, start_ms, tenant, model, capacity, detail, amount)
      SELECT 'SPILL', 'HOUR', u.start_ms, u.tenant, u.model, u.capacity,
             CASE u.model WHEN 'L40' THEN 'FULL' ELSE 'FREE_IN_CLUSTER' END, sum(u.amount)
      FROM use_fact u WHERE u.kind = 'USE' AND u.capacity <> 'RESERVED' GROUP BY 3, 4, 5, 6, 7
      """;

  private static final String RESERVED =
      """
      INSERT INTO use_fact (kind, period, start_ms, model, detail, amount)
      SELECT 'RESERVED', 'HOUR', start_ms, model, detail, sum(amount) FROM use_fact
      WHERE kind = 'FLEET' AND capacity = 'RESERVED' GROUP BY 3, 4, 5
      """;

  private final EmbeddedDatabase database;

  UsedYear(EmbeddedDatabase database) {
    this.database = database;
  }

  /**
   * Stored rows.
   *
   * @param hours hours of use by key, over the year
   * @param own labels of the tenant that the reports cover
   */
  record Stored(long intervals, long hours, long own) {}

  /** Stores the year, to be called while the accounting loops are held. */
  Stored store(UsageSize size) throws SQLException {
    try (Connection connection = BlockedLoops.connect(database);
        Statement statement = connection.createStatement()) {
      statement.execute("SET session_replication_role = replica");
      statement.execute("SET work_mem = '512MB'");
      statement.execute("SET maintenance_work_mem = '512MB'");
      long end = number(statement, "SELECT open_ms FROM usage_watermark");
      SortedMap<String, Long> sizes = sizes(size, end);
      statement.execute(filled(BLOCKS, sizes));
      statement.execute(filled(TURNS, sizes));
      statement.execute("ANALYZE bench_turn, bench_block");
      List<String> indexes = dropIndexes(statement);
      statement.execute(filled(INTERVALS, sizes));
      statement.execute(filled(GPUS, sizes));
      statement.execute(filled(HOURS_OF_USE, sizes));
      for (String labels : List.of(NAMED, LABELS, HOURS_OF_LABELS)) {
        statement.execute(filled(labels, sizes));
      }
      for (String index : indexes) {
        statement.execute(index);
      }
      statement.execute("ANALYZE use_fact");
      statement.execute(filled(HOURS_OF_FLEET, sizes));
      statement.execute(SPILL);
      statement.execute(RESERVED);
      statement.execute("DROP TABLE bench_turn, bench_block");
      statement.execute("VACUUM (ANALYZE) usage_interval, attempt_label, gpu_interval, use_fact");
      statement.execute("CHECKPOINT");
      return new Stored(
          number(statement, "SELECT count(*) FROM usage_interval"),
          number(statement, "SELECT count(*) FROM use_fact WHERE kind = 'USE' AND period = 'HOUR'"),
          number(
              statement,
              "SELECT count(*) FROM use_fact WHERE kind = 'USE' AND period = 'HOUR' AND tenant = (SELECT id FROM tenant WHERE name ="
                  + " 'default')"));
    }
  }

  private static SortedMap<String, Long> sizes(UsageSize size, long end) {
    long year = HOURS * 3_600_000L;
    SortedMap<String, Long> sizes = new TreeMap<>();
    sizes.put("pools", POOLS);
    sizes.put("blocks", (long) size.blocks());
    sizes.put("turns", (long) size.turns());
    sizes.put("length", year / size.turns());
    sizes.put("begin", end - year);
    sizes.put("year", year);
    sizes.put("nodes", (long) UsageSize.NODES_OF_BLOCK);
    sizes.put("block", UsageSize.NODES_OF_BLOCK * UsageSize.GPUS_OF_NODE * 1000L);
    return sizes;
  }

  /** Replaces names in braces by numbers. */
  private static String filled(String statement, SortedMap<String, Long> sizes) {
    String text = statement;
    for (Map.Entry<String, Long> each : sizes.entrySet()) {
      text = text.replace("{" + each.getKey() + "}", each.getValue().toString());
    }
    return text;
  }

  /**
   * Drops indexes, which are built once instead of changed for each row. Returns the statements
   * that create them.
   */
  private static List<String> dropIndexes(Statement statement) throws SQLException {
    List<String> build = new ArrayList<>();
    List<String> drop = new ArrayList<>();
    try (ResultSet rows =
        statement.executeQuery(
            """
            SELECT i.indexname, i.indexdef FROM pg_indexes i
            WHERE i.tablename IN ('usage_interval', 'gpu_interval', 'use_fact') AND i.indexname NOT LIKE '%_pkey'
            """)) {
      while (rows.next()) {
        drop.add("DROP INDEX " + rows.getString(1));
        build.add(rows.getString(2));
      }
    }
    for (String index : drop) {
      statement.execute(index);
    }
    return build;
  }

  private static long number(Statement statement, String query) throws SQLException {
    try (ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getLong(1);
    }
  }
}
