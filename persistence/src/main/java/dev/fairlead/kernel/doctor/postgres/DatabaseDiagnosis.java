package dev.fairlead.kernel.doctor.postgres;

import dev.fairlead.kernel.doctor.Diagnosis;
import dev.fairlead.kernel.doctor.DoctorCheck;
import dev.fairlead.kernel.lease.Durability;
import dev.fairlead.kernel.postgres.ConnectionCount;
import dev.fairlead.kernel.postgres.DirectConnection;
import dev.fairlead.kernel.postgres.SqlFile;
import io.soabase.recordbuilder.core.RecordBuilder;
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

/** Checks the database over a separate connection with its login. */
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
  private final ConnectionCount most;
  private final InstantSource clock;

  DatabaseDiagnosis(
      JdbcConnectionDetails database,
      Durability durability,
      ConnectionCount most,
      InstantSource clock) {
    this.database = database;
    this.durability = durability;
    this.most = most;
    this.clock = clock;
  }

  /** One row of the statement. Texts are null if they do not apply. */
  @RecordBuilder
  record Facts(
      int version,
      Duration apart,
      long used,
      long most,
      @Nullable String failed,
      @Nullable String migrated,
      @Nullable String missing,
      @Nullable String unbound,
      Archive archive) {}

  /**
   * State of the write-ahead log archive by PostgreSQL's statistics.
   *
   * @param ago time since a file was archived, null if none was
   * @param timeout archive_timeout, zero for none
   * @param failed file whose archiving failed last, if none was archived since
   */
  record Archive(boolean on, @Nullable Duration ago, Duration timeout, @Nullable String failed) {
    private static final Duration LEAST = Duration.ofMinutes(10);
    private static final int TIMES = 10;

    private boolean late() {
      Duration limit = timeout.multipliedBy(TIMES);
      return ago != null
          && !timeout.isZero()
          && ago.compareTo(limit.compareTo(LEAST) > 0 ? limit : LEAST) > 0;
    }
  }

  @Override
  public String area() {
    return "database";
  }

  @Override
  public List<DoctorCheck> look() {
    Facts facts = facts();
    return List.of(
        version(facts),
        durable(),
        room(facts),
        roles(facts),
        migrations(facts),
        clocks(facts),
        backup(facts.archive()));
  }

  private Facts facts() {
    try (Connection connection =
            DirectConnection.open(database, "fairlead-doctor", ANSWER_SECONDS);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(DATABASE.text())) {
      row.next();
      return DatabaseDiagnosisFactsBuilder.builder()
          .version(row.getInt("version"))
          .apart(Duration.ofMillis(Math.abs(clock.millis() - row.getLong("millis"))))
          .used(row.getLong("used"))
          .most(row.getLong("most"))
          .failed(row.getString("failed"))
          .migrated(row.getString("migrated"))
          .missing(row.getString("missing"))
          .unbound(row.getString("unbound"))
          .archive(archive(row))
          .build();
    } catch (SQLException away) {
      throw new IllegalStateException(
          "the login cannot query the database: " + away.getMessage(), away);
    }
  }

  private static Archive archive(ResultSet row) throws SQLException {
    long seconds = row.getLong("archived_ago");
    Duration ago = row.wasNull() ? null : Duration.ofSeconds(seconds);
    return new Archive(
        row.getBoolean("archiving"),
        ago,
        Duration.ofSeconds(row.getLong("archive_timeout")),
        row.getString("unarchived"));
  }

  private DoctorCheck version(Facts facts) {
    String found = "PostgreSQL " + facts.version() / MAJOR + "." + facts.version() % MAJOR;
    return facts.version() < OLDEST || facts.version() >= NEWER
        ? DoctorCheck.problem(area(), "version", found, "Use PostgreSQL 17 or 18.")
        : DoctorCheck.ok(area(), "version", found);
  }

  private DoctorCheck durable() {
    String warning = durability.warning();
    return warning == null
        ? DoctorCheck.ok(area(), "durability", "acknowledged work outlives its machine")
        : DoctorCheck.warning(
            area(),
            "durability",
            warning,
            "Set it as named, see docs/how-to/restore.md#the-database.");
  }

  private DoctorCheck room(Facts facts) {
    String found = facts.used() + " of " + facts.most() + " connections are in use";
    return facts.used() > facts.most() * NEARLY_ALL
        ? DoctorCheck.warning(
            area(),
            "connections",
            found,
            "Raise max_connections: each process of Fairlead uses up to " + most.all() + ".")
        : DoctorCheck.ok(area(), "connections", found);
  }

  static DoctorCheck roles(Facts facts) {
    if (facts.missing() != null) {
      return DoctorCheck.problem(
          "roles",
          "all",
          facts.missing() + " is missing",
          "Create it and grant it to the login. See docs/how-to/restore.md#the-database.");
    }
    return facts.unbound() == null
        ? DoctorCheck.ok("roles", "all", "row-level security binds them")
        : DoctorCheck.problem(
            "roles",
            "all",
            "row-level security does not bind " + facts.unbound(),
            "ALTER ROLE " + facts.unbound() + " NOSUPERUSER NOBYPASSRLS");
  }

  static DoctorCheck migrations(Facts facts) {
    return facts.failed() == null
        ? DoctorCheck.ok("migrations", "schema", "at V" + facts.migrated())
        : DoctorCheck.problem(
            "migrations",
            "schema",
            "V" + facts.failed() + " failed half-way",
            "See the log of the failed process. Remove its partial changes and its row in"
                + " flyway_schema_history, then start a process.");
  }

  static DoctorCheck clocks(Facts facts) {
    String found = facts.apart().toMillis() + " ms between this process and the database";
    return facts.apart().compareTo(APART) > 0
        ? DoctorCheck.warning(
            "clocks",
            "database",
            found,
            "Repair the time service of the machine with the wrong clock: ages and log times are"
                + " off by the same amount, and beyond two minutes the check clocks/belief reports"
                + " the blocked work.")
        : DoctorCheck.ok("clocks", "database", found);
  }

  static DoctorCheck backup(Archive archive) {
    String step =
        "See docs/how-to/restore.md: without the archive, a restore loses all changes since the"
            + " backup.";
    if (!archive.on()) {
      return DoctorCheck.warning("backup", "archive", "archive_mode is off", step);
    }
    if (archive.failed() != null) {
      return DoctorCheck.problem(
          "backup",
          "archive",
          "the write-ahead log " + archive.failed() + " could not be archived",
          "Check the PostgreSQL log and the disk of the archive: PostgreSQL retains WAL until"
              + " it is archived, so its disk fills.");
    }
    if (archive.ago() == null) {
      return DoctorCheck.warning("backup", "archive", "nothing was archived yet", step);
    }
    String found = "archived " + archive.ago().toSeconds() + " s ago";
    return archive.late()
        ? DoctorCheck.warning(
            "backup", "archive", "last " + found, "Is archive_command set? " + step)
        : DoctorCheck.ok("backup", "archive", found);
  }
}
