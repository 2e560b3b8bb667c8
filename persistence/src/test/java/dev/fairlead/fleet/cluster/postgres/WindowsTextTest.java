package dev.fairlead.fleet.cluster.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.window.PoolWindows;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Windows as they are stored. */
class WindowsTextTest {
  private static final Instant NOW = Instant.parse("2030-01-01T12:00:00Z");

  /** Fails when a time zone written by a newer process makes every node of the pool unreadable. */
  @Test
  void windowWithAnUnknownTimeZoneNeverOpensAndBlocksNothing() {
    PoolWindows read =
        WindowsText.read(
            """
            {"windows": [{"cron": "0 22 * * *", "minutes": 480, "zone": "Europe/Bonn"}],
             "leadSeconds": 0, "leftoverPolicy": "EVICT", "extensionSeconds": 0}
            """);

    assertThat(read.always()).isFalse();
    assertThat(read.open(NOW.plus(Duration.ofHours(12)))).isFalse();
    assertThat(read.stops(NOW)).isFalse();
    assertThat(read.nextChange(NOW)).isNull();
  }
}
