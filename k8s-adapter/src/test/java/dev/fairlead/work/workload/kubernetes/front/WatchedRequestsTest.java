package dev.fairlead.work.workload.kubernetes.front;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.front.FrontRequest;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class WatchedRequestsTest {
  private static final String OURS = "installation-1";
  private final WatchedRequests requests = new WatchedRequests();

  private static JobBuilder job(String version) {
    return new JobBuilder()
        .withNewMetadata()
        .withUid("a")
        .withNamespace("team-a")
        .withName("train")
        .withResourceVersion(version)
        .endMetadata()
        .withNewSpec()
        .withManagedBy("fairlead.dev/job")
        .withNewTemplate()
        .withNewSpec()
        .withRestartPolicy("Never")
        .addNewContainer()
        .withName("train")
        .withImage("registry.example.com/train:1")
        .endContainer()
        .endSpec()
        .endTemplate()
        .endSpec();
  }

  private static ShownJob shown(Job job) {
    return Objects.requireNonNull(ShownJob.of(job, OURS));
  }

  private ShownJob watched(Job job) {
    ShownJob shown = shown(job);
    requests.watched(() -> JobDocument.of(job), shown);
    return shown;
  }

  /** Fails when each adoption reads a Job that the watch has just shown. */
  @Test
  void aNewJobIsTranslatedFromTheWatchOnce() {
    Job job = job("1").build();
    ShownJob shown = watched(job);

    FrontRequest request = requests.take(shown);
    assertThat(request).isInstanceOf(FrontRequest.Document.class).isEqualTo(JobDocument.of(job));
    assertThat(requests.take(shown)).as("a retry reads the Job").isNull();
  }

  /** Fails when a Job is adopted with the spec of an earlier version. */
  @Test
  void aJobOfAnotherVersionIsRead() {
    ShownJob _ = watched(job("1").build());
    assertThat(requests.take(shown(job("2").build()))).isNull();
  }

  /** Fails when a suspended Job, whose adoption makes no guarded write, is not read. */
  @Test
  void heldJobIsRead() {
    ShownJob _ = watched(job("1").build());
    ShownJob held =
        watched(job("1").editMetadata().addToFinalizers(ShownJob.FINALIZER).endMetadata().build());
    assertThat(requests.take(held)).isNull();
  }

  /** Fails when large Jobs fill the memory. */
  @Test
  void aLargeJobIsRead() {
    ShownJob large =
        watched(
            job("1")
                .editSpec()
                .editTemplate()
                .editSpec()
                .editFirstContainer()
                .withArgs("x".repeat(9_000))
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec()
                .build());
    assertThat(requests.take(large)).isNull();
  }

  /** Fails when the number of stored requests grows with the cluster. */
  @Test
  void onlyTheNewestJobsAreStored() {
    ShownJob first = watched(job("1").build());
    for (int i = 0; i < 1_000; i++) {
      ShownJob _ = watched(job("1").editMetadata().withUid("b" + i).endMetadata().build());
    }
    assertThat(requests.take(first)).isNull();
  }
}
