package dev.fairlead.work.workload.service.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.AttemptStatus;
import dev.fairlead.work.attempt.ClusterRefusal;
import dev.fairlead.work.attempt.Failure;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The condition under which no cluster remains for a job that mounts a claim. */
class AdmissionDenialsTest {
  private static final ClusterId EU = new ClusterId(new UUID(1, 1));
  private static final ClusterId US = new ClusterId(new UUID(1, 2));
  private static final Set<ClusterId> BOTH = Set.of(EU, US);

  private static Attempt attempt(
      int number, ClusterId cluster, int minute, @Nullable ClusterRefusal refusal) {
    Instant at = Instant.parse("2026-03-02T10:00:00Z").plusSeconds(60L * minute);
    Failure failure = refusal == null ? null : refusal.failure("no claim", number);
    return new Attempt(
        new AttemptId(new UUID(2, number)),
        new JobId(new UUID(3, 1)),
        0,
        number,
        cluster,
        1,
        at,
        AttemptStatus.of(refusal == null ? AttemptState.PREEMPTED : AttemptState.FAILED)
            .withEndedAt(at)
            .withFailure(failure),
        List.of(),
        List.of());
  }

  private static boolean nowhere(Attempt now, Attempt... before) {
    return AdmissionDenials.of(now, ClusterRefusal.STORAGE, List.of(before)).lackedBy(BOTH);
  }

  @Test
  void claimMissingOnBothClustersIsNowhere() {
    Attempt eu = attempt(1, EU, 0, ClusterRefusal.STORAGE);

    assertThat(nowhere(attempt(2, US, 1, null), eu)).isTrue();
    assertThat(nowhere(attempt(2, EU, 1, null), eu)).isFalse();
  }

  /** Fails when a claim that was missing hours ago still counts as missing. */
  @Test
  void denialsOlderThanAnHourAreForgotten() {
    Attempt eu = attempt(1, EU, 0, ClusterRefusal.STORAGE);

    assertThat(nowhere(attempt(2, US, 61, null), eu)).isFalse();
  }

  /** Fails when the cluster on which the job finally ran counts as one without its data. */
  @Test
  void clusterThatRanTheJobLaterHasTheClaim() {
    Attempt lacked = attempt(1, EU, 0, ClusterRefusal.STORAGE);
    Attempt ran = attempt(2, EU, 5, null);

    assertThat(nowhere(attempt(3, US, 10, null), lacked, ran)).isFalse();
  }

  /** Fails when a job waits forever for a cluster without suitable nodes. */
  @Test
  void clusterWithoutNodesIsAbandonedAfterFourTriesOnOthers() {
    Attempt[] eu = new Attempt[3];
    for (int i = 0; i < eu.length; i++) {
      eu[i] = attempt(i + 1, EU, i, ClusterRefusal.STORAGE);
    }
    Attempt now = attempt(4, EU, 4, null);

    assertThat(AdmissionDenials.of(now, ClusterRefusal.STORAGE, List.of(eu)))
        .matches(AdmissionDenials::looked)
        .matches(denials -> denials.lackedBy(Set.of(EU)));
    assertThat(AdmissionDenials.of(now, ClusterRefusal.STORAGE, List.of(eu[0])).looked()).isFalse();
    assertThat(nowhere(now, eu)).as("a full one is waited for").isFalse();
  }
}
