package dev.fairlead.event.postgres;

import dev.fairlead.event.WakeUps;
import dev.fairlead.postgres.Change;
import dev.fairlead.postgres.Changes;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * {@link WakeUps} over LISTEN and NOTIFY. A commit here wakes the listeners here at once and those
 * of other replicas by one notification at most every 10 ms, on a connection of its own: NOTIFY
 * inside the transaction would make commits queue behind one another. After a lost connection every
 * listener is woken, since nobody knows what was missed.
 */
@Component
class PostgresWakeUps implements WakeUps, SmartLifecycle {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresWakeUps.class);
  private static final long COALESCE_NANOS = 10_000_000;

  private final List<Listener> listeners = new CopyOnWriteArrayList<>();
  private final Set<Change> pending = EnumSet.noneOf(Change.class);
  private final NotificationChannel channel;
  private final Thread sender;
  private final Thread receiver;
  private volatile boolean running;

  private record Listener(Topic topic, Runnable work) {}

  PostgresWakeUps(Changes changes, JdbcConnectionDetails database) {
    this.channel = new NotificationChannel(database);
    this.sender = Thread.ofPlatform().daemon().name("wake-ups-send").unstarted(this::send);
    this.receiver = Thread.ofPlatform().daemon().name("wake-ups-receive").unstarted(this::receive);
    changes.listen(this::changed);
  }

  @Override
  public Subscription subscribe(Topic topic, Runnable listener) {
    Listener entry = new Listener(topic, () -> listener.run());
    listeners.add(entry);
    return () -> listeners.remove(entry);
  }

  private void changed(Set<Change> changes) {
    synchronized (pending) {
      pending.addAll(changes);
    }
    LockSupport.unpark(sender);
  }

  private Set<Change> takePending() {
    synchronized (pending) {
      Set<Change> taken =
          pending.isEmpty() ? EnumSet.noneOf(Change.class) : EnumSet.copyOf(pending);
      pending.clear();
      return taken;
    }
  }

  private void send() {
    while (running) {
      Set<Change> changes = takePending();
      if (changes.isEmpty()) {
        LockSupport.park(this);
        continue;
      }
      wake(changes);
      channel.send(changes);
      LockSupport.parkNanos(COALESCE_NANOS);
    }
  }

  private void receive() {
    while (running) {
      wake(channel.receive());
    }
  }

  private void wake(Set<Change> changes) {
    for (Change change : changes) {
      Topic topic = topic(change);
      for (Listener listener : listeners) {
        if (listener.topic() == topic) {
          run(listener);
        }
      }
    }
  }

  /** A listener that throws keeps nobody else from waking. */
  private static void run(Listener listener) {
    try {
      listener.work().run();
    } catch (RuntimeException e) {
      LOG.warn("a listener of {} failed", listener.topic(), e);
    }
  }

  private static Topic topic(Change change) {
    return switch (change) {
      case JOBS -> Topic.JOBS;
      case ATTEMPTS -> Topic.ATTEMPTS;
      case INVENTORY -> Topic.INVENTORY;
      case QUOTAS -> Topic.QUOTAS;
    };
  }

  @Override
  public void start() {
    running = true;
    sender.start();
    receiver.start();
  }

  @Override
  public void stop() {
    running = false;
    channel.close();
    LockSupport.unpark(sender);
    receiver.interrupt();
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** Before the loops start, after they have stopped. */
  @Override
  public int getPhase() {
    return Integer.MIN_VALUE;
  }
}
