package dev.fairlead.work.workload.kubernetes;

import static dev.fairlead.work.workload.kubernetes.RealCluster.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.connection.AccountToken;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.work.workload.ClusterGateway;
import java.io.IOException;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** On a real API server, Fairlead's identity can renew only its own token. */
@OnControlPlane
class AccountTokenIT {
  private final TestCluster cluster = KubernetesCluster.shared();

  @Test
  void renewedTokenConnectsAndExpiresLater() throws IOException {
    Connection.Kubernetes first =
        (Connection.Kubernetes) RealCluster.connection(cluster.kubeconfig());
    AccountToken used = AccountToken.of(first).orElseThrow();
    Secret given;
    try (ClusterGateway gateway = RealCluster.connect(Orders.INSTALLATION, first)) {
      eventually("it is seen", () -> gateway.contact().synced());
      given = gateway.newToken(used);
      AccountToken other =
          new AccountToken("fairlead-system", "default", Instant.EPOCH, Instant.EPOCH);
      assertThatThrownBy(() -> gateway.newToken(other))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("token");
    }
    Connection.Kubernetes next = first.with(given);
    assertThat(AccountToken.of(next).orElseThrow().expiresAt()).isAfter(used.expiresAt());
    try (ClusterGateway gateway = RealCluster.connect(Orders.INSTALLATION, next)) {
      eventually("it is seen with the new one", () -> gateway.contact().synced());
    }
  }
}
