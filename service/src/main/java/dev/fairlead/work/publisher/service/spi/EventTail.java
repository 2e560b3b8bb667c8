package dev.fairlead.work.publisher.service.spi;

import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.work.event.EventLog;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.event.EventRecord;
import dev.fairlead.work.event.WakeUps;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * The newest events of the log, read once for all streams of this process. Each replica has one
 * tail, which is idle without readers. Readers fetch events at their own pace, so a slow reader
 * needs no memory here: it reads older events from the log itself.
 */
@Component
public class EventTail implements Loop {
  private static final Duration RESTING = Duration.ofMillis(500);
  private static final Duration READING = Duration.ofMillis(200);
  private static final int BATCH = 1_000;
  private static final int KEPT = 2_048;
  private final EventLog log;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition news = lock.newCondition();
  private final List<TailedEvent> kept = new ArrayList<>();

  /** Position before the first cached event, or null without readers. */
  private @Nullable EventPosition from;

  private int readers;
  private boolean closed;

  public EventTail(EventLog log) {
    this.log = log;
  }

  @Override
  public String name() {
    return "tail";
  }

  @Override
  public String role() {
    return "api";
  }

  @Override
  public Duration idle() {
    lock.lock();
    try {
      return readers == 0 ? RESTING : READING;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Set<WakeUps.Topic> wakesOn() {
    return Set.of(WakeUps.Topic.JOBS, WakeUps.Topic.ATTEMPTS);
  }

  @Override
  public boolean tick() {
    EventPosition last = last();
    if (last == null) {
      return false;
    }
    List<EventRecord> events = log.after(last, BATCH);
    lock.lock();
    try {
      events.forEach(event -> kept.add(new TailedEvent(event)));
      int over = kept.size() - KEPT;
      if (over > 0) {
        from = kept.get(over - 1).event().position();
        kept.subList(0, over).clear();
      }
      if (!events.isEmpty()) {
        news.signalAll();
      }
    } finally {
      lock.unlock();
    }
    return events.size() == BATCH;
  }

  /** Returns the position of the next read. The first reader starts at the newest event. */
  private @Nullable EventPosition last() {
    EventPosition head = needsStart() ? log.head() : null;
    lock.lock();
    try {
      if (readers == 0) {
        kept.clear();
        from = null;
        return null;
      }
      if (from == null) {
        from = head;
      }
      return kept.isEmpty() ? from : kept.getLast().event().position();
    } finally {
      lock.unlock();
    }
  }

  private boolean needsStart() {
    lock.lock();
    try {
      return readers > 0 && from == null;
    } finally {
      lock.unlock();
    }
  }

  /** Registers a reader. Returns false when the process is about to end. */
  public boolean enter() {
    lock.lock();
    try {
      readers += closed ? 0 : 1;
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  public void leave() {
    lock.lock();
    try {
      readers--;
    } finally {
      lock.unlock();
    }
  }

  public int readers() {
    lock.lock();
    try {
      return readers;
    } finally {
      lock.unlock();
    }
  }

  public boolean closed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns the cached events after the position, in order, or empty when the cache starts later.
   */
  public Optional<List<TailedEvent>> after(EventPosition position, int limit) {
    lock.lock();
    try {
      if (from == null || position.compareTo(from) < 0) {
        return Optional.empty();
      }
      int begin = behind(position);
      return Optional.of(List.copyOf(kept.subList(begin, Math.min(kept.size(), begin + limit))));
    } finally {
      lock.unlock();
    }
  }

  /** Index of the first cached event after the position. */
  private int behind(EventPosition position) {
    int least = 0;
    int most = kept.size();
    while (least < most) {
      int middle = (least + most) / 2;
      if (kept.get(middle).isAfter(position)) {
        most = middle;
      } else {
        least = middle + 1;
      }
    }
    return least;
  }

  /** Waits until events after the position may exist, the time is over, or the tail ends. */
  public void await(EventPosition position, Duration most) throws InterruptedException {
    long left = most.toNanos();
    lock.lock();
    try {
      while (!closed && !newer(position) && left > 0) {
        left = news.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean newer(EventPosition position) {
    return !kept.isEmpty() && kept.getLast().isAfter(position);
  }

  /** Ends every reader, because its process stops. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      news.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
