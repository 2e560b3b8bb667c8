package dev.fairlead.cluster.postgres;

import dev.fairlead.node.Cron;
import dev.fairlead.node.Overrun;
import dev.fairlead.node.PoolWindows;
import dev.fairlead.node.RecurringWindow;
import dev.fairlead.postgres.Json;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Windows of a pool as a column has them: {@code jsonb}, null for none. */
record WindowsText(List<Window> windows, long leadSeconds, String overrun, long extensionSeconds) {
  record Window(String cron, long minutes, String zone) {
    static Window of(RecurringWindow window) {
      return new Window(window.cron().text(), window.duration().toMinutes(), window.zone().getId());
    }

    RecurringWindow window() {
      return new RecurringWindow(Cron.parse(cron), Duration.ofMinutes(minutes), ZoneId.of(zone));
    }
  }

  static @Nullable String of(PoolWindows windows) {
    return windows.always()
        ? null
        : Json.write(
            new WindowsText(
                windows.windows().stream().map(Window::of).toList(),
                windows.lead().toSeconds(),
                windows.overrun().name(),
                windows.extension().toSeconds()));
  }

  static PoolWindows read(@Nullable String text) {
    WindowsText read = Json.readOrNull(text, WindowsText.class);
    return read == null
        ? PoolWindows.NONE
        : new PoolWindows(
            read.windows().stream().map(Window::window).toList(),
            Duration.ofSeconds(read.leadSeconds()),
            Overrun.valueOf(read.overrun()),
            Duration.ofSeconds(read.extensionSeconds()));
  }
}
