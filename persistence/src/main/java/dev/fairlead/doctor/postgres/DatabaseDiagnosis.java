package dev.fairlead.doctor.postgres;

import dev.fairlead.doctor.Check;
import dev.fairlead.doctor.Diagnosis;
import dev.fairlead.lease.Durability;
import dev.fairlead.postgres.DirectConnection;
import dev.fairlead.postgres.SqlFile;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.stereotype.Component;

/** The database as its login sees it, over a connection of its own. */
@Component
class DatabaseDiagnosis implements Diagnosis {
  private static final SqlFile DATABASE = SqlFile.named("doctor/database");
  private static final int ANSWER_SECONDS = 5;
  private static final int OLDEST = 170_000;
  private static final int NEWER = 190_000;
  private static final int MAJOR = 10_000;
  private static final Duration APART = Duration.ofSeconds(2);
  private static final double NEARLY_ALL = 0.9;

  private final JdbcConnectionDetails database;
  private final Durability durability;
  private final InstantSource clock;

  DatabaseDiagnosis(JdbcConnectionDetails database, Durability durability, InstantSource clock) {
    this.database = database;
    this.durability = durability;
    this.clock = clock;
  }

  /** One row of the statement; texts are null where there is nothing to name. */
  record Facts(
      int version,
      Duration apart,
      long used,
      long most,
      @Nullable String failed,
      @Nullable String migrated,
      @Nullable String missing,
      @Nullable String unbound) {}

  @Override
  public String area() {
    return "database";
  }

  @Override
  public List<Check> look() {
    Facts facts = facts();
    return List.of(
        version(facts), durable(), room(facts), roles(facts), migrations(facts), clocks(facts));
  }

  private Facts facts() {
    try (Connection connection =
            DirectConnection.open(database, "fairlead-doctor", ANSWER_SECONDS);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(DATABASE.text())) {
      row.next();
      return new Facts(
          row.getInt("version"),
          Duration.ofMillis(Math.abs(clock.millis() - row.getLong("millis"))),
          row.getLong("used"),
          row.getLong("most"),
          row.getString("failed"),
          row.getString("migrated"),
          row.getString("missing"),
          row.getString("unbound"));
    } catch (SQLException away) {
      throw new IllegalStateException(
          "the login cannot ask the database: " + away.getMessage(), away);
    }
  }

  private Check version(Facts facts) {
    String found = "PostgreSQL " + facts.version() / MAJOR + "." + facts.version() % MAJOR;
    return facts.version() < OLDEST || facts.version() >= NEWER
        ? Check.problem(area(), "version", found, "Use PostgreSQL 17 or 18.")
        : Check.ok(area(), "version", found);
  }

  private Check durable() {
    String warning = durability.warning();
    return warning == null
        ? Check.ok(area(), "durability", "acknowledged work outlives its machine")
        : Check.warning(area(), "durability", warning, "Set it as named, see docs/database.md.");
  }

  private Check room(Facts facts) {
    String found = facts.used() + " of " + facts.most() + " connections are in use";
    return facts.used() > facts.most() * NEARLY_ALL
        ? Check.warning(
            area(),
            "connections",
            found,
            "Raise max_connections: each process of Fairlead uses up to 26.")
        : Check.ok(area(), "connections", found);
  }

  static Check roles(Facts facts) {
    if (facts.missing() != null) {
      return Check.problem(
          "roles",
          "all",
          facts.missing() + " is missing",
          "Make it and grant it to the login, as docs/database.md says.");
    }
    return facts.unbound() == null
        ? Check.ok("roles", "all", "row-level security binds them")
        : Check.problem(
            "roles",
            "all",
            "row-level security does not bind " + facts.unbound(),
            "ALTER ROLE " + facts.unbound() + " NOSUPERUSER NOBYPASSRLS");
  }

  static Check migrations(Facts facts) {
    return facts.failed() == null
        ? Check.ok("migrations", "schema", "at V" + facts.migrated())
        : Check.problem(
            "migrations",
            "schema",
            "V" + facts.failed() + " failed half-way",
            "See the log of the process that ran it; remove what it left and its row in"
                + " flyway_schema_history, then start a process.");
  }

  static Check clocks(Facts facts) {
    String found = facts.apart().toMillis() + " ms between this process and the database";
    return facts.apart().compareTo(APART) > 0
        ? Check.warning(
            "clocks",
            "database",
            found,
            "Repair the time service of the machine that is wrong. No decision rests on it, but"
                + " ages and logs do.")
        : Check.ok("clocks", "database", found);
  }
}
