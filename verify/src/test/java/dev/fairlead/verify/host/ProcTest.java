package dev.fairlead.verify.host;

import static dev.fairlead.kernel.text.Texts.output;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ProcTest {
  private static final String STAT =
      "4242 (a (b) c) S 1 4242 4242 0 -1 4194560 19 0 0 0 120 30 7 5 20 0 1 0 100 0 0";

  /**
   * Fails when fields are counted from the first parenthesis, because names may contain
   * parentheses.
   */
  @Test
  void timesAreReadAfterANameWithParentheses() {
    assertThat(Proc.cpu(STAT)).isEqualTo(new Proc.Cpu(1_500, 120));
    assertThat(Proc.threadName(STAT)).isEqualTo("a (b) c");
  }

  @Test
  void threadsAreGroupedByTheBeginningOfTheirNames() {
    assertThat(Proc.group("loop-scheduler")).isEqualTo("scheduler");
    assertThat(Proc.group("loop-su..4a9xyz")).isEqualTo("supervisors");
    assertThat(Proc.group("loop-event-publisher")).isEqualTo("other loops");
    assertThat(Proc.group("fairlea..lation")).isEqualTo("simulated");
    assertThat(Proc.group("C2 Comp..hread0")).isEqualTo("compiler");
    assertThat(Proc.group("java")).isEqualTo("other");
  }

  @Test
  void proportionalSetSizeIsThatOfTheProcessTree() {
    List<String> rollup =
        List.of("00400000 rollup", "Rss: 9 kB", "Pss:     2048 kB", "Pss_Anon: 1 kB");

    assertThat(Proc.pssKib(rollup)).isEqualTo(2_048);
    assertThatThrownBy(() -> Proc.pssKib(List.of())).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void earlierUseIsSubtracted() {
    Cost before = new Cost(100, 50, 5, new TreeMap<>(Map.of("scheduler", 40.0)));
    Cost after =
        new Cost(400, 90, 6, new TreeMap<>(Map.of("scheduler", 140.0, "compiler", 2_000.0)));

    Cost spent = after.since(before);

    assertThat(spent.bothMillis()).isEqualTo(340);
    assertThat(spent.split()).satisfies(output("proc.cpu-seconds-services-threads", "2.0", "0.1"));
  }
}
