package dev.fairlead.kernel.keyring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.Connection;
import org.junit.jupiter.api.Test;

class SecretTest {
  @Test
  void secretDoesNotPrintItsValue() {
    Secret secret = new Secret("canary");

    assertThat(secret).hasToString("***");
    assertThat("token=" + secret).doesNotContain("canary");
    assertThat(secret.reveal()).isEqualTo("canary");
  }

  @Test
  void objectsThatContainASecretDoNotPrintIt() {
    Connection connection =
        new Connection.Kubernetes(
            "https://127.0.0.1", "ca", new Secret("canary"), null, new Secret("canary"));

    assertThat(connection.toString()).doesNotContain("canary");
  }

  @Test
  void secretsAreComparedByTheirText() {
    assertThat(new Secret("a")).isEqualTo(new Secret("a")).isNotEqualTo(new Secret("b"));
    assertThat(new Secret("a")).hasSameHashCodeAs(new Secret("a"));
  }
}
