package dev.fairlead.work.event.postgres;

import dev.fairlead.kernel.postgres.Change;
import dev.fairlead.kernel.postgres.Changes;
import dev.fairlead.kernel.problem.FatalErrors;
import dev.fairlead.work.event.WakeUps;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * {@link WakeUps} over LISTEN and NOTIFY. A commit in this process wakes its listeners immediately
 * and those of other replicas by one notification, each at most every 10 ms. The notification is
 * sent from a separate thread and connection: NOTIFY inside the transaction would serialise
 * commits, and a network that drops it must not delay local listeners. After a lost connection
 * every listener is woken, because missed changes are unknown.
 */
@Component
class PostgresWakeUps implements WakeUps, SmartLifecycle {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresWakeUps.class);
  private static final int ANSWER_SECONDS = 5;
  private static final long COALESCE_NANOS = 10_000_000;

  private final List<Listener> listeners = new CopyOnWriteArrayList<>();
  private final NotificationChannel channel;
  private final Outlet here = new Outlet("wake-ups-here", this::wake);
  private final Outlet elsewhere;
  private final Thread receiver;
  private volatile boolean running;

  private record Listener(Topic topic, Runnable work) {}

  PostgresWakeUps(Changes changes, JdbcConnectionDetails database) {
    this.channel = new NotificationChannel(database, ANSWER_SECONDS);
    this.elsewhere = new Outlet("wake-ups-send", channel::send);
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
    here.add(changes);
    elsewhere.add(changes);
  }

  private void receive() {
    while (running) {
      try {
        wake(channel.receive());
      } catch (Throwable failed) {
        passed(failed);
      }
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

  /** A listener that throws does not prevent others from waking. */
  private static void run(Listener listener) {
    try {
      listener.work().run();
    } catch (Throwable failed) {
      passed(failed);
    }
  }

  private static void passed(Throwable failed) {
    FatalErrors.rethrow(failed);
    LOG.warn("a wake-up failed", failed);
  }

  private static Topic topic(Change change) {
    return switch (change) {
      case JOBS -> Topic.JOBS;
      case ATTEMPTS -> Topic.ATTEMPTS;
      case INVENTORY -> Topic.INVENTORY;
      case QUOTAS -> Topic.QUOTAS;
      case SERVICES -> Topic.SERVICES;
      case ROUTES -> Topic.ROUTES;
      case SETTINGS -> Topic.SETTINGS;
    };
  }

  @Override
  public void start() {
    running = true;
    here.thread.start();
    elsewhere.thread.start();
    receiver.start();
  }

  @Override
  public void stop() {
    running = false;
    channel.close();
    LockSupport.unpark(here.thread);
    LockSupport.unpark(elsewhere.thread);
    receiver.interrupt();
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** Starts before the loops, and stops after them. */
  @Override
  public int getPhase() {
    return Integer.MIN_VALUE;
  }

  /** A thread that publishes changes since its last pass. */
  private final class Outlet {
    private final Set<Change> pending = EnumSet.noneOf(Change.class);
    private final Consumer<Set<Change>> out;
    private final Thread thread;

    Outlet(String name, Consumer<Set<Change>> out) {
      this.out = out;
      this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this::pass);
    }

    void add(Set<Change> changes) {
      synchronized (pending) {
        pending.addAll(changes);
      }
      LockSupport.unpark(thread);
    }

    private Set<Change> take() {
      synchronized (pending) {
        Set<Change> taken = EnumSet.noneOf(Change.class);
        taken.addAll(pending);
        pending.clear();
        return taken;
      }
    }

    private void pass() {
      while (running) {
        Set<Change> changes = take();
        if (changes.isEmpty()) {
          LockSupport.park(this);
          continue;
        }
        try {
          out.accept(changes);
        } catch (Throwable failed) {
          passed(failed);
        }
        LockSupport.parkNanos(COALESCE_NANOS);
      }
    }
  }
}
