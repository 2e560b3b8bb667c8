package dev.fairlead.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LoopbackPortsTest {
  @Test
  void usedPortIsSkippedAndBothDiffer() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      String port = Integer.toString(taken.getLocalPort());
      LoopbackPorts ports =
          LoopbackPorts.choose(Map.of("FAIRLEAD_PORT", port, "FAIRLEAD_MANAGEMENT_PORT", port));
      assertThat(ports.api()).isGreaterThan(taken.getLocalPort());
      assertThat(ports.management()).isGreaterThan(ports.api());
    }
  }

  @Test
  void nonNumericPortIsNamed() {
    assertThatThrownBy(() -> LoopbackPorts.choose(Map.of("FAIRLEAD_PORT", "http")))
        .isInstanceOf(StartFailed.class)
        .hasMessageContaining("FAIRLEAD_PORT is \"http\"");
  }
}
