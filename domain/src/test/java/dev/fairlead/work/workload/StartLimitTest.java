package dev.fairlead.work.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.workload.judgement.WorkloadTimeouts;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * The start limit counts from the launch, so an attempt does not lose time while it waits for its
 * supervisor.
 */
class StartLimitTest {
  /** Fails when the limit counts from the placement: it would be stopped right after its launch. */
  @Test
  void lateLaunchedAttemptHasItsFullStartTime() {
    Watched late = Watched.planned(1).after(Duration.ofMinutes(10)).launched().pending(0);
    assertThat(late.judge().lookAgainAt())
        .isEqualTo(Watched.START.plus(Duration.ofMinutes(10)).plus(gangStart()));
    assertThat(late.state()).isEqualTo(AttemptState.PULLING);

    late.after(gangStart()).judge();

    assertThat(late.attempt().stop().cause()).isEqualTo(StopCause.START_TIMEOUT);
  }

  /** Fails when the bound of a pull error counts from the placement. */
  @Test
  void lateLaunchedAttemptWithAPullErrorHasItsFullStartTime() {
    Watched late = Watched.planned(1).after(Duration.ofMinutes(10)).launched();
    late.waits(0, "ErrImagePull").judge();
    assertThat(late.attempt().stop()).isNull();

    late.after(WorkloadTimeouts.DEFAULT.imageError()).judge();

    assertThat(late.attempt().stop().cause()).isEqualTo(StopCause.MEMBER_FAILED);
  }

  private static Duration gangStart() {
    return WorkloadTimeouts.DEFAULT.gangStart();
  }
}
