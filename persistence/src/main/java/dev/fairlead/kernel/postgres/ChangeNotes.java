package dev.fairlead.kernel.postgres;

import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Names the rows that changed since an earlier view of the database. Triggers write the notes in
 * the changing transaction, so a note is visible exactly when its change is. Callers use one
 * consistent view (REPEATABLE READ): rows read in the same view are then current for all returned
 * ids.
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
    /** Changes that take nodes or GPUs out of service. Its notes name no row. */
    PLACE
  }

  /**
   * Position of a view.
   *
   * @param horizon lowest transaction that was open at that time. It and later ones may still
   *     commit
   * @param seen notes at or above the horizon that the view already saw
   */
  public record Position(long horizon, Set<Long> seen) {
    public Position {
      seen = Set.copyOf(seen);
    }
  }

  /**
   * @param complete false if notes since the earlier position were deleted, or if the database is
   *     an older one: all rows must then be read
   * @param ids ids of rows that were inserted, updated or deleted
   */
  public record Delta(Position position, boolean complete, Set<UUID> ids) {}

  private record Horizon(long horizon, long deletedTo) {
    boolean covers(@Nullable Position earlier) {
      return earlier != null && earlier.horizon() <= horizon && deletedTo < earlier.horizon();
    }
  }

  /**
   * @param earlier null for the first call, which is never complete
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
