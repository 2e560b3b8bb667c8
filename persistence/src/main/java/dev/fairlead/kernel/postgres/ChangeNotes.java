package dev.fairlead.kernel.postgres;

import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Names the rows that changed since an earlier view of the database. Triggers write the notes in
 * the changing transaction, so a note is visible exactly when its change is. To be asked inside one
 * consistent view (REPEATABLE READ): rows that the same view reads are then right for all ids that
 * it names.
 */
@Component
public class ChangeNotes {
  private static final SqlFile HORIZON = SqlFile.named("change/horizon");
  private static final SqlFile SINCE = SqlFile.named("change/notes-since");

  private final JdbcClient jdbc;

  public ChangeNotes(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** The rows that a note names. */
  public enum Kind {
    NODE,
    JOB,
    /** Everything that takes places out of use. Its notes name no row. */
    PLACE
  }

  /**
   * How far a view has come.
   *
   * @param horizon the lowest transaction that was open then; it and later ones may still commit
   * @param seen notes at or above the horizon that the view saw already
   */
  public record Position(long horizon, Set<Long> seen) {
    public Position {
      seen = Set.copyOf(seen);
    }
  }

  /**
   * @param complete false when notes since the earlier position were deleted, or when the database
   *     is an older one: then all rows have to be read
   * @param ids of rows that were inserted, updated or deleted
   */
  public record Delta(Position position, boolean complete, Set<UUID> ids) {}

  private record Horizon(long horizon, long deletedTo) {
    boolean covers(@Nullable Position earlier) {
      return earlier != null && earlier.horizon() <= horizon && deletedTo < earlier.horizon();
    }
  }

  /**
   * @param earlier null for the first look, which is never complete
   */
  public Delta since(@Nullable Position earlier, Kind kind) {
    Horizon now =
        jdbc.sql(HORIZON.text())
            .query((row, n) -> new Horizon(row.getLong("horizon"), row.getLong("deleted_to")))
            .single();
    boolean complete = now.covers(earlier);
    Position from = earlier != null && complete ? earlier : new Position(now.horizon(), Set.of());
    Set<Long> seen = new TreeSet<>();
    Set<UUID> ids = new TreeSet<>();
    jdbc.sql(SINCE.text())
        .param("horizon", from.horizon())
        .param("kind", kind.name())
        .query(row -> {
          long note = row.getLong("seq");
          seen.add(note);
          if (!from.seen().contains(note)) {
            ids.addAll(Columns.uuids(row, "ids"));
          }
        });
    return new Delta(new Position(now.horizon(), seen), complete, ids);
  }
}
