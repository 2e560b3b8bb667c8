package dev.fairlead.kernel.retention.postgres;

import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Moves ended jobs to the archive: small jobs together, a large job alone and in parts. A job that
 * cannot be moved even row by row is skipped until the process restarts, so that it does not block
 * others.
 */
@Component
class JobArchive {
  private static final Logger LOG = LoggerFactory.getLogger(JobArchive.class);
  private static final SqlFile DUE = SqlFile.named("retention/due-jobs");
  private static final SqlFile WHOLE = SqlFile.named("retention/archive-jobs");
  private static final SqlFile ATTEMPTS = SqlFile.named("retention/archive-attempts");
  private static final SqlFile ELEMENTS = SqlFile.named("retention/archive-elements");

  /** Jobs are counted while they are fetched, a few more than needed. */
  private static final int FETCHED = 20;

  private static final int MOST_ASIDE = 1_000;

  private final Transactions transactions;
  private final JdbcClient jdbc;
  private final Set<UUID> aside = new LinkedHashSet<>();

  JobArchive(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  private record Due(UUID job, long rows) {}

  /** Returns 0 if no job is due. */
  int move(Duration age, int rows) {
    List<Due> due = transactions.forAllTenants(() -> due(age, rows));
    if (due.isEmpty()) {
      return 0;
    }
    Due first = due.getFirst();
    try {
      return first.rows() > rows ? piece(first.job(), rows) : whole(due);
    } catch (DataAccessException failed) {
      if (rows == 1) {
        setAside(first.job(), failed);
      }
      throw failed;
    }
  }

  /** Selects the oldest jobs that have this number of rows in total, or only the oldest job. */
  private List<Due> due(Duration age, int rows) {
    List<Due> chosen = new ArrayList<>();
    try (Stream<Due> oldest =
        jdbc
            .sql(DUE.text())
            .withFetchSize(FETCHED)
            .param("seconds", age.toSeconds())
            .param("rows", rows)
            .param("aside", Json.ids(aside))
            .query((row, n) -> new Due(row.getObject("id", UUID.class), row.getLong("rows")))
            .stream()) {
      long sum = 0;
      for (Iterator<Due> each = oldest.iterator(); each.hasNext() && sum < rows; ) {
        Due next = each.next();
        sum += next.rows();
        if (sum <= rows || chosen.isEmpty()) {
          chosen.add(next);
        }
      }
    }
    return chosen;
  }

  private int piece(UUID job, int rows) {
    return transactions.forAllTenants(() -> {
      int moved = piece(ATTEMPTS, job, rows);
      return moved > 0 ? moved : piece(ELEMENTS, job, rows);
    });
  }

  private int piece(SqlFile statement, UUID job, int rows) {
    return jdbc.sql(statement.text()).param("job", job).param("rows", rows).update();
  }

  private int whole(List<Due> due) {
    String jobs = Json.ids(due.stream().map(Due::job).toList());
    return transactions.forAllTenants(() -> jdbc.sql(WHOLE.text()).param("jobs", jobs).update());
  }

  private void setAside(UUID job, DataAccessException cause) {
    if (aside.size() < MOST_ASIDE && aside.add(job)) {
      LOG.error(
          "job {} cannot be moved to the archive, and remains unarchived until a restart: {}",
          job,
          cause.getMostSpecificCause().getMessage());
    }
  }
}
