package dev.fairlead.e2e;

import static dev.fairlead.kernel.text.Texts.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.data.transfer.Transfer;
import dev.fairlead.data.transfer.TransferPhase;
import dev.fairlead.data.transfer.service.Transfers;
import dev.fairlead.data.transfer.service.spi.TransferReports;
import dev.fairlead.data.volume.Volume;
import dev.fairlead.data.volume.VolumeState;
import dev.fairlead.data.volume.Volumes;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * A volume is copied to another cluster while its consumers run, and replaces the source at the
 * cut-over.
 */
class TransferJourneyTest extends TransferJourney {
  /** Fails when a phase has two jobs, or consumers leave the source before the cut-over. */
  @Test
  void copyBecomesTheVolumeOnTheOtherCluster() {
    Transfer copy = copy();
    report = new TransferReports.Report(512, 1024, "");
    until(copy, TransferPhase.READY);

    assertThat(submitted).hasSize(4);
    assertThat(clusterOf("training-eu")).isEqualTo("eu-1");
    Job before = fairlead.until(fairlead.submit(readOnly("before")), JobState.SUCCEEDED);
    assertThat(ranOn(before)).isEqualTo("us-1");
    String claim = volume("training-eu").claimName();

    cutOver(copy);

    assertThat(now(copy).phase()).isEqualTo(TransferPhase.CUT_OVER);
    assertThat(clusterOf("training")).isEqualTo("eu-1");
    assertThat(volume("training").claimName()).isEqualTo(claim);
    assertThat(clusterOf("training-eu")).isEqualTo("us-1");
    Job after = fairlead.until(fairlead.submit(job("after", "1s")), JobState.SUCCEEDED);
    assertThat(ranOn(after)).isEqualTo("eu-1");
    pass(70);
    assertThat(volume("training-eu").state()).as("its claim is found").isEqualTo(VolumeState.BOUND);
    assertThatThrownBy(() -> cutOver(copy)).hasMessageContaining("CUT_OVER");
    assertThat(stores.audit().entries())
        .extracting(entry -> entry.operation())
        .contains("createVolumeTransfer", "cutOverVolumeTransfer");
  }

  private Specs readOnly(String name) {
    return Specs.job(name).gpus(1).reads("training").annotation("sim.fairlead.dev/run-for", "1s");
  }

  private String ranOn(Job job) {
    return stores
        .inventory()
        .cluster(fairlead.attempts(job).getFirst().cluster())
        .orElseThrow()
        .name();
  }

  @Test
  void progressIsShownWhileItsJobRuns() {
    Transfer copy = copy();
    report = new TransferReports.Report(512, 1024, "");
    for (int i = 0; i < 60 && now(copy).status().done() == 0; i++) {
      pass(1);
    }

    assertThat(now(copy).status().done()).isEqualTo(512);
    assertThat(now(copy).status().total()).isEqualTo(1024);
  }

  /** Fails when consumers lose the volume during their run, or later writes are lost. */
  @Test
  void cutoverIsRejectedWhileConsumersRunAndAfterTheyWrote() {
    Transfer copy = copy();
    until(copy, TransferPhase.READY);
    fairlead.until(fairlead.submit(job("writes", "20s")), JobState.RUNNING);

    assertThatThrownBy(() -> cutOver(copy))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("Running jobs mount volume \"training\": writes");
    pass(30);
    assertThatThrownBy(() -> cutOver(copy))
        .isInstanceOf(Refusal.class)
        .satisfies(problem("transfer-journey.their-writes-copy"));
    assertThat(clusterOf("training")).isEqualTo("us-1");

    drop(copy);
    until(copy, TransferPhase.DROPPED);
    assertThat(volume("training-eu").state()).isEqualTo(VolumeState.RETAINED);
    assertThat(volume("training").state()).isEqualTo(VolumeState.BOUND);
  }

  /** Fails when a failing copier harms the source, or its message is not reported. */
  @Test
  void failedCopyLeavesTheSourceUnchanged() {
    outcome = "fail";
    report = new TransferReports.Report(0, 0, "pipe is a socket, a pipe or a device");
    Volume before = volume("training");
    Transfer copy = copy();
    for (int i = 0; i < 600 && now(copy).phase() == TransferPhase.UPLOADING; i++) {
      pass(1);
    }

    assertThat(now(copy).phase()).isEqualTo(TransferPhase.FAILED);
    assertThat(now(copy).status().message()).contains("pipe is a socket");
    assertThat(volume("training")).isEqualTo(before);
    outcome = "success";
    drop(copy);
    until(copy, TransferPhase.DROPPED);
    assertThatThrownBy(() -> volume("training-eu")).isInstanceOf(RuntimeException.class);
  }

  @Test
  void sourceLostBeforeItsUploadIsReported() {
    Objects.requireNonNull(clusters.get("us-1"))
        .claims()
        .delete(fairlead.project().namespace(), volume("training").claimName());
    Transfer copy = copy();

    until(copy, TransferPhase.FAILED);

    assertThat(now(copy).status().message()).containsAnyOf("is LOST", "is lost");
  }

  /** Fails when a process that dies after a submit makes a second job. */
  @Test
  void forgottenSubmitIsNotRepeated() {
    dies = true;
    Transfer copy = copy();

    until(copy, TransferPhase.READY);

    List<Job> uploads =
        stores.jobs().all().stream().filter(job -> job.name().startsWith("upload-")).toList();
    assertThat(uploads).hasSize(1);
    assertThat(now(copy).status().uploadedAfter())
        .as("what is written before its job is noted is missed otherwise")
        .isBeforeOrEqualTo(uploads.getFirst().createdAt());
  }

  /**
   * Fails when a process that pauses before its submit starts a copier for a transfer that its
   * owner has dropped, because the copied data in the bucket would remain.
   */
  @Test
  void droppedTransferGetsNoCopier() {
    Transfer copy = copy();
    before = () -> drop(copy);

    until(copy, TransferPhase.DROPPED);

    assertThat(stores.jobs().all())
        .extracting(Job::name)
        .noneMatch(name -> name.startsWith("upload-"))
        .anyMatch(name -> name.startsWith("remove-"));
  }

  @Test
  void prefixIsImportedIntoAVolumeWithoutData() {
    Volumes.kept(stores, fairlead.project(), "images");
    Transfers.Request request = new Transfers.Request("s3://public/images", null, "eu-1", null, "");
    Transfer imported =
        transfers.begin(owner(), fairlead.project().name(), "images", request, false);

    until(imported, TransferPhase.IMPORTED);

    assertThat(clusterOf("images")).isEqualTo("eu-1");
    assertThatThrownBy(
            () -> transfers.begin(owner(), fairlead.project().name(), "training", request, false))
        .hasMessageContaining("need a CLAIMED volume");
  }

  @Test
  void withoutTheSecretOfTheBucketNothingBegins() {
    stores
        .secrets()
        .all(fairlead.project().tenant(), fairlead.project().id())
        .forEach(stores.secrets()::delete);

    assertThatThrownBy(this::copy)
        .hasMessageContaining("object-store", "AWS_ACCESS_KEY_ID")
        .satisfies(problem("transfer-journey.project-needs-secret"));
    assertThatThrownBy(() -> volume("training-eu")).isInstanceOf(RuntimeException.class);
  }
}
