package dev.fairlead.work.publisher.service;

import dev.fairlead.kernel.handle.OpenHandles;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.work.event.EventFilter;
import dev.fairlead.work.event.EventLog;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.publisher.service.spi.EventTail;
import dev.fairlead.work.publisher.service.spi.TailedEvent;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * One follower of the events. Holds at most one page of events, and no database connection between
 * two pages. Used by one thread.
 */
public final class EventReader implements AutoCloseable {
  private static final int PAGE = 100;
  private static final Duration WITHOUT_TAIL = Duration.ofSeconds(1);
  private final EventLog log;
  private final EventTail tail;
  private final Semaphore catchingUp;
  private final OpenHandles.Handle held;
  private final EventFilter filter;
  private EventPosition position;

  EventReader(
      EventLog log,
      EventTail tail,
      Semaphore catchingUp,
      OpenHandles.Handle held,
      EventFilter filter,
      EventPosition position) {
    this.log = log;
    this.tail = tail;
    this.catchingUp = catchingUp;
    this.held = held;
    this.filter = filter;
    this.position = position;
  }

  /** Position up to which all events were returned or skipped. */
  public EventPosition position() {
    return position;
  }

  /** Returns whether the process is stopping, so that the client must reconnect to another one. */
  public boolean closed() {
    return tail.closed();
  }

  /**
   * The next events in order, empty when none arrived within the time.
   *
   * @throws Refusal POSITION_EXPIRED when events after the position are no longer stored
   */
  public List<TailedEvent> next(Duration most) throws InterruptedException {
    long end = System.nanoTime() + most.toNanos();
    while (!tail.closed()) {
      List<TailedEvent> page = page();
      if (!page.isEmpty()) {
        position = page.getLast().event().position();
        List<TailedEvent> mine = page.stream().filter(e -> filter.test(e.event())).toList();
        if (!mine.isEmpty()) {
          return mine;
        }
        continue;
      }
      long left = end - System.nanoTime();
      if (left <= 0) {
        return List.of();
      }
      tail.await(position, shorter(Duration.ofNanos(left)));
    }
    return List.of();
  }

  private Duration shorter(Duration left) {
    return left.compareTo(WITHOUT_TAIL) < 0 ? left : WITHOUT_TAIL;
  }

  private List<TailedEvent> page() throws InterruptedException {
    List<TailedEvent> shared = tail.after(position, PAGE).orElse(null);
    if (shared != null) {
      return shared;
    }
    catchingUp.acquire();
    try {
      check(log, position);
      return log.after(position, PAGE).stream().map(TailedEvent::new).toList();
    } finally {
      catchingUp.release();
    }
  }

  /**
   * @throws Refusal POSITION_EXPIRED unless all events after the position are stored
   */
  static void check(EventLog log, EventPosition position) {
    boolean kept =
        position.equals(EventPosition.START)
            || log.oldest().filter(oldest -> oldest.compareTo(position) <= 0).isPresent();
    if (!kept) {
      throw new Refusal(
          ProblemCode.POSITION_EXPIRED,
          "Events after this position have expired (retention is seven days). Read the objects again, then follow without a "
              + "position.");
    }
  }

  @Override
  public void close() {
    held.close();
    tail.leave();
  }
}
