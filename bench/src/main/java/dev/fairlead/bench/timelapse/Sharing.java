package dev.fairlead.bench.timelapse;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** How queues share the cluster. */
enum Sharing {
  /** Each has its part to itself: nodes of its own. */
  PRIVATE,
  /** One cluster, each up to its nominal quota. */
  QUOTA,
  /** One cluster, idle quota is borrowed and not taken back. */
  BORROW,
  /** One cluster, idle quota is borrowed and taken back when its owner needs it. */
  RECLAIM;

  String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  static List<String> texts() {
    return Arrays.stream(values()).map(Sharing::text).toList();
  }
}
