package dev.fairlead.fleet.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Clusters on which a process may use provisioners and repairers. */
class OwnClustersTest {
  private static final Instant NOON = Instant.parse("2031-05-06T12:00:00Z");
  private final Cluster cluster = TestWorld.in(MemoryStores.empty(3)).cluster();
  private final OwnClusters own = new OwnClusters();

  private boolean counts(@Nullable Instant seen, @Nullable String trouble) {
    return own.among(List.of(cluster.moved(cluster.state(), seen, trouble, cluster.capabilities())))
        .contains(cluster.id());
  }

  /** Fails when a copied row counts that another database wrote. */
  @Test
  void clusterIsOwnedOnceSeenAfterTheFirstPass() {
    assertThat(counts(NOON, null)).isFalse();
    assertThat(counts(NOON, "the API server is slow")).isFalse();
    assertThat(counts(NOON.plusSeconds(15), "the API server is slow")).isTrue();
    assertThat(counts(NOON.plusSeconds(15), "no usable answer from it since 12:00:15")).isTrue();
  }

  /** Fails when an observation from the read-only period counts afterwards. */
  @Test
  void reportOnlyClusterIsSeenAgainAfterwards() {
    assertThat(counts(NOON, null)).isFalse();
    assertThat(counts(NOON.plusSeconds(15), null)).isTrue();
    String reported = Cluster.ONLY_REPORTED + "the cluster knows watermark 7";
    assertThat(counts(NOON.plusSeconds(30), reported)).isFalse();
    assertThat(counts(NOON.plusSeconds(30), null)).isFalse();
    assertThat(counts(NOON.plusSeconds(45), null)).isTrue();
  }

  @Test
  void countingStartsOverAfterALostLease() {
    assertThat(counts(null, null)).isFalse();
    assertThat(counts(NOON, null)).isTrue();
    own.forget();
    assertThat(counts(NOON, null)).isFalse();
  }
}
