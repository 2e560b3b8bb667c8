package dev.fairlead.kernel.transaction.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.work.event.WakeUps.Topic;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Checks of the twin that are stricter than necessary, for errors that a real database reports in
 * another way.
 */
class MemoryDatabaseTest {
  private final MemoryDatabase database = new MemoryDatabase();
  private final MemoryTable<String, Integer> table = database.table();

  @Test
  void failedTransactionIsUndoneInReverseOrder() {
    database.run(() -> table.put("a", 1));

    assertThatThrownBy(() ->
            database.run(() -> {
              table.put("a", 2);
              table.remove("a");
              table.put("a", 3);
              table.put("b", 1);
              throw new IllegalStateException("undo");
            }))
        .hasMessage("undo");

    assertThat(database.call(() -> List.copyOf(table.map().entrySet())).toString())
        .isEqualTo("[a=1]");
  }

  @Test
  void caughtInnerFailureStillPreventsTheCommit() {
    assertThatIllegalStateException()
        .isThrownBy(() ->
            database.run(() -> {
              table.put("a", 1);
              try {
                database.run(() -> {
                  throw new IllegalArgumentException("inner");
                });
              } catch (IllegalArgumentException swallowed) {
                table.put("b", 2);
              }
            }));

    assertThat(database.<Boolean>call(() -> table.map().isEmpty())).isTrue();
  }

  @Test
  void readOnlyTransactionWritesNothing() {
    assertThatIllegalStateException()
        .isThrownBy(() ->
            database.read(() -> {
              table.put("a", 1);
              return true;
            }));
  }

  @Test
  void aTableIsNotTouchedOutsideATransaction() {
    assertThatIllegalStateException().isThrownBy(() -> table.find("a"));
  }

  @Test
  void listenersAreNotifiedOfCommitsOnlyAndInOrder() {
    List<Topic> heard = new ArrayList<>();
    database.listen(topic -> {
      heard.add(topic);
      if (topic == Topic.JOBS) {
        database.run(() -> database.changed(Topic.QUOTAS));
      }
    });

    assertThatIllegalStateException()
        .isThrownBy(() ->
            database.run(() -> {
              database.changed(Topic.INVENTORY);
              throw new IllegalStateException("undo");
            }));
    database.run(() -> {
      database.changed(Topic.JOBS);
      database.changed(Topic.JOBS);
      database.changed(Topic.ATTEMPTS);
    });

    assertThat(heard).containsExactly(Topic.JOBS, Topic.ATTEMPTS, Topic.QUOTAS);
  }
}
