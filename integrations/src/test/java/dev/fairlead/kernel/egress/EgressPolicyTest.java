package dev.fairlead.kernel.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EgressPolicyTest {
  private final EgressPolicy policy = new EgressPolicy(List.of(), FakeHosts.LOOKUP);

  @ParameterizedTest
  @ValueSource(
      strings = {"93.184.216.34", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:2800:220:1::1"})
  void publicAddressesAreAllowed(String literal) {
    assertThat(policy.allows(InetAddress.ofLiteral(literal))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "0.0.0.0",
        "10.0.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "168.63.129.16",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fe80::1",
        "fc00::1",
        "fd00:ec2::254",
        "ff02::1",
        "2002:a00:1::",
        "64:ff9b::a00:1",
        "::ffff:10.0.0.1",
        "2001:db8::1"
      })
  void otherAddressesAreForbidden(String literal) {
    assertThat(policy.allows(InetAddress.ofLiteral(literal))).isFalse();
  }

  @Test
  void nameWithOneForbiddenAddressIsForbidden() {
    assertThatThrownBy(() -> policy.resolve("mixed.example"))
        .isInstanceOf(EgressPolicy.Refused.class)
        .hasMessageNotContaining("10.1.2.3");
  }

  @Test
  void allowedRangesMatchExactly() {
    EgressPolicy some =
        new EgressPolicy(EgressPolicy.cidrs("10.1.0.0/17", "fd00::/8"), FakeHosts.LOOKUP);
    assertThat(some.allows(InetAddress.ofLiteral("10.1.127.255"))).isTrue();
    assertThat(some.allows(InetAddress.ofLiteral("10.1.128.0"))).isFalse();
    assertThat(some.allows(InetAddress.ofLiteral("fd12::1"))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "localhost/8", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/x", "::/129"})
  void invalidRangeStopsTheStart(String text) {
    assertThatThrownBy(() -> Cidr.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void hostLookupHasATimeout() throws UnknownHostException {
    assertThat(HostLookup.system(Duration.ofSeconds(5).toSeconds()).addresses("127.0.0.1"))
        .containsExactly(InetAddress.ofLiteral("127.0.0.1"));
  }
}
