package dev.fairlead.verify.engine.timelapse.trace;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Policies by which queues share the cluster. */
public enum Sharing {
  /** Each queue has separate nodes. */
  PRIVATE,
  /** One cluster, each queue up to its nominal quota. */
  QUOTA,
  /** One cluster, idle quota is borrowed and not reclaimed. */
  BORROW,
  /** One cluster, idle quota is borrowed and reclaimed when its owner needs it. */
  RECLAIM;

  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  static List<String> texts() {
    return Arrays.stream(values()).map(Sharing::text).toList();
  }
}
