package dev.fairlead.people.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Valid ranges and their content. */
class EgressCidrTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "10.0.0.0",
        "10.0.0.0/",
        "10.0.0.0/33",
        "10.0.0.1/8",
        "10.0.0/8",
        "010.0.0.0/8",
        "256.0.0.0/8",
        "10.0.0.0/08",
        "example.com/8",
        "::/129",
        "2001:db8::1/64",
        "1::2::/32",
        "1:2:3:4:5:6:7/112",
        "12345::/16",
        "10.0.0.0/8 ",
        "::ffff:10.0.0.0/104"
      })
  void invalidCidrIsRejected(String text) {
    assertThat(EgressCidr.parse(text)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "0.0.0.0/0,169.254.169.254/32,true",
    "10.0.0.0/8,10.255.255.255/32,true",
    "10.0.0.0/8,11.0.0.0/32,false",
    "10.0.0.0/16,10.0.0.0/8,false",
    "192.0.2.1/32,192.0.2.1/32,true",
    "::/0,10.0.0.0/8,false",
    "::/0,fd00:ec2::254/128,true",
    "fd00::/8,fd00:ec2::254/128,true",
    "2001:db8:0:0:0:0:0:0/32,2001:db8::/33,true",
    "2001:db8::/32,2001:db9::/32,false"
  })
  void rangeContainsAddressesWithItsPrefix(String range, String other, boolean holds) {
    assertThat(EgressCidr.parse(range).orElseThrow().holds(EgressCidr.parse(other).orElseThrow()))
        .isEqualTo(holds);
  }
}
