package dev.fairlead.kernel.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;

class TransitionTableTest {
  private enum Door {
    OPEN,
    SHUT,
    WALLED_UP
  }

  private enum Act {
    PUSH,
    PULL,
    BRICK
  }

  @Test
  void pairWithoutARowIsNotATransition() {
    TransitionTable<Door, Act> table =
        TransitionTable.of(Door.class, Act.class).on(Act.PUSH, Door.SHUT, Door.OPEN).build();

    assertThat(table.next(Door.OPEN, Act.PUSH)).contains(Door.SHUT);
    assertThat(table.next(Door.OPEN, Act.PULL)).isEmpty();
    assertThat(table.next(Door.WALLED_UP, Act.PUSH)).isEmpty();
  }

  @Test
  void stateWithoutAnExitIsTerminal() {
    TransitionTable<Door, Act> table =
        TransitionTable.of(Door.class, Act.class)
            .on(Act.BRICK, Door.WALLED_UP, Door.OPEN, Door.SHUT)
            .build();

    assertThat(table.terminal(Door.OPEN)).isFalse();
    assertThat(table.terminal(Door.WALLED_UP)).isTrue();
  }

  @Test
  void duplicatePairIsRejected() {
    var builder = TransitionTable.of(Door.class, Act.class).on(Act.PUSH, Door.SHUT, Door.OPEN);

    assertThatIllegalStateException()
        .isThrownBy(() -> builder.on(Act.PUSH, Door.WALLED_UP, Door.OPEN))
        .withMessageContaining("two rows for OPEN on PUSH");
  }
}
