package dev.fairlead.people.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.window.Cron;
import dev.fairlead.fleet.node.window.RecurringWindow;
import dev.fairlead.fleet.quota.LimitWindow;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Documents of the configuration history, read again. */
class StateDocumentTest {
  private enum Kind {
    SMALL,
    LARGE
  }

  private record Id(UUID value) {}

  private record Part(long amount, @Nullable Integer most) {}

  private record State(
      Id id,
      String name,
      Kind kind,
      @Nullable String note,
      @Nullable Duration lasts,
      Instant at,
      ZoneId zone,
      BigInteger money,
      List<Part> parts,
      SortedMap<Kind, Long> amounts,
      SortedMap<String, String> labels,
      boolean on) {}

  private static State state(@Nullable String note, List<Part> parts) {
    SortedMap<Kind, Long> amounts = new TreeMap<>();
    amounts.put(Kind.LARGE, -7L);
    return new State(
        new Id(new UUID(1, 2)),
        "a\"\\\n\u00fc",
        Kind.SMALL,
        note,
        note == null ? null : Duration.ofMinutes(90),
        Instant.parse("2030-01-01T00:00:00.123456Z"),
        ZoneId.of("Europe/Berlin"),
        BigInteger.TEN.pow(30),
        parts,
        amounts,
        new TreeMap<>(),
        true);
  }

  @Test
  void documentRoundTrips() {
    for (State state :
        List.of(state("why", List.of(new Part(3, 4), new Part(5, null))), state(null, List.of()))) {
      assertThat(StateDocument.read(StateHash.json(state), State.class)).contains(state);
    }
  }

  /** Fails when fields of another version are dropped or invented. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"amount\":1,\"later\":2}",
        "{\"amount\":1,\"most\":9999999999}",
        "{\"amount\":\"1\"}",
        "{\"most\":1}",
        "{\"amount\": 1}",
        "{\"amount\":1.5}",
        "{\"amount\":1",
        "{\"amount\":1}}",
        "[1]",
        "null",
        ""
      })
  void documentOfAnotherVersionIsRejected(String text) {
    assertThat(StateDocument.read(text, Part.class)).isEmpty();
  }

  /**
   * Fails when a change of windows of a quota limit, or one from before windows, is not reverted.
   */
  @Test
  void limitsWithAndWithoutWindowsAreRead() {
    RecurringWindow nights =
        RecurringWindow.of(
            Cron.parse("0 22 * * *"), Duration.ofHours(8), RecurringWindow.zone("Europe/Berlin"));
    Flavor flavor = new Flavor("H100", CapacityType.RESERVED);
    QuotaLimit plain = new QuotaLimit(flavor, "gpu", 32L, null, null);
    QuotaLimit timed =
        new QuotaLimit(
            flavor, "gpu", 32L, null, null, List.of(new LimitWindow(nights, 64L, null)), null);

    assertThat(StateDocument.read(StateHash.json(timed), QuotaLimit.class)).contains(timed);
    assertThat(StateHash.json(plain)).doesNotContain("windows");
    assertThat(StateDocument.read(StateHash.json(plain), QuotaLimit.class)).contains(plain);
  }
}
