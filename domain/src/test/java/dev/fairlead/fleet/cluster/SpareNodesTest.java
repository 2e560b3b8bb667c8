package dev.fairlead.fleet.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.node.Spares;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Number of spare nodes of a pool. FaultRestartTest and PoolsIT show which ones. */
class SpareNodesTest {
  @ParameterizedTest
  @CsvSource({"1 per 32, 31, 0", "1 per 32, 64, 2", "40 per 2048, 2048, 40", "0 per 1, 9, 0"})
  void sparesAreAShareOfTheNodesRoundedDown(String text, int nodes, int spares) {
    assertThat(Spares.parse(text).orElseThrow().of(nodes)).isEqualTo(spares);
  }

  @ParameterizedTest
  @CsvSource({"2 per 1", "1 per 0", "one per 32", "1 per", "-1 per 4", "1 per 100001"})
  void invalidFractionIsRejected(String text) {
    assertThat(Spares.parse(text)).isEmpty();
  }

  @Test
  void moreSparesThanNodesAreRejected() {
    assertThatThrownBy(() -> new Spares(2, 1)).isInstanceOf(IllegalArgumentException.class);
  }
}
