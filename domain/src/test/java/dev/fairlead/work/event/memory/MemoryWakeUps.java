package dev.fairlead.work.event.memory;

import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.work.event.WakeUps;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * In-memory implementation of {@link WakeUps}: listeners run on the committing thread, after
 * commit, once for each topic of a commit.
 */
public final class MemoryWakeUps implements WakeUps {
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();

  private record Listener(Topic topic, Runnable work) {}

  public MemoryWakeUps(MemoryDatabase database) {
    database.listen(
        topic -> listeners.stream().filter(l -> l.topic() == topic).forEach(l -> l.work().run()));
  }

  @Override
  public Subscription subscribe(Topic topic, Runnable listener) {
    // not equal to another subscription of the same listener
    Listener entry = new Listener(topic, () -> listener.run());
    listeners.add(entry);
    return () -> listeners.remove(entry);
  }
}
