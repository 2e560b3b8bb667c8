package dev.fairlead.fleet.quota.postgres;

import dev.fairlead.fleet.node.window.Cron;
import dev.fairlead.fleet.node.window.RecurringWindow;
import dev.fairlead.fleet.quota.LimitWindow;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.kernel.postgres.Json;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Column form of a window of a limit: {@code jsonb}, null if none. */
record LimitWindowText(
    String cron, long minutes, String zone, @Nullable Long nominal, @Nullable Long borrowingLimit) {
  private static final Logger LOG = LoggerFactory.getLogger(LimitWindowText.class);
  private static final RecurringWindow NEVER =
      new RecurringWindow(Cron.stored("0 0 30 2 *"), Duration.ofMinutes(1), ZoneOffset.UTC);
  private static final int MOST_READ = 4096;
  private static final Map<String, Known> READ = new ConcurrentHashMap<>();

  private record Known(List<LimitWindow> windows, @Nullable Duration evictLead) {}

  /** The whole column. An object, so that a later version may add fields. */
  private record Column(List<LimitWindowText> windows, @Nullable Long evictLeadSeconds) {}

  static @Nullable String of(QuotaLimit limit) {
    Duration lead = limit.evictLead();
    return limit.windows().isEmpty()
        ? null
        : Json.write(
            new Column(
                limit.windows().stream().map(LimitWindowText::of).toList(),
                lead == null ? null : lead.toSeconds()));
  }

  private static LimitWindowText of(LimitWindow each) {
    RecurringWindow window = each.window();
    return new LimitWindowText(
        window.cron().text(),
        window.duration().toMinutes(),
        window.zone().getId(),
        each.nominal(),
        each.borrowingLimit());
  }

  /**
   * The limit with its windows. If this process cannot read a window because its time zone is
   * unknown, the smallest amounts apply at all times. Other processes may know the zone.
   */
  static QuotaLimit read(QuotaLimit limit, @Nullable String text) {
    if (text == null) {
      return limit;
    }
    Known known = READ.get(text);
    if (known == null) {
      Column column = Json.read(text, Column.class);
      Long lead = column.evictLeadSeconds();
      known =
          new Known(
              column.windows().stream().map(LimitWindowText::window).toList(),
              lead == null ? null : Duration.ofSeconds(lead));
      if (READ.size() >= MOST_READ) {
        READ.clear();
      }
      READ.put(text, known);
    }
    QuotaLimit read =
        new QuotaLimit(
            limit.flavor(),
            limit.resource(),
            limit.nominal(),
            limit.borrowingLimit(),
            limit.lendingLimit(),
            known.windows(),
            known.evictLead());
    return known.windows().stream().anyMatch(each -> each.window().equals(NEVER))
        ? read.smallest()
        : read;
  }

  private LimitWindow window() {
    return new LimitWindow(recurring(), nominal, borrowingLimit);
  }

  private RecurringWindow recurring() {
    try {
      return new RecurringWindow(Cron.stored(cron), Duration.ofMinutes(minutes), ZoneId.of(zone));
    } catch (DateTimeException | IllegalArgumentException unknown) {
      LOG.error(
          "cannot read the window {} in {} of a quota limit: its smallest amounts apply at"
              + " all times",
          cron,
          zone,
          unknown);
      return NEVER;
    }
  }
}
