package dev.fairlead.placement.deserved;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SharedClaimTest {
  private final Machine one = machine("one");
  private final Machine two = machine("two");

  @Test
  void theTasksOfAClaimShareItsDevicesOnOneNode() {
    SharedClaim claim = new SharedClaim("nic", 1, 9, 0);
    assertThat(one.seat(part("a", claim))).isTrue();
    assertThat(two.seat(part("b", claim))).isFalse();
    assertThat(one.seat(part("b", claim))).isTrue();
  }

  @Test
  void theLastTaskFreesTheDevices() {
    Part first = part("a", new SharedClaim("nic", 1, 9, 0));
    assertThat(one.seat(first)).isTrue();
    assertThat(one.seat(part("b", new SharedClaim("nic", 1, 9, 0)))).isFalse();
    one.leave(first);
    assertThat(one.seat(part("b", new SharedClaim("nic", 1, 9, 0)))).isTrue();
  }

  @Test
  void usersElsewhereCountAgainstTheMost() {
    assertThat(one.seat(part("a", new SharedClaim("nic", 1, 2, 2)))).isFalse();
  }

  private static Part part(String name, SharedClaim claim) {
    return new Part(name, "", 0, new TreeMap<>(), 0, 1000, new TreeMap<>(), List.of(claim));
  }

  private static Machine machine(String name) {
    return new Machine(name, Map.of(), Map.of("nic", 1L), 0, 0, true);
  }
}
