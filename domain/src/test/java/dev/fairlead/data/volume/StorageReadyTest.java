package dev.fairlead.data.volume;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class StorageReadyTest {
  private static final Instant MADE = Instant.parse("2026-03-01T12:00:00Z");
  private static final Instant THERE = MADE.plusSeconds(60);
  private static final Instant BOUND = MADE.plusSeconds(90);
  private static final Instant FROM = MADE.plusSeconds(30);
  private static final ClusterId CLUSTER = new ClusterId(new UUID(0, 9));

  private static Volume claimed(String name) {
    return Volume.claimed(
        new UUID(0, name.hashCode()),
        new TenantId(new UUID(0, 1)),
        new ProjectId(new UUID(0, 2)),
        name,
        new Volume.Request(7, null, Volume.Access.READ_WRITE_ONCE),
        true,
        new Volume.Made(MADE, "ana"));
  }

  private static Volume provisioned(String name) {
    return claimed(name).placed(CLUSTER).provisioned("uid", THERE);
  }

  private static StorageReady of(Volume... volumes) {
    TreeSet<String> names = new TreeSet<>();
    List.of(volumes).forEach(volume -> names.add(volume.name()));
    return StorageReady.of(names, List.of(volumes), cluster -> "eu-1", FROM).orElseThrow();
  }

  @Test
  void jobWithoutVolumesHasNoStorageToWaitFor() {
    assertThat(StorageReady.of(new TreeSet<>(), List.of(), cluster -> "eu-1", FROM)).isEmpty();
  }

  /** Fails when the condition omits the cluster's message, or has another time. */
  @Test
  void provisioningClaimReportsItsStartAndTheClusterMessage() {
    StorageReady waits = of(provisioned("training").saying("not bound yet, storage class fast"));

    assertThat(waits.ready()).isFalse();
    assertThat(waits.reason()).isEqualTo("STORAGE");
    assertThat(waits.since()).isEqualTo(THERE);
    assertThat(waits.message())
        .satisfies(reason("storage-ready.volume-training-being-provisioned", "training", "eu-1"));
  }

  @Test
  void missingClaimsAreReportedFirst() {
    Volume bound = provisioned("a").bound(BOUND);

    assertThat(of(bound))
        .isEqualTo(new StorageReady(true, "Bound", "volume a is bound on eu-1", BOUND));
    assertThat(of(bound.withMissingSince(THERE)))
        .isEqualTo(
            new StorageReady(false, "STORAGE", "the claim of volume a is missing on eu-1", THERE));
    assertThat(of(bound, provisioned("b")).message())
        .satisfies(reason("storage-ready.volume-being-provisioned", "b"));
    assertThat(of(bound, provisioned("b"), provisioned("c").lost("its claim is gone")))
        .isEqualTo(new StorageReady(false, "Lost", "volume c is lost: its claim is gone", FROM));
    assertThat(of(claimed("a")).message())
        .satisfies(reason("storage-ready.created-cluster-first-job"));
    assertThat(of(claimed("a").placed(CLUSTER)).message())
        .satisfies(reason("storage-ready.made", "eu-1"));
    assertThat(of(bound.ended()).reason()).isEqualTo("Deleted");
    assertThat(
            StorageReady.of(new TreeSet<>(List.of("none")), List.of(), c -> "eu-1", FROM)
                .orElseThrow()
                .reason())
        .isEqualTo("Missing");
  }
}
