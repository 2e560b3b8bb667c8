package dev.fairlead.money.usage.postgres;

import dev.fairlead.fleet.node.CapacityLabels;
import dev.fairlead.kernel.postgres.BelievedTime;
import dev.fairlead.kernel.postgres.ChangeNotes;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.usage.GpuHistory;
import dev.fairlead.money.usage.UsageStore;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** {@link UsageStore} on PostgreSQL. Intervals of use are written by the ledger of GPUs. */
@Component
class PostgresUsageStore implements UsageStore {
  private static final SqlFile LOOK = SqlFile.named("usage/look");
  private static final SqlFile SOURCES = SqlFile.named("usage/gpu-sources");
  private static final SqlFile SPANS_DIFFER = SqlFile.named("usage/spans-differ");
  private static final SqlFile END = SqlFile.named("usage/end-spans");
  private static final SqlFile BEGIN = SqlFile.named("usage/begin-spans");
  private static final SqlFile HISTORIES = SqlFile.named("usage/gpu-histories");
  private static final SqlFile CLOSE = SqlFile.named("usage/close-hours");
  private static final SqlFile LOCK = SqlFile.named("usage/lock-hours");
  private static final String MEANINGS = meanings();
  private static final int FETCHED = 2_000;

  private final Transactions transactions;
  private final JdbcClient jdbc;
  private final BelievedTime time;
  private final ChangeNotes notes;

  /** The last sample, if it found no difference. */
  private volatile @Nullable Sample equal;

  PostgresUsageStore(
      Transactions transactions, JdbcClient jdbc, BelievedTime time, ChangeNotes notes) {
    this.transactions = transactions;
    this.jdbc = jdbc;
    this.time = time;
    this.notes = notes;
  }

  /**
   * Rows that decide about the states of GPUs and have no change notes.
   *
   * @param lookMillis time of the last sample of any process
   */
  private record Sources(long lookMillis, String hash) {}

  /**
   * A sample of the states of GPUs.
   *
   * @param last the open hour and its time. The first sample of each hour reads all GPUs
   * @param noted position in the notes of nodes and GPUs, read before the GPUs
   * @param hash hash of the other rows
   */
  private record Sample(Watermark last, ChangeNotes.Position noted, String hash) {
    /** Returns whether it is the last sample of all processes, and of this hour. */
    boolean precedes(Watermark now, Sources sources) {
      return last.nowMillis() == sources.lookMillis()
          && last.openMillis() == now.openMillis()
          && hash.equals(sources.hash());
    }
  }

  private static String meanings() {
    RowBatch rows = new RowBatch();
    for (CapacityLabels.LabelRule meaning : CapacityLabels.table()) {
      rows.row()
          .set("label", meaning.label())
          .set("value", meaning.value().equals(CapacityLabels.ANY) ? null : meaning.value())
          .set("type", meaning.type());
    }
    return rows.json();
  }

  @Override
  public Watermark look() {
    return transactions.forAllTenants(() -> {
      Sources sources =
          jdbc.sql(SOURCES.text())
              .query((row, n) -> new Sources(row.getLong("look_ms"), Columns.text(row, "hash")))
              .single();
      Watermark watermark =
          jdbc.sql(LOOK.text())
              .param("host", time.hostMillis())
              .query((row, n) -> new Watermark(row.getLong("look_ms"), row.getLong("open_ms")))
              .single();
      if (spansDiffer(watermark, sources)) {
        for (SqlFile spans : List.of(END, BEGIN)) {
          jdbc.sql(spans.text())
              .param("now", watermark.nowMillis())
              .param("meanings", MEANINGS)
              .update();
        }
      }
      return watermark;
    });
  }

  /** Reads all GPUs only after a change. A difference is not remembered: its write may fail. */
  private boolean spansDiffer(Watermark now, Sources sources) {
    Sample before = equal;
    ChangeNotes.Delta noted =
        notes.since(before == null ? null : before.noted(), ChangeNotes.Kind.NODE);
    boolean unchanged =
        before != null
            && noted.complete()
            && noted.ids().isEmpty()
            && before.precedes(now, sources);
    boolean differ = !unchanged && readDifference();
    equal = differ ? null : new Sample(now, noted.position(), sources.hash());
    return differ;
  }

  private boolean readDifference() {
    return jdbc.sql(SPANS_DIFFER.text()).param("meanings", MEANINGS).query(Boolean.class).single();
  }

  @Override
  public void gpus(long fromMillis, long toMillis, Consumer<GpuHistory> each) {
    boolean _ =
        transactions.forAllTenants(() -> {
          GpuHistoryRows rows = new GpuHistoryRows(each);
          jdbc.sql(HISTORIES.text())
              .withFetchSize(FETCHED)
              .param("from", fromMillis)
              .param("to", toMillis)
              .query(rows::take);
          rows.finish();
          return true;
        });
  }

  @Override
  public void close(long openMillis) {
    int _ =
        transactions.forAllTenants(() -> jdbc.sql(CLOSE.text()).param("open", openMillis).update());
  }

  @Override
  public long lock() {
    return transactions.forAllTenants(() -> jdbc.sql(LOCK.text()).query(Long.class).single());
  }
}
