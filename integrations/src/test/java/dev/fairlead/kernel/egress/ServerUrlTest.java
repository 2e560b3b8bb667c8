package dev.fairlead.kernel.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerUrlTest {
  /** Fails when 0177.0.0.1 is mistaken for 177.0.0.1: curl and libc connect to 127.0.0.1. */
  @ParameterizedTest
  @ValueSource(strings = {"0177.0.0.1", "0000127.0.0.1", "10.0.0.010", "10.00.0.1"})
  void ambiguousAddressIsRejected(String host) {
    assertThatThrownBy(() -> ServerUrl.parse("https://" + host + ":6443"))
        .isInstanceOf(ServerUrl.Refused.class)
        .hasMessageContaining("leading zero");
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "10.0.20.100", "api.example.com", "0a.example.com", "[::1]"})
  void unambiguousAddressIsAccepted(String host) throws Exception {
    assertThat(ServerUrl.parse("https://" + host + ":6443").port()).isEqualTo(6443);
  }
}
