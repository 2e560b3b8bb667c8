package dev.fairlead.kernel.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.fairlead.integration.Embedded;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Plans cached by connections of loops. */
class PlanCacheExpiryTest {
  private static final int OFTEN = 20;
  private static final int JOBS = 4_000;

  /** For many ids, reading all of a table of this size costs less than the index. */
  private static final int FEW = 10;

  private static final List<String> BY_ID =
      List.of("job/lock-jobs", "job/lock-whole-jobs", "job/find-jobs");

  private static final String IDS =
      IntStream.range(0, FEW)
          .mapToObj(i -> new UUID(0, i).toString())
          .collect(Collectors.joining(",", "('{", "}')"));

  private final AtomicLong nanos = new AtomicLong();

  /** Fails without DISCARD PLANS: until the table is analysed, each statement reads all of it. */
  @Test
  void planForAnEmptyTableExpiresWhenTheTableGrows() {
    String url = Embedded.migratedDatabase();
    try (HikariDataSource one = oneConnection(url)) {
      JdbcClient jdbc = JdbcClient.create(new PlanCacheExpiry(one, nanos::get));
      for (String statement : BY_ID) {
        keepPlan(jdbc, statement);
      }

      ManyJobs.in(url, JOBS);
      nanos.addAndGet(PlanCacheExpiry.MOST.toNanos());

      for (String statement : BY_ID) {
        assertThat(plan(jdbc, statement))
            .as(statement)
            .contains("job_pkey")
            .doesNotContain("Seq Scan on job");
      }
    }
  }

  private static HikariDataSource oneConnection(String url) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(url);
    pool.setUsername(Embedded.server().user());
    pool.setPassword(Embedded.server().password());
    pool.setMaximumPoolSize(1);
    pool.setConnectionInitSql("SET ROLE fairlead_loops; SET plan_cache_mode = auto");
    return pool;
  }

  private static void keepPlan(JdbcClient jdbc, String statement) {
    String text = SqlFile.named(statement).text().replace(":ids", "$1");
    jdbc.sql("PREPARE " + name(statement) + " (text) AS " + text).update();
    for (int i = 0; i < OFTEN; i++) {
      jdbc.sql("EXECUTE " + name(statement) + IDS).query().listOfRows();
    }
    assertThat(
            jdbc.sql("SELECT generic_plans FROM pg_prepared_statements WHERE name = ?")
                .param(name(statement))
                .query(Long.class)
                .single())
        .as("plans of " + statement + " that were kept")
        .isPositive();
  }

  private static String plan(JdbcClient jdbc, String statement) {
    return String.join(
        "\n", jdbc.sql("EXPLAIN EXECUTE " + name(statement) + IDS).query(String.class).list());
  }

  private static String name(String statement) {
    return statement.replace('/', '_').replace('-', '_');
  }
}
