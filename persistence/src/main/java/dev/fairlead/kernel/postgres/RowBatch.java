package dev.fairlead.kernel.postgres;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Rows of one set-based statement, in order. */
public final class RowBatch {
  private final List<Map<String, @Nullable Object>> rows = new ArrayList<>();

  /** Begins a row, with its index in the batch as {@code ord}. */
  public RowBatch row() {
    Map<String, @Nullable Object> row = new LinkedHashMap<>();
    row.put("ord", rows.size());
    rows.add(row);
    return this;
  }

  public RowBatch set(String column, @Nullable Object value) {
    rows.getLast().put(column, value);
    return this;
  }

  public int size() {
    return rows.size();
  }

  public boolean isEmpty() {
    return rows.isEmpty();
  }

  public String json() {
    return Json.rows(rows);
  }
}
