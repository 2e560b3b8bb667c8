package dev.fairlead.work.job.postgres;

import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.Transition.AllocationChange;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Takes licences for attempts and releases them at their end. Jobs without licences cost nothing.
 * Writers lock the licences, and then count the holdings: two attempts never share one.
 */
@Component
class LicenceLedger {
  private static final SqlFile LOCK = SqlFile.named("licence/lock-licences");
  private static final SqlFile HELD = SqlFile.named("licence/held");
  private static final SqlFile TAKE = SqlFile.named("licence/take");
  private static final SqlFile RELEASE = SqlFile.named("licence/release");

  private final Transactions transactions;
  private final JdbcClient jdbc;

  LicenceLedger(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  void apply(List<Transition> transitions) {
    List<Transition> asking =
        transitions.stream().filter(t -> !t.job().spec().licences().isEmpty()).toList();
    if (!asking.isEmpty()) {
      int _ =
          transactions.forAllTenants(() -> {
            release(asking);
            return take(asking);
          });
    }
  }

  private void release(List<Transition> asking) {
    TreeSet<UUID> ended = new TreeSet<>();
    of(asking, AllocationChange.RELEASE).forEach(t -> ended.add(Holdings.attempt(t).id().value()));
    if (!ended.isEmpty()) {
      jdbc.sql(RELEASE.text()).param("attempts", Json.ids(ended)).update();
    }
  }

  private int take(List<Transition> asking) {
    List<Transition> starting = of(asking, AllocationChange.TAKE);
    if (starting.isEmpty()) {
      return 0;
    }
    SortedSet<String> names = new TreeSet<>();
    starting.forEach(t -> names.addAll(t.job().spec().licences().keySet()));
    SortedMap<String, Long> free = amounts(LOCK, names);
    amounts(HELD, names).forEach((name, held) -> free.merge(name, -held, Long::sum));
    RowBatch rows = new RowBatch();
    for (Transition transition : starting) {
      Job job = transition.job();
      job.spec()
          .licences()
          .forEach((name, count) -> {
            if (free.merge(name, -(long) count, Long::sum) < 0) {
              throw JobWrites.refused(Guard.LICENCE, job);
            }
            rows.row()
                .set("attempt", Holdings.attempt(transition).id().value())
                .set("licence", name)
                .set("count", count);
          });
    }
    return jdbc.sql(TAKE.text()).param("rows", rows.json()).update();
  }

  private static List<Transition> of(List<Transition> asking, AllocationChange holding) {
    return asking.stream().filter(t -> t.holding() == holding).toList();
  }

  private SortedMap<String, Long> amounts(SqlFile statement, SortedSet<String> names) {
    SortedMap<String, Long> amounts = new TreeMap<>();
    jdbc.sql(statement.text())
        .param("names", Json.write(names))
        .query(LicenceLedger::amount)
        .list()
        .forEach(each -> amounts.put(each.getKey(), each.getValue()));
    return amounts;
  }

  private static Map.Entry<String, Long> amount(ResultSet row, int number) throws SQLException {
    return Map.entry(Columns.text(row, "name"), row.getLong("amount"));
  }
}
