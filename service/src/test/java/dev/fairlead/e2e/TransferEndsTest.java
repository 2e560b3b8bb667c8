package dev.fairlead.e2e;

import static dev.fairlead.kernel.text.Texts.problem;
import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.data.transfer.Transfer;
import dev.fairlead.data.transfer.TransferPhase;
import dev.fairlead.data.transfer.service.Transfers;
import dev.fairlead.data.volume.Volume;
import dev.fairlead.data.volume.VolumeState;
import dev.fairlead.data.volume.Volumes;
import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.JobControl;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Transfers whose volumes are lost, deleted, renamed or written during the transfer. */
class TransferEndsTest extends TransferJourney {
  /** Fails when a copy with the only data cannot replace its volume. */
  @Test
  void copyOfALostVolumeReplacesIt() {
    Transfer copy = copy();
    until(copy, TransferPhase.READY);
    lose("training", "us-1");

    cutOver(copy);

    assertThat(clusterOf("training")).isEqualTo("eu-1");
  }

  /** Fails when the only data are deleted, or their transfer remains permanently. */
  @Test
  void copyOfALostVolumeIsRetainedWhenItsTransferIsDropped() {
    Transfer copy = copy();
    until(copy, TransferPhase.READY);
    lose("training", "us-1");

    drop(copy);
    until(copy, TransferPhase.DROPPED);

    assertThat(now(copy).status().message()).satisfies(reason("transfer-ends.may-only-copy"));
    assertThat(volume("training-eu").state()).isEqualTo(VolumeState.BOUND);
  }

  /** Fails when a copy is stuck since its source was deleted, or deleted and forgotten. */
  @Test
  void copyOfADeletedVolumeReplacesIt() {
    Transfer copy = copy();
    until(copy, TransferPhase.READY);
    Volumes.stored(stores, volume("training").ended());
    stores.volumes().delete(volume("training"));

    cutOver("training-eu", copy);

    assertThat(clusterOf("training")).isEqualTo("eu-1");
  }

  /**
   * Fails when data that only the bucket has are dropped without force, or can never be dropped.
   */
  @Test
  void dataOnlyInTheBucketIsDroppedByForce() {
    Transfer copy = copy();
    until(copy, TransferPhase.DOWNLOADING);
    outcome = "fail";
    lose("training", "us-1");
    for (int i = 0; i < 600 && now(copy).phase() != TransferPhase.FAILED; i++) {
      pass(1);
    }
    outcome = "success";

    assertThatThrownBy(() -> drop(copy)).satisfies(problem("transfer-ends.may-only-copy"));
    drop("training", copy, true);
    until(copy, TransferPhase.DROPPED);
  }

  /** Fails when a failed copy starts from the beginning, or ends in another phase. */
  @Test
  void failedDownloadResumes() {
    Transfer copy = copy();
    assertThatThrownBy(() -> resume(copy))
        .satisfies(problem("transfer-ends.only-failed-transfer-can", "FAILED"));
    until(copy, TransferPhase.DOWNLOADING);
    outcome = "fail";
    for (int i = 0; i < 600 && now(copy).phase() != TransferPhase.FAILED; i++) {
      pass(1);
    }
    outcome = "success";
    submitted.clear();

    assertThat(resume(copy).phase()).isEqualTo(TransferPhase.DOWNLOADING);
    until(copy, TransferPhase.READY);

    assertThat(submitted)
        .extracting(name -> name.replaceAll("-.*", ""))
        .containsExactly("download", "verify", "remove");
    cutOver(copy);
    assertThat(clusterOf("training")).isEqualTo("eu-1");
    assertThat(stores.audit().entries())
        .extracting(entry -> entry.operation())
        .contains("resumeVolumeTransfer");
  }

  /** Fails when a writer that is deleted before its transfer was checked again is forgotten. */
  @Test
  void writerDeletedBetweenTwoPassesIsKnown() {
    Transfer copy = copy();
    until(copy, TransferPhase.READY);
    pass(61);
    Job writer = fairlead.until(fairlead.submit(job("writes", "1s")), JobState.SUCCEEDED);
    for (int i = 0; i < 300 && unretired(writer); i++) {
      fairlead.pass(Duration.ofSeconds(1));
    }
    assertThat(now(copy).status().writtenBy()).as("no look since").isNull();

    FairleadSubmits.control(fairlead)
        .delete(new JobControl.Order(owner(), writer.id(), null, false));

    assertThat(now(copy).status().writtenBy()).isEqualTo("writes");
    assertThatThrownBy(() -> cutOver(copy)).hasMessageContaining("writes");
  }

  private boolean unretired(Job job) {
    return fairlead.attempts(job).stream().anyMatch(attempt -> attempt.retiredAt() == null);
  }

  /** Fails when a writer that ended before its transfer was checked again is forgotten. */
  @Test
  void writerIsRememberedAfterItsJobIsDeleted() {
    Transfer copy = copy();
    until(copy, TransferPhase.READY);
    fairlead.until(fairlead.submit(job("writes", "1s")), JobState.SUCCEEDED);

    pass(70);

    assertThat(now(copy).status().writtenBy()).isEqualTo("writes");
    assertThatThrownBy(() -> cutOver(copy)).hasMessageContaining("writes");
  }

  /** Fails when two copies of one volume leave a transfer that can never end. */
  @Test
  void otherCopyOfAVolumeIsDroppedAfterACutover() {
    clusters.put("ap-1", fairlead.register("ap-1", new FleetPool(2, 8, "H100", 1, 1)));
    pass(3);
    Transfer first = copy();
    until(first, TransferPhase.READY);
    Transfer second = copy("training", "training-ap", "ap-1");
    assertThatThrownBy(() -> cutOver(first)).hasMessageContaining("mounts one of them");
    until(second, TransferPhase.READY);
    cutOver(first);

    assertThatThrownBy(() -> cutOver("training-ap", second))
        .hasMessageContaining("has been named training-eu since");
    drop("training-ap", second, false);
    until(second, TransferPhase.DROPPED);

    assertThat(now(second).status().message()).as("nothing stays").isEmpty();
    assertThat(volume("training-ap").state()).isEqualTo(VolumeState.RETAINED);
  }

  /** Fails when a copy of the database removes data that the original staged. */
  @Test
  void bucketIsUnchangedUntilAClusterOfItsVolumesIsSupervised() {
    fairlead.register("rehearsal", new FleetPool(2, 8, "H100", 1, 1));
    Transfer copy = copy();
    until(copy, TransferPhase.READY);
    clusters.values().forEach(cluster -> cluster.partition(true));
    loop.close();
    loop = loop();
    drop(copy);

    pass(300);
    assertThat(now(copy).phase()).isEqualTo(TransferPhase.DROPPING);
    assertThat(now(copy).status().message())
        .satisfies(reason("transfer-ends.nothing-removed-bucket"));

    clusters.values().forEach(cluster -> cluster.partition(false));
    until(copy, TransferPhase.DROPPED);
  }

  /** Fails when a partial copy remains as a volume because staged data could not be removed. */
  @Test
  void droppedCopyIsDeletedWhenItsRemovalIsRejected() {
    Transfer copy = copy();
    until(copy, TransferPhase.VERIFYING);
    withoutSecret();

    drop(copy);
    until(copy, TransferPhase.DROPPED);

    assertThat(now(copy).status().message())
        .satisfies(reason("transfer-ends.deleted-bucket-job-refused"));
    assertThat(volume("training-eu").state()).isEqualTo(VolumeState.RETAINED);
  }

  /** Fails when partial data remain because the end of the removal was not observed. */
  @Test
  void aDroppedCopyIsDeletedWhenItsRemovalIsArchived() {
    Transfer copy = copy();
    until(copy, TransferPhase.VERIFYING);
    drop(copy);
    JobId removal = removal(copy);
    fairlead.commands().cancel(owner(), removal);
    assertThat(stores.jobs().delete(removal)).isTrue();

    until(copy, TransferPhase.DROPPED);

    assertThat(now(copy).status().message())
        .satisfies(reason("transfer-ends.deleted-bucket-job-archived"));
    assertThat(volume("training-eu").state()).isEqualTo(VolumeState.RETAINED);
  }

  /** Fails when one of the two remaining objects hides the other. */
  @Test
  void remainingBucketDataAndCopyAreBothReported() {
    Transfer copy = copy();
    until(copy, TransferPhase.READY);
    lose("training", "us-1");
    drop(copy);
    fairlead.commands().cancel(owner(), removal(copy));

    until(copy, TransferPhase.DROPPED);

    assertThat(now(copy).status().message())
        .satisfies(reason("transfer-ends.volume-training-eu-stays", "training-eu"));
  }

  /** Fails when partial data are deleted under a job, or remain without a message. */
  @Test
  void partialCopyMountedByAJobStaysAndIsReported() {
    Transfer copy = copy();
    until(copy, TransferPhase.VERIFYING);
    fairlead.submit(Specs.job("reads").gpus(1).reads("training-eu"));

    drop(copy);
    until(copy, TransferPhase.DROPPED);

    assertThat(now(copy).status().message())
        .satisfies(reason("transfer-ends.volume-training-eu-stays-2", "training-eu"));
    assertThat(volume("training-eu").usable()).isTrue();
  }

  /** Fails when a copy that became another volume is deleted, or remains without a message. */
  @Test
  void renamedCopyStaysAndIsReported() {
    clusters.put("ap-1", fairlead.register("ap-1", new FleetPool(2, 8, "H100", 1, 1)));
    pass(3);
    Transfer copy = copy();
    until(copy, TransferPhase.READY);
    Transfer further = copy("training-eu", "training-ap", "ap-1");
    until(further, TransferPhase.READY);
    cutOver("training-eu", further);

    drop(copy);
    until(copy, TransferPhase.DROPPED);

    assertThat(now(copy).status().message())
        .satisfies(reason("transfer-ends.volume-training-ap-stays", "training-ap"));
    assertThat(volume("training-ap").state()).isEqualTo(VolumeState.BOUND);
  }

  /** Fails when a volume of the project is deleted with its import. */
  @Test
  void volumeOfADroppedImportStays() {
    Volumes.kept(stores, fairlead.project(), "images");
    Transfers.Request request = new Transfers.Request("s3://acme/x", null, "eu-1", null, "");
    Transfer imported =
        transfers.begin(owner(), fairlead.project().name(), "images", request, false);
    withoutSecret();

    drop("images", imported, false);
    until(imported, TransferPhase.DROPPED);

    assertThat(now(imported).status().message())
        .satisfies(reason("transfer-ends.staged-objects-were-deleted"));
    assertThat(volume("images").usable()).isTrue();
  }

  private void withoutSecret() {
    stores
        .secrets()
        .all(fairlead.project().tenant(), fairlead.project().id())
        .forEach(stores.secrets()::delete);
  }

  private JobId removal(Transfer dropping) {
    for (int i = 0; i < 120 && now(dropping).job() == null; i++) {
      pass(1);
    }
    return Objects.requireNonNull(now(dropping).job());
  }

  /** Fails when a partial copy counts as complete. */
  @Test
  void volumeBeingFilledIsNotCopied() {
    until(copy(), TransferPhase.VERIFYING);

    assertThatThrownBy(() -> copy("training-eu", "further", "us-1"))
        .satisfies(problem("transfer-ends.does-all-data-yet"));
  }

  /**
   * Fails when a copy begins with a claim that would wait forever, or a possible copy is refused.
   */
  @Test
  void copyIntoAMissingStorageClassIsRejected() {
    assertThat(copyIn("fast").target().name()).as("classes are not known").isEqualTo("in-fast");

    classes("eu-1", "slow", "standard");
    assertThatThrownBy(() -> copyIn("gone"))
        .satisfies(problem("transfer-ends.cluster-storage-class-gone", "eu-1", "gone"));
    assertThat(stores.volumes().all(fairlead.project().tenant(), fairlead.project().id()))
        .extracting(Volume::name)
        .doesNotContain("in-gone");
    assertThat(copyIn("slow").target().name()).isEqualTo("in-slow");
  }

  /** Fails when data are imported into a volume whose claim stays pending forever. */
  @Test
  void importIntoAMissingStorageClassIsRejected() {
    Volume any = Volumes.claimed(stores, fairlead.project(), "images", true);
    stores
        .volumes()
        .insert(
            Volume.claimed(
                any.id(),
                any.tenant(),
                any.project(),
                any.name(),
                new Volume.Request(100, "gone", Volume.Access.READ_WRITE_MANY),
                true,
                any.made()));
    classes("eu-1", "slow");
    Transfers.Request request = new Transfers.Request("s3://acme/x", null, "eu-1", null, "");

    assertThatThrownBy(
            () -> transfers.begin(owner(), fairlead.project().name(), "images", request, false))
        .hasMessageContaining("no storage class \"gone\"");
  }

  private Transfer copyIn(String storageClass) {
    Transfers.Request request =
        new Transfers.Request(null, "in-" + storageClass, "eu-1", storageClass, "");
    return transfers.begin(owner(), fairlead.project().name(), "training", request, false);
  }

  /** As its supervisor stores them. */
  private void classes(String name, String... classes) {
    Cluster cluster = stores.inventory().clusterNamed(name).orElseThrow();
    Capabilities can = cluster.capabilities();
    Capabilities told = can.withStorageClasses(List.of(classes));
    stores
        .inventory()
        .update(cluster.moved(cluster.state(), cluster.lastSeenAt(), cluster.trouble(), told));
  }
}
