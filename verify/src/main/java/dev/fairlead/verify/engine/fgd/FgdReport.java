package dev.fairlead.verify.engine.fgd;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.ObjectMapper;

/** The figures as lines of JSON, and compared with published ones. */
final class FgdReport {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final String OWN_ROW = "%-30s %16s %16s %16s";

  static final String OWN_HEADING =
      OWN_ROW.formatted("list, at 100 / 130 %", "default", "as-published", "best-fit");

  private FgdReport() {}

  /** One row of the lists without published figures, in percent of all GPUs. */
  static String own(List<Mean> means) {
    List<String> cells = new ArrayList<>(List.of(means.getFirst().list()));
    means.forEach(
        mean -> cells.add(percent(mean.allocatedAt100()) + " / " + percent(mean.allocatedAt130())));
    return OWN_ROW.formatted(cells.toArray());
  }

  /** One line of JSON. Allocation and fragmentation in percent of all GPUs. */
  static String line(Mean mean) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("trace", mean.list());
    fields.put("policy", mean.policy().text());
    fields.put("seeds", mean.seeds().size());
    fields.put("allocation100", rounded(mean.allocatedAt100()));
    fields.put("allocation100Deviation", rounded(mean.deviationAt100()));
    fields.put("allocation130", rounded(mean.allocatedAt130()));
    for (int i = 0; i < Run.FRAGMENTATION_AT.size(); i++) {
      fields.put("fragmentation" + Run.FRAGMENTATION_AT.get(i), rounded(mean.fragmented(i)));
    }
    fields.put("decisionsPerSecond", Math.round(mean.decisionsPerSecond()));
    return JSON.writeValueAsString(fields);
  }

  /** Default and best fit of every published list, and whether they are below it. */
  static List<String> comparison(List<Mean> means) {
    List<String> lines = new ArrayList<>();
    String row = "%-12s %-10s %10s %10s %10s %10s  %s";
    lines.add(
        row.formatted("trace", "policy", "at 100 %", "published", "at 130 %", "published", ""));
    for (Mean mean : means) {
      Double at100 = published(mean, false);
      if (at100 != null) {
        Double at130 = published(mean, true);
        lines.add(
            row.formatted(
                mean.list(),
                mean.policy().text(),
                percent(mean.allocatedAt100()),
                percent(at100),
                percent(mean.allocatedAt130()),
                at130 == null ? "-" : percent(at130),
                below(mean) ? "BELOW" : "ok"));
      }
    }
    return lines;
  }

  /** Returns whether a published figure is higher. */
  static boolean below(Mean mean) {
    Double at100 = published(mean, false);
    Double at130 = published(mean, true);
    return at100 != null && mean.allocatedAt100() < at100
        || at130 != null && mean.allocatedAt130() < at130;
  }

  private static @Nullable Double published(Mean mean, boolean at130) {
    Published published = Published.of(mean.list());
    if (published == null) {
      return null;
    }
    return switch (mean.policy()) {
      case DEFAULT -> at130 ? published.fgdAt130() : published.fgd();
      case BEST_FIT -> at130 ? null : Double.valueOf(published.bestFit());
      case AS_PUBLISHED, SPREAD, RANDOM -> null;
    };
  }

  private static String percent(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }

  private static double rounded(double percent) {
    return Math.round(percent * 100) / 100.0;
  }
}
