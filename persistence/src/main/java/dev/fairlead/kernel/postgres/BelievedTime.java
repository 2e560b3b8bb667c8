package dev.fairlead.kernel.postgres;

import java.time.Instant;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The clock of the database, limited by the clock of this machine and the last usage sample ({@code
 * fairlead_latest}). After a forward step of hours this time is wrong by at most two minutes.
 */
@Component
public class BelievedTime {
  private static final SqlFile NOW = SqlFile.named("clock/now");
  private final JdbcClient jdbc;
  private final InstantSource host;

  BelievedTime(JdbcClient jdbc, InstantSource host) {
    this.jdbc = jdbc;
    this.host = host;
  }

  /** Returns the current time, in the caller's transaction if one is open. */
  public Instant now() {
    return jdbc.sql(NOW.text())
        .param("host", hostMillis())
        .query(OffsetDateTime.class)
        .single()
        .toInstant();
  }

  /** Returns the time in milliseconds since 1970. */
  public long nowMillis() {
    return now().toEpochMilli();
  }

  /** The clock of this machine, for statements that call {@code fairlead_latest}. */
  public long hostMillis() {
    return host.millis();
  }
}
