package dev.fairlead.kernel.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.assertj.core.api.SoftAssertions;

/**
 * A transition table in text form, one line per state: {@code STATE: EVENT -> NEXT, EVENT -> NEXT}.
 * A state without arrows is terminal, and a missing pair is refused.
 */
public final class ExpectedTable {
  private final Map<String, Map<String, String>> rows = new TreeMap<>();

  private ExpectedTable() {}

  public static ExpectedTable of(String text) {
    ExpectedTable table = new ExpectedTable();
    for (String line : text.strip().lines().toList()) {
      String[] stateAndArrows = line.split(":", 2);
      Map<String, String> row = new TreeMap<>();
      for (String arrow : stateAndArrows[1].split(",")) {
        String[] ends = arrow.split("->");
        if (ends.length == 2) {
          row.put(ends[0].strip(), ends[1].strip());
        }
      }
      table.rows.put(stateAndArrows[0].strip(), row);
    }
    return table;
  }

  /** Every state with every event. */
  public <S extends Enum<S>, E extends Enum<E>> void assertSameAs(TransitionTable<S, E> table) {
    assertThat(rows.keySet()).containsExactlyInAnyOrderElementsOf(names(table.states()));
    SoftAssertions softly = new SoftAssertions();
    for (S state : table.states()) {
      for (E event : table.events()) {
        Optional<String> expected = Optional.ofNullable(rows.get(state.name()).get(event.name()));
        softly
            .assertThat(table.next(state, event).map(Enum::name))
            .as("%s on %s", state, event)
            .isEqualTo(expected);
      }
      softly
          .assertThat(table.terminal(state))
          .as("%s is terminal", state)
          .isEqualTo(rows.get(state.name()).isEmpty());
    }
    softly.assertAll();
  }

  private static Iterable<String> names(Enum<?>[] values) {
    return Arrays.stream(values).map(Enum::name).toList();
  }
}
