package dev.fairlead.kernel.overload;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OverloadConfigurationTest {
  @Test
  void connectionPoolCoversRequestsAndCallerLookups() {
    assertThat(OverloadConfiguration.shortage(12, 20)).isNull();
    assertThat(OverloadConfiguration.shortage(13, 20))
        .contains("21 database connections", "pool has 20")
        .contains("Raise spring.datasource.hikari.maximum-pool-size to 21");
  }
}
