package dev.fairlead.people.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Input of a hash in the audit. */
class StateHashTest {
  private enum Kind {
    SMALL
  }

  private record Inner(long amount) {}

  private record State(
      String name,
      Kind kind,
      @Nullable Instant at,
      List<Inner> parts,
      Map<String, Object> labels,
      Optional<String> more,
      boolean on) {}

  private static State state(Map<String, Object> labels, List<Inner> parts, @Nullable Instant at) {
    return new State("a\"\\\n", Kind.SMALL, at, parts, labels, Optional.empty(), true);
  }

  /** Fails when the order of a map, or data that the database does not store, is in the hash. */
  @Test
  void theSameStateHasOneText() {
    Map<String, Object> labels = new LinkedHashMap<>();
    labels.put("b", 1);
    labels.put("a", "x");
    State one =
        state(labels, List.of(new Inner(3)), Instant.parse("2030-01-01T00:00:00.123456789Z"));
    assertThat(StateHash.json(one))
        .isEqualTo(
            "{\"at\":\"2030-01-01T00:00:00.123456Z\",\"kind\":\"SMALL\",\"labels\":{\"a\":\"x\",\"b\":1},"
                + "\"name\":\"a\\\"\\\\\\u000a\",\"on\":true,\"parts\":[{\"amount\":3}]}");
    assertThat(StateHash.json(state(Map.of(), List.of(), null)))
        .as("what a later version adds changes no hash until it is set")
        .isEqualTo("{\"kind\":\"SMALL\",\"name\":\"a\\\"\\\\\\u000a\",\"on\":true}");
    assertThat(StateHash.of(one))
        .matches("[0-9a-f]{64}")
        .isNotEqualTo(StateHash.of(state(labels, List.of(), null)));
  }
}
