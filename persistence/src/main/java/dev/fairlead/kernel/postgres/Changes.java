package dev.fairlead.kernel.postgres;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.springframework.stereotype.Component;

/**
 * Publishes the changes of committed transactions, on the committing thread and never inside the
 * transaction.
 */
@Component
public class Changes {
  private final List<Consumer<Set<Change>>> listeners = new CopyOnWriteArrayList<>();

  /** Records a change of the open transaction, which is published after the commit. */
  public void note(Change change) {
    TransactionScope scope = TransactionScope.current();
    if (scope == null) {
      committed(Set.of(change));
    } else {
      scope.changed(change);
    }
  }

  /** The listener must be quick and must not throw. */
  public void listen(Consumer<Set<Change>> listener) {
    listeners.add(listener);
  }

  public void committed(Set<Change> changes) {
    if (!changes.isEmpty()) {
      listeners.forEach(listener -> listener.accept(changes));
    }
  }
}
