package dev.fairlead.care.health.dcgm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Stored values of the series of GPUs. */
public abstract class SampleStoreContract {
  private ClusterId cluster;
  private String gpu;
  private Instant now;

  protected abstract Stores stores();

  private SampleStore store() {
    return stores().samples();
  }

  @BeforeEach
  void aCluster() {
    cluster = TestWorld.in(stores()).cluster().id();
    gpu = "GPU-" + cluster.text();
    now = Instant.parse("2026-03-01T12:00:00Z");
  }

  private SampleRecord sample(String uuid, String series, long value) {
    return new SampleRecord(uuid, series, value, now, now);
  }

  @Test
  void lastValueOfEachSeriesIsStored() {
    SampleRecord other = sample(gpu, "B", Long.MAX_VALUE);
    store().write(cluster, List.of(sample(gpu, "A", 1), other));
    store().write(cluster, List.of(sample(gpu, "A", 2)));

    assertThat(store().of(cluster)).containsExactlyInAnyOrder(sample(gpu, "A", 2), other);
    assertThat(store().of(TestWorld.in(stores()).cluster().id())).isEmpty();
  }

  @Test
  void valuesOfADeletedGpuAreDeleted() {
    SampleRecord kept = sample(gpu + "-kept", "A", 1);
    store().write(cluster, List.of(sample(gpu, "A", 1), sample(gpu, "B", 1), kept));
    store().forget(cluster, List.of(gpu));

    assertThat(store().of(cluster)).containsExactly(kept);
  }

  @Test
  void gpuRecentlyReportedByAnotherClusterIsElsewhere() {
    ClusterId other = TestWorld.in(stores()).cluster().id();
    store().write(cluster, List.of(sample(gpu, "A", 0)));
    Instant before = now.minusSeconds(1);

    assertThat(store().elsewhere(other, List.of(gpu, "GPU-x"), before)).containsExactly(gpu);
    assertThat(store().elsewhere(other, List.of(gpu), now)).isEmpty();
    assertThat(store().elsewhere(cluster, List.of(gpu), before)).isEmpty();
  }

  @Test
  void sampleTimeIsTheDatabaseTime() {
    Instant before = store().now();
    assertThat(store().now()).isBetween(before, before.plus(Duration.ofMinutes(1)));
  }
}
