package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.postgres.SqlFile;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** The first event since a time is found by its position, in temporary rows of one connection. */
class FirstEventSinceTest {
  /** One event every four seconds, with a pause of an hour between two earlier incarnations. */
  private static final String EVENTS =
      """
      CREATE TEMPORARY TABLE event (at timestamptz, incarnation smallint, xid xid8, seq bigint,
        PRIMARY KEY (incarnation, xid, seq, at));
      INSERT INTO event
      SELECT CAST('2026-03-01T00:00:00Z' AS timestamptz) + make_interval(secs => 4 * n - 59 * random()
               + CASE WHEN n > 3000 THEN 3600 ELSE 0 END),
             CASE WHEN n > 3000 THEN 0 ELSE -1 END, CAST(CAST(900 + n % 3000 * 7 AS text) AS xid8), 32 * n
      FROM generate_series(1, 6000) AS n;
      ANALYZE event
      """;

  private static final String SINCE = SqlFile.named("event/first-event-since").text();

  /** Without halving. */
  private static final String EXPECTED =
      "SELECT seq FROM event WHERE at >= :since ORDER BY incarnation, xid, seq LIMIT 1";

  private final SingleConnectionDataSource one =
      new SingleConnectionDataSource(
          Embedded.url(), Embedded.server().user(), Embedded.server().password(), true);
  private final JdbcClient jdbc = JdbcClient.create(one);

  @BeforeEach
  void store() {
    int _ = jdbc.sql("SELECT setseed(0.5)").query().listOfRows().size();
    for (String statement : EVENTS.split(";")) {
      int _ = jdbc.sql(statement).update();
    }
  }

  @AfterEach
  void close() {
    one.destroy();
  }

  /** Fails when a transaction that got its number late hides an event, or if incarnations mix. */
  @Test
  void eventsBeforeThePositionAreOlderThanTheTimestamp() {
    OffsetDateTime begin = OffsetDateTime.of(2026, 2, 28, 23, 50, 0, 0, ZoneOffset.UTC);
    for (int minutes = 0; minutes < 500; minutes += 3) {
      OffsetDateTime since = begin.plusMinutes(minutes);

      Optional<Long> found =
          jdbc.sql(SINCE).param("since", since).query((row, n) -> row.getLong("seq")).optional();

      assertThat(found)
          .as(since.toString())
          .isEqualTo(jdbc.sql(EXPECTED).param("since", since).query(Long.class).optional());
    }
  }

  /** Fails when it reads all events from the beginning. */
  @Test
  void fewEventsAreReadWithoutAnIndexByTime() {
    List<String> plan =
        jdbc.sql("EXPLAIN (ANALYZE, COSTS off, TIMING off) " + SINCE)
            .param("since", OffsetDateTime.of(2026, 3, 1, 6, 0, 0, 0, ZoneOffset.UTC))
            .query(String.class)
            .list();

    assertThat(String.join("\n", plan)).doesNotContain("Seq Scan on event");
    assertThat(plan)
        .filteredOn(line -> line.contains("Rows Removed by Filter"))
        .allSatisfy(
            line -> assertThat(Integer.parseInt(line.replaceAll("[^0-9]", ""))).isLessThan(100));
  }
}
