package dev.fairlead.kernel.resources;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FlavorTest {
  @Test
  void aFlavorIsWrittenAndReadAsModelAndCapacity() {
    Flavor flavor = new Flavor("A100-80GB", CapacityType.ON_DEMAND);

    assertThat(flavor.text()).isEqualTo("A100-80GB/ON_DEMAND");
    assertThat(Flavor.parse(flavor.text())).contains(flavor);
    assertThat(Flavor.parse("vendor/card/SPOT"))
        .contains(new Flavor("vendor/card", CapacityType.SPOT));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "H100", "/SPOT", "H100/", "H100/spot", "H100/FREE"})
  void otherTextIsNotAFlavor(String text) {
    assertThat(Flavor.parse(text)).isEmpty();
  }

  @Test
  void flavorsAreOrderedByModelThenCapacity() {
    Flavor first = new Flavor("A100", CapacityType.SPOT);
    Flavor second = new Flavor("H100", CapacityType.RESERVED);
    Flavor third = new Flavor("H100", CapacityType.SPOT);

    assertThat(List.of(third, first, second).stream().sorted())
        .containsExactly(first, second, third);
  }
}
