package dev.fairlead.kernel.postgres;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes columns by their Java type. Times have the server's resolution of microseconds.
 */
public final class Columns {
  private Columns() {}

  public static UUID uuid(ResultSet row, String column) throws SQLException {
    return Objects.requireNonNull(row.getObject(column, UUID.class), column);
  }

  public static @Nullable UUID uuidOrNull(ResultSet row, String column) throws SQLException {
    return row.getObject(column, UUID.class);
  }

  public static List<UUID> uuids(ResultSet row, String column) throws SQLException {
    return List.of((UUID[]) row.getArray(column).getArray());
  }

  public static String text(ResultSet row, String column) throws SQLException {
    return Objects.requireNonNull(row.getString(column), column);
  }

  public static Instant instant(ResultSet row, String column) throws SQLException {
    return Objects.requireNonNull(instantOrNull(row, column), column);
  }

  public static @Nullable Instant instantOrNull(ResultSet row, String column) throws SQLException {
    OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
    return time == null ? null : time.toInstant();
  }

  public static @Nullable Integer integerOrNull(ResultSet row, String column) throws SQLException {
    int value = row.getInt(column);
    return row.wasNull() ? null : value;
  }

  public static <E extends Enum<E>> E value(ResultSet row, String column, Class<E> type)
      throws SQLException {
    return Enum.valueOf(type, text(row, column));
  }

  public static <E extends Enum<E>> @Nullable E valueOrNull(
      ResultSet row, String column, Class<E> type) throws SQLException {
    String name = row.getString(column);
    return name == null ? null : Enum.valueOf(type, name);
  }

  /**
   * Returns the value as a parameter of a statement. The driver does not accept an {@link Instant}.
   */
  public static @Nullable OffsetDateTime parameter(@Nullable Instant time) {
    return time == null ? null : time.atOffset(ZoneOffset.UTC);
  }
}
