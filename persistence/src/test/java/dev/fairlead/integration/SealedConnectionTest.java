package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.work.world.TestWorld;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Credentials of clusters are stored sealed. */
class SealedConnectionTest {
  private static final Connection CONNECTION =
      new Connection.Kubernetes(
          "https://api.example", "Y2E=", new Secret("canary-token"), null, null);

  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);

  @Test
  void theRowDoesNotShowTheToken() {
    ClusterId id = register();

    String row =
        stores
            .jdbc()
            .sql("SELECT to_jsonb(c)::text FROM cluster c WHERE id = :id")
            .param("id", id.value())
            .query(String.class)
            .single();

    assertThat(row).doesNotContain("canary-token").doesNotContain("api.example");
    assertThat(stores.inventory().connection(id)).isEqualTo(CONNECTION);
  }

  @Test
  void ciphertextOfAnotherRowCannotBeDecrypted() {
    // Fails when the cluster's id is not part of the seal.
    ClusterId one = register();
    ClusterId other = register();
    stores
        .jdbc()
        .sql(
            "UPDATE cluster SET connection = (SELECT connection FROM cluster WHERE id = :from)"
                + " WHERE id = :to")
        .param("from", one.value())
        .param("to", other.value())
        .update();

    assertThatThrownBy(() -> stores.inventory().connection(other))
        .isInstanceOf(IllegalStateException.class);
  }

  private ClusterId register() {
    return register(stores, world, CONNECTION);
  }

  static ClusterId register(PostgresInstallation stores, TestWorld world, Connection connection) {
    ClusterId id = new ClusterId(stores.ids().next());
    Cluster cluster =
        new Cluster(
            id,
            world.uniqueName("real"),
            ClusterKind.KUBERNETES,
            ClusterState.DISABLED,
            CapacityType.RESERVED,
            new TreeMap<>(),
            ClusterSettings.DEFAULT,
            Capabilities.UNOBSERVED,
            world.now(),
            null,
            null,
            1);
    stores.inventory().insert(cluster, connection);
    return id;
  }
}
