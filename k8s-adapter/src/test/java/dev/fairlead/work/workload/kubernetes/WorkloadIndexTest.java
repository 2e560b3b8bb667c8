package dev.fairlead.work.workload.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.workload.WorkloadView;
import dev.fairlead.work.workload.judgement.ObservedMember;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class WorkloadIndexTest {
  private static final MemberKey KEY = new MemberKey("worker", 0, 0);
  private final WorkloadIndex index = new WorkloadIndex(1_000);

  @Test
  void onlyLaterChangesAreReturned() {
    index.member(attempt(1), KEY, seen("a"));
    long first = index.since(0).revision();
    index.member(attempt(2), KEY, seen("b"));
    WorkloadView changed = index.since(first);
    assertThat(changed.complete()).isFalse();
    assertThat(changed.workloads()).containsOnlyKeys(attempt(2));
    assertThat(index.member(attempt(2), KEY, seen("b"))).isFalse();
    assertThat(index.since(changed.revision()).workloads()).isEmpty();
  }

  @Test
  void endedAttemptIsReturnedOnceAsEmptyAndIsNotInFullReads() {
    index.member(attempt(1), KEY, seen("a"));
    index.others(attempt(1), true);
    long before = index.since(0).revision();
    index.member(attempt(1), KEY, Optional.empty());
    assertThat(index.since(before).workloads().get(attempt(1)).empty()).isFalse();
    index.others(attempt(1), false);
    assertThat(index.since(before).workloads().get(attempt(1)).empty()).isTrue();
    assertThat(index.since(0).workloads()).isEmpty();
  }

  /** Fails when a cluster that hides pods is trusted until each pod has been looked up. */
  @Test
  void attemptsAreReportedWhileTheirPodsAreLookedUp() {
    index.member(attempt(1), KEY, seen("a"));
    long leave = index.left(attempt(1), KEY);
    assertThat(index.lookedUp()).containsExactly(attempt(1));
    index.gone(attempt(1), KEY, leave);
    assertThat(index.lookedUp()).isEmpty();
  }

  @Test
  void anExplanationReplacesNoLaterStateFromTheWatch() {
    ObservedMember waits = seen("a").orElseThrow();
    index.member(attempt(1), KEY, Optional.of(waits));
    assertThat(index.explained(attempt(1), waits, waits.because("no quota"))).isTrue();

    ObservedMember bound = seen("b").orElseThrow();
    index.member(attempt(1), KEY, Optional.of(bound));
    assertThat(index.explained(attempt(1), waits, waits.because("no quota"))).isFalse();
    assertThat(index.workload(attempt(1)).member(KEY)).hasValue(bound);

    index.member(attempt(1), KEY, Optional.empty());
    assertThat(index.explained(attempt(1), bound, bound)).isFalse();
    assertThat(index.workload(attempt(1)).empty()).isTrue();
  }

  @Test
  void revisionOfAnotherProcessGetsAFullAnswer() {
    long earlier = new WorkloadIndex(999).since(0).revision();
    index.member(attempt(1), KEY, seen("a"));
    assertThat(index.since(earlier).complete()).isTrue();
    assertThat(index.since(index.since(0).revision() + 1).complete()).isTrue();
  }

  @Test
  void readerOfForgottenEndsGetsAFullRead() {
    long start = index.since(0).revision();
    for (int i = 0; i < 20_002; i++) {
      index.member(attempt(i), KEY, seen("a"));
      index.member(attempt(i), KEY, Optional.empty());
    }
    assertThat(index.since(start).complete()).isTrue();
    assertThat(index.since(index.since(0).revision()).complete()).isFalse();
  }

  /** Fails when a look-up that ends late removes a member that the watch shows again. */
  @Test
  void lateNotFoundDoesNotRemoveAReappearedMember() {
    index.member(attempt(1), KEY, seen("a"));
    long leave = index.left(attempt(1), KEY);
    assertThat(index.member(attempt(1), KEY, seen("a"))).as("it is as before").isFalse();
    assertThat(index.missing(attempt(1), KEY, leave)).isFalse();
    assertThat(index.gone(attempt(1), KEY, leave)).isFalse();
    assertThat(index.found(attempt(1), seen("b").orElseThrow(), leave)).isFalse();
    assertThat(index.workload(attempt(1)).member(KEY)).isEqualTo(seen("a"));
    long again = index.left(attempt(1), KEY);
    assertThat(index.gone(attempt(1), KEY, leave)).as("the answer to an earlier time").isFalse();
    assertThat(index.gone(attempt(1), KEY, again)).isTrue();
  }

  /** Fails when a member that no watch showed is visible before it was read. */
  @Test
  void missedMemberIsLookedUpOnceAndShownAsRead() {
    long before = index.since(0).revision();
    long leave = index.missed(attempt(1), KEY).orElseThrow();
    assertThat(index.missed(attempt(1), KEY)).as("it is being looked up").isEmpty();
    assertThat(index.since(0).revision()).isEqualTo(before);
    assertThat(index.workload(attempt(1)).empty()).isTrue();
    assertThat(index.found(attempt(1), seen("a").orElseThrow(), leave)).isTrue();
    assertThat(index.workload(attempt(1)).member(KEY)).isEqualTo(seen("a"));
    assertThat(index.missed(attempt(1), KEY)).as("it is shown").isEmpty();
  }

  private static AttemptId attempt(long n) {
    return new AttemptId(new UUID(7, n));
  }

  private static Optional<ObservedMember> seen(String uid) {
    return Optional.of(ObservedMember.of(KEY, uid, MemberState.RUNNING, "n").withStarted(true));
  }
}
