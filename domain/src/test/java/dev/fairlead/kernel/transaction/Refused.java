package dev.fairlead.kernel.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fairlead.kernel.transaction.Conflict.Guard;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Assertions about refusals by guards. */
public final class Refused {
  private Refused() {}

  public static void by(Guard guard, ThrowingCallable work) {
    assertThatExceptionOfType(Conflict.class)
        .isThrownBy(work)
        .satisfies(conflict -> assertThat(conflict.guard()).isEqualTo(guard));
  }

  /** Like {@link #by(Guard, ThrowingCallable)}, and names the row. */
  public static void by(Guard guard, String subject, ThrowingCallable work) {
    assertThatExceptionOfType(Conflict.class)
        .isThrownBy(work)
        .satisfies(conflict -> {
          assertThat(conflict.guard()).isEqualTo(guard);
          assertThat(conflict.subject()).isEqualTo(subject);
        });
  }
}
