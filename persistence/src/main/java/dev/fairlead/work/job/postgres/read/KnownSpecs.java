package dev.fairlead.work.job.postgres.read;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.work.spec.JobSpec;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Parsed specs of recently read jobs. A job is read at each step of its life, and its spec is most
 * of the row. The statement returns a spec only if the stored one differs, so no entry becomes
 * outdated. This also holds after a restore: a patch that was lost and repeated has another time.
 */
final class KnownSpecs {
  /**
   * A spec with the version and the time of the patch that wrote it, -1 and an empty text if no
   * spec is known.
   */
  private record Known(long version, String patched, int length, @Nullable JobSpec spec) {
    static final Known NOTHING = new Known(-1, "", 0, null);
  }

  private final Recent<JobId, Known> recent;

  KnownSpecs(long mostCharacters) {
    recent = new Recent<>(mostCharacters);
  }

  /** Specs of these jobs that are known at the beginning of a statement. */
  Parameters of(Collection<JobId> ids) {
    SortedMap<JobId, Known> known = new TreeMap<>();
    for (JobId id : ids) {
      known.put(id, Objects.requireNonNullElse(recent.get(id), Known.NOTHING));
    }
    return new Parameters(known);
  }

  /** Parameters of {@code job/find-stored-jobs}, and the specs of its rows. */
  final class Parameters {
    private final SortedMap<JobId, Known> known;

    private Parameters(SortedMap<JobId, Known> known) {
      this.known = known;
    }

    Collection<JobId> ids() {
      return known.keySet();
    }

    /** A PostgreSQL array. */
    String versions() {
      return array(known.values().stream().map(each -> Long.toString(each.version())).toList());
    }

    /** A PostgreSQL array. Times have no quotes. */
    String patched() {
      return array(known.values().stream().map(each -> '"' + each.patched() + '"').toList());
    }

    private static String array(List<String> values) {
      return values.stream().collect(Collectors.joining(",", "{", "}"));
    }

    /** The stored spec of the row. */
    JobSpec spec(ResultSet row) throws SQLException {
      JobId id = new JobId(Columns.uuid(row, "id"));
      String text = row.getString("spec");
      Known stored =
          text == null
              ? Objects.requireNonNull(known.get(id))
              : new Known(
                  row.getLong("spec_version"),
                  Columns.text(row, "patched"),
                  text.length(),
                  ReadSpecs.of(text));
      recent.put(id, stored, stored.length());
      return Objects.requireNonNull(stored.spec());
    }
  }
}
