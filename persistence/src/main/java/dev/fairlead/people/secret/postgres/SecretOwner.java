package dev.fairlead.people.secret.postgres;

import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.people.secret.ProjectSecret;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Context of a secret's encryption: its tenant, project, name and id, for its values also the
 * version.
 */
final class SecretOwner {
  private SecretOwner() {}

  static String of(ProjectSecret secret) {
    return text(
        secret.tenant().value().toString(),
        secret.project().value().toString(),
        secret.name(),
        secret.id().toString());
  }

  static String of(ResultSet row) throws SQLException {
    return text(
        Columns.text(row, "tenant"),
        Columns.text(row, "project"),
        Columns.text(row, "name"),
        Columns.text(row, "id"));
  }

  /** A name is a DNS label, so the parts are unambiguous. */
  private static String text(String tenant, String project, String name, String id) {
    return "secret/" + tenant + "/" + project + "/" + name + "/" + id;
  }

  static String content(String owner, long version) {
    return owner + "/" + version;
  }
}
