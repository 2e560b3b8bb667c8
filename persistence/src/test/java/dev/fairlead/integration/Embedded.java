package dev.fairlead.integration;

import dev.fairlead.launcher.EmbeddedDatabase;
import java.util.concurrent.atomic.AtomicInteger;
import org.flywaydb.core.Flyway;

/**
 * The embedded server of this JVM, and one installation shared by suites. Both end with the JVM.
 */
public final class Embedded {
  private static final AtomicInteger DATABASES = new AtomicInteger();

  private Embedded() {}

  private static final class Server {
    private static final EmbeddedDatabase RUNNING = EmbeddedDatabase.start();
  }

  /** No connection to it remains open, so it can be copied. */
  private static final class Template {
    private static final String NAME = migrated();

    private static String migrated() {
      onServer("CREATE DATABASE migrated");
      migrate(server().url("migrated"), "latest");
      return "migrated";
    }
  }

  private static final class Shared {
    private static final String URL = migratedDatabase();
  }

  private static final class Installation {
    private static final PostgresInstallation RUNNING =
        PostgresInstallation.on(url(), server().user(), server().password());
  }

  public static EmbeddedDatabase server() {
    return Server.RUNNING;
  }

  public static PostgresInstallation installation() {
    return Installation.RUNNING;
  }

  /** Of the installation's database. */
  static String url() {
    return Shared.URL;
  }

  /** URL of a new, empty database on the server. */
  static String newDatabase() {
    return create("");
  }

  /** URL of a new database in which all migrations have run: a copy, as they take seconds. */
  public static String migratedDatabase() {
    return create(" TEMPLATE " + Template.NAME);
  }

  private static String create(String from) {
    String name = "test_" + DATABASES.incrementAndGet();
    onServer("CREATE DATABASE " + name + from);
    return server().url(name);
  }

  static void migrate(String url, String version) {
    int _ =
        Flyway.configure()
            .dataSource(url, server().user(), server().password())
            .target(version)
            .load()
            .migrate()
            .migrationsExecuted;
  }

  /** As superuser, in the installation's database. */
  public static void run(String statement) {
    Databases.run(url(), server().user(), server().password(), statement);
  }

  private static void onServer(String statement) {
    Databases.run(server().url(), server().user(), server().password(), statement);
  }
}
