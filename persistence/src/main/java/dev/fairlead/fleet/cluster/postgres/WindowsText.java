package dev.fairlead.fleet.cluster.postgres;

import dev.fairlead.fleet.node.window.Cron;
import dev.fairlead.fleet.node.window.LeftoverPolicy;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.fleet.node.window.RecurringWindow;
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

/** Column form of windows of a pool: {@code jsonb}, null if none. */
record WindowsText(
    List<Window> windows, long leadSeconds, String leftoverPolicy, long extensionSeconds) {
  private static final Logger LOG = LoggerFactory.getLogger(WindowsText.class);
  private static final RecurringWindow NEVER =
      new RecurringWindow(Cron.stored("0 0 30 2 *"), Duration.ofMinutes(1), ZoneOffset.UTC);
  private static final int MOST_READ = 4096;
  private static final Map<String, PoolWindows> READ = new ConcurrentHashMap<>();

  record Window(String cron, long minutes, String zone) {
    static Window of(RecurringWindow window) {
      return new Window(window.cron().text(), window.duration().toMinutes(), window.zone().getId());
    }

    /** A window that never opens, for a time zone that this process does not know. */
    RecurringWindow window() {
      try {
        return new RecurringWindow(Cron.stored(cron), Duration.ofMinutes(minutes), ZoneId.of(zone));
      } catch (DateTimeException | IllegalArgumentException unknown) {
        LOG.error(
            "cannot read the window {} in {}: the window is ignored, and no job is stopped for it",
            cron,
            zone,
            unknown);
        return NEVER;
      }
    }
  }

  static @Nullable String of(PoolWindows windows) {
    return windows.always()
        ? null
        : Json.write(
            new WindowsText(
                windows.windows().stream().map(Window::of).toList(),
                windows.lead().toSeconds(),
                windows.leftoverPolicy().name(),
                windows.extension().toSeconds()));
  }

  /** Many nodes have the windows of few pools: each text is parsed once. */
  static PoolWindows read(@Nullable String text) {
    if (text == null) {
      return PoolWindows.NONE;
    }
    PoolWindows known = READ.get(text);
    if (known == null) {
      known = Json.read(text, WindowsText.class).read();
      if (READ.size() >= MOST_READ) {
        READ.clear();
      }
      READ.put(text, known);
    }
    return known;
  }

  /**
   * A window that this process cannot read never opens here, and does not stop jobs, because other
   * processes know when it closes.
   */
  private PoolWindows read() {
    List<RecurringWindow> read = windows.stream().map(Window::window).toList();
    return new PoolWindows(
        read,
        Duration.ofSeconds(leadSeconds),
        read.contains(NEVER) ? LeftoverPolicy.FINISH : LeftoverPolicy.valueOf(leftoverPolicy),
        Duration.ofSeconds(extensionSeconds));
  }
}
