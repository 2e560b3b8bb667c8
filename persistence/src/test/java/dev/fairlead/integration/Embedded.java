package dev.fairlead.integration;

import dev.fairlead.launcher.EmbeddedDatabase;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The embedded server of this JVM, and one installation on it that suites share; both go with the
 * JVM.
 */
public final class Embedded {
  private static final AtomicInteger DATABASES = new AtomicInteger();

  private Embedded() {}

  private static final class Server {
    private static final EmbeddedDatabase RUNNING = EmbeddedDatabase.start();
  }

  private static final class Shared {
    private static final PostgresInstallation RUNNING =
        PostgresInstallation.on(server().url(), server().user(), server().password());
  }

  public static EmbeddedDatabase server() {
    return Server.RUNNING;
  }

  public static PostgresInstallation installation() {
    return Shared.RUNNING;
  }

  /** URL of a new, empty database on the server. */
  public static String newDatabase() {
    String name = "test_" + DATABASES.incrementAndGet();
    run("CREATE DATABASE " + name);
    return server().url(name);
  }

  /** As superuser, in the first database. */
  public static void run(String statement) {
    Databases.run(server().url(), server().user(), server().password(), statement);
  }
}
