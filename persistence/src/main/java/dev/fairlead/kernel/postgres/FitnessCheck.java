package dev.fairlead.kernel.postgres;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.flywaydb.core.api.callback.Callback;
import org.flywaydb.core.api.callback.Context;
import org.flywaydb.core.api.callback.Event;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Checks the database before its first migration: a database that is too old would fail in the
 * middle of the migrations, with a message about an SQL statement.
 */
@Component
final class FitnessCheck implements Callback {
  private static final SqlFile FITNESS = SqlFile.named("postgres/fitness");

  /** Minimum version in the form of {@code server_version_num}. */
  private static final int OLDEST = 170_000;

  /**
   * @param version version in the form of {@code server_version_num}
   * @param named version for messages
   * @param makesTables whether the login may create tables, or they exist
   * @param makesRoles whether the login may create roles
   * @param missing missing roles, null if none
   */
  record Fitness(
      int version,
      String named,
      String database,
      String login,
      boolean makesTables,
      boolean makesRoles,
      @Nullable String missing) {
    void check() {
      if (version < OLDEST) {
        throw new UnfitDatabase(
            "The database is PostgreSQL " + named + ", which is too old for Fairlead.",
            "Use PostgreSQL 17 or 18, or upgrade this server, for example by pg_upgrade.");
      }
      if (!makesTables) {
        throw new UnfitDatabase(
            "The login " + login + " cannot create tables in the database " + database + ".",
            "As a superuser: ALTER DATABASE \""
                + database
                + "\" OWNER TO \""
                + login
                + "\". See docs/how-to/restore.md#the-database.");
      }
      if (missing != null && !makesRoles) {
        throw new UnfitDatabase(
            "The database has no roles "
                + missing
                + ", and its login "
                + login
                + " may not make any.",
            "As a superuser: ALTER ROLE \""
                + login
                + "\" CREATEROLE. Or create the roles and grant them"
                + " to it. See docs/how-to/restore.md#the-database.");
      }
    }
  }

  @Override
  public boolean supports(Event event, @Nullable Context context) {
    return event == Event.BEFORE_VALIDATE || event == Event.BEFORE_MIGRATE;
  }

  @Override
  public boolean canHandleInTransaction(Event event, Context context) {
    return true;
  }

  @Override
  public void handle(Event event, Context context) {
    try (Statement statement = context.getConnection().createStatement();
        ResultSet row = statement.executeQuery(FITNESS.text())) {
      if (row.next()) {
        new Fitness(
                row.getInt("version"),
                row.getString("named"),
                row.getString("database"),
                row.getString("login"),
                row.getBoolean("makes_tables"),
                row.getBoolean("makes_roles"),
                row.getString("missing"))
            .check();
      }
    } catch (SQLException failed) {
      throw new IllegalStateException("the login cannot query the database", failed);
    }
  }

  @Override
  public String getCallbackName() {
    return "fitness";
  }
}
