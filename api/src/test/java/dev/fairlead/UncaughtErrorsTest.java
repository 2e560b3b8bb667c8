package dev.fairlead;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class UncaughtErrorsTest {
  private final List<Integer> halted = new ArrayList<>();
  private final UncaughtErrors errors = new UncaughtErrors(halted::add);

  /** Fails when the process continues without the memory that its other threads need. */
  @Test
  void anErrorOfTheVirtualMachineEndsTheProcess() {
    errors.uncaughtException(
        Thread.currentThread(), new RuntimeException(new OutOfMemoryError("heap")));

    assertThat(halted).containsExactly(UncaughtErrors.EXIT_CODE);
  }

  @Test
  void errorCausedByOneThreadDoesNotEndTheProcess() {
    errors.uncaughtException(Thread.currentThread(), new StackOverflowError());
    errors.uncaughtException(Thread.currentThread(), new IllegalStateException());

    assertThat(halted).isEmpty();
  }
}
