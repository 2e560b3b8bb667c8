package dev.fairlead.data.transfer;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.data.volume.Volume;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.JobStatus;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Due steps of transfers, and the effect of the ends of their jobs. */
class TransferPlanTest {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
  private static final ObjectStorePlace PLACE =
      new ObjectStorePlace(
          "https://s3.example", "us-east-1", "acme", "transfers", true, "store", "py");
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final Volume source = bound("training", Volume.Access.READ_WRITE_MANY);
  private final Volume target = bound("training-eu", Volume.Access.READ_WRITE_MANY);
  private final Transfer begun = copyOf(source);

  private Volume bound(String name, Volume.Access access) {
    return Volume.claimed(
            stores.ids().next(),
            world.tenant().id(),
            world.project().id(),
            name,
            new Volume.Request(1, null, access),
            true,
            new Volume.Made(NOW, "ana"))
        .placed(new ClusterId(stores.ids().next()))
        .provisioned("uid", NOW)
        .bound(NOW);
  }

  private Transfer copyOf(Volume volume) {
    return Transfers.copy(
        new TransferId(stores.ids().next()),
        world.project(),
        new Transfer.Side(volume.id(), volume.name()),
        new Transfer.Side(target.id(), target.name()));
  }

  private static Transfer after(Transfer transfer, TransferEvent... events) {
    Transfer now = transfer;
    for (TransferEvent event : events) {
      now = now.after(event, "", NOW);
    }
    return now;
  }

  private static JobStatus job(JobState state, @Nullable Failure failure) {
    return new JobStatus(state, NOW, null, null, 1, 0, 0, null, failure);
  }

  /** Fails when a copy continues although its source was lost before it was uploaded completely. */
  @Test
  void sourceIsRequiredUntilItIsFullyUploaded() {
    Volume lost = source.lost("claim is gone");

    assertThat(TransferPlan.due(begun, lost, target, false))
        .isEqualTo(new TransferPlan.Fail("volume training is LOST: claim is gone"));
    assertThat(TransferPlan.due(begun, null, target, false))
        .isEqualTo(new TransferPlan.Fail("volume training was deleted"));
    Transfer uploaded = after(begun, TransferEvent.UPLOADED);
    assertThat(TransferPlan.due(uploaded, lost, target, false))
        .isEqualTo(new TransferPlan.Submit());
    assertThat(TransferPlan.due(uploaded, source, target.lost("gone"), false))
        .isEqualTo(new TransferPlan.Fail("volume training-eu is LOST: gone"));
    Volume another = bound("training-eu", Volume.Access.READ_WRITE_MANY);
    assertThat(TransferPlan.due(uploaded, source, another, false))
        .isEqualTo(new TransferPlan.Fail("volume training-eu was deleted"));
  }

  @Test
  void singleNodeVolumeIsCopiedWhenNoJobMountsIt() {
    Volume one = bound("one", Volume.Access.READ_WRITE_ONCE);
    Transfer copy = copyOf(one);

    assertThat(TransferPlan.due(copy, one, target, true)).isInstanceOf(TransferPlan.Wait.class);
    assertThat(TransferPlan.due(copy, one, target, false)).isEqualTo(new TransferPlan.Submit());
    assertThat(TransferPlan.due(begun, source, target, true)).isEqualTo(new TransferPlan.Submit());
  }

  /** Fails when a transfer with possibly the only copy can be dropped. */
  @Test
  void theLastCopyIsNotDropped() {
    Transfer uploaded = after(begun, TransferEvent.UPLOADED);
    Transfer failed = after(uploaded, TransferEvent.FAILED);

    assertThat(TransferPlan.onlyCopy(begun, null)).isEmpty();
    assertThat(TransferPlan.onlyCopy(uploaded, source)).isEmpty();
    assertThat(TransferPlan.onlyCopy(failed, source)).isEmpty();
    assertThat(TransferPlan.onlyCopy(uploaded, null))
        .hasValueSatisfying(why -> assertThat(why).contains("training is deleted", "only copy"));
    assertThat(TransferPlan.onlyCopy(failed, source.lost("gone"))).isPresent();
    assertThat(TransferPlan.onlyCopy(failed, source.ended())).isPresent();
    Transfer verified = after(uploaded, TransferEvent.DOWNLOADED, TransferEvent.VERIFIED);
    assertThat(TransferPlan.onlyCopy(verified, null)).as("its target is kept").isEmpty();
    assertThat(TransferPlan.keepsTarget(verified, null)).isTrue();
    assertThat(TransferPlan.keepsTarget(verified, source)).isFalse();
    assertThat(TransferPlan.keepsTarget(uploaded, null)).isFalse();
  }

  /** Fails when a transfer continues without its volumes, or a job of an earlier round counts. */
  @Test
  void aFailedTransferIsResumedAsAnotherJob() {
    Transfer failed = after(begun.uploadBegins(NOW).written("writes"), TransferEvent.FAILED);
    Transfer half = after(begun, TransferEvent.UPLOADED, TransferEvent.FAILED);

    assertThat(TransferPlan.notResumed(failed, source, target)).isEmpty();
    assertThat(TransferPlan.notResumed(failed, source.lost("gone"), target)).isPresent();
    assertThat(TransferPlan.notResumed(half, source.lost("gone"), target)).isEmpty();
    assertThat(TransferPlan.notResumed(half, source, target.lost("gone"))).isPresent();
    assertThat(TransferPlan.notResumed(half, source, target.renamed("other")))
        .hasValueSatisfying(why -> assertThat(why).contains("has been named other since"));
    Transfer again = failed.resumed(NOW);
    assertThat(again.phase()).isEqualTo(TransferPhase.UPLOADING);
    assertThat(again.status().uploadedAfter()).as("all is read again").isNull();
    assertThat(again.status().writtenBy()).isNull();
    assertThat(half.resumed(NOW).phase()).isEqualTo(TransferPhase.DOWNLOADING);
    assertThat(TransferPlan.job(again, PLACE, "program").roles().getFirst().env())
        .containsEntry("FAIRLEAD_TRANSFER_ROUND", "1");
  }

  /** Fails when a key of the bucket is in a spec, or the source is mounted for writing. */
  @Test
  void eachPhaseIsAJobWithItsMounts() {
    JobSpec upload = TransferPlan.job(begun, PLACE, "program");
    Transfer uploaded = after(begun, TransferEvent.UPLOADED);
    JobSpec download = TransferPlan.job(uploaded, PLACE, "program");
    JobSpec verify = TransferPlan.job(after(uploaded, TransferEvent.DOWNLOADED), PLACE, "program");
    JobSpec clean =
        TransferPlan.job(
            after(uploaded, TransferEvent.DOWNLOADED, TransferEvent.VERIFIED), PLACE, "program");

    assertThat(upload.volumes())
        .containsExactly(JobSpec.VolumeSpec.ofVolume("training", "/volume", true));
    assertThat(upload.placement().clusters()).isEmpty();
    assertThat(List.of(download, verify))
        .allSatisfy(job -> {
          assertThat(job.volumes())
              .containsExactly(JobSpec.VolumeSpec.ofVolume("training-eu", "/volume", false));
          assertThat(job.placement().clusters()).containsExactly("eu-1");
        });
    assertThat(clean.volumes()).isEmpty();
    assertThat(List.of(upload, download, verify, clean))
        .allSatisfy(job -> {
          assertThat(job.name()).hasSizeLessThanOrEqualTo(40);
          assertThat(job.secrets()).containsOnlyKeys("store");
          assertThat(job.roles().getFirst().env()).doesNotContainKeys("AWS_SECRET_ACCESS_KEY");
          assertThat(job.roles().getFirst().env().get("FAIRLEAD_TRANSFER_PREFIX"))
              .isEqualTo("transfers/" + world.project().id().bare());
        });
    assertThat(List.of(upload, download, verify, clean))
        .extracting(JobSpec::name)
        .doesNotHaveDuplicates();
  }

  @Test
  void failedJobFailsItsTransferWithItsMessage() {
    JobStatus failed = job(JobState.FAILED, Failure.of(FailureCause.USER_ERROR, "exit code 3", 1));

    assertThat(TransferPlan.end(begun, failed, "the volume is not empty"))
        .contains(new TransferPlan.End(TransferEvent.FAILED, "the volume is not empty"));
    assertThat(TransferPlan.end(begun, failed, ""))
        .contains(new TransferPlan.End(TransferEvent.FAILED, "exit code 3"));
    assertThat(TransferPlan.end(begun, job(JobState.RUNNING, null), "")).isEmpty();
    Transfer verified =
        after(begun, TransferEvent.UPLOADED, TransferEvent.DOWNLOADED, TransferEvent.VERIFIED);
    assertThat(TransferPlan.end(verified, failed, "no bucket"))
        .hasValueSatisfying(end -> {
          assertThat(end.event()).isEqualTo(TransferEvent.CLEANED);
          assertThat(end.message()).satisfies(reason("transfer-plan.were-deleted-bucket-bucket"));
        });
  }
}
