package dev.fairlead.e2e;

import dev.fairlead.launcher.EmbeddedDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.flywaydb.core.Flyway;

/**
 * A server after all migrations. Migrations run once per JVM, and later databases are copies,
 * because migrations were a third of the cost of a start.
 */
final class MigratedDatabase {
  /** It distinguishes the objects of two installations on one control plane. */
  private static final String ANOTHER_INSTALLATION =
      """
      UPDATE installation SET id = gen_random_uuid();
      UPDATE project p
      SET namespace = left('fairlead-' || t.name || '-' || p.name, 52) || '-'
          || left(encode(sha256(convert_to(i.id || '/' || p.id, 'UTF8')), 'hex'), 10)
      FROM tenant t, installation i
      WHERE t.id = p.tenant
      """;

  private MigratedDatabase() {}

  private static final class First {
    static final EmbeddedDatabase MIGRATED = migrated();
  }

  static EmbeddedDatabase start() {
    EmbeddedDatabase copy = First.MIGRATED.copy();
    try (Connection connection =
            DriverManager.getConnection(copy.url(), copy.user(), copy.password());
        Statement statement = connection.createStatement()) {
      statement.execute(ANOTHER_INSTALLATION);
      return copy;
    } catch (SQLException e) {
      copy.close();
      throw new IllegalStateException(e);
    }
  }

  private static EmbeddedDatabase migrated() {
    EmbeddedDatabase first = EmbeddedDatabase.original();
    Flyway.configure().dataSource(first.url(), first.user(), first.password()).load().migrate();
    return first;
  }
}
