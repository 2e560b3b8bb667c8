package dev.fairlead.verify.simulation.world;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.PriorityQueue;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Virtual time: events by time, equal times in an order of the seed. The first failure ends the
 * run, even in code that would swallow it.
 */
public final class VirtualTime {
  private static final int REMEMBERED = 400;

  private record Event(long at, int order, long sequence, String name, Runnable work) {}

  private final PriorityQueue<Event> events =
      new PriorityQueue<>(
          Comparator.comparingLong(Event::at)
              .thenComparingInt(Event::order)
              .thenComparingLong(Event::sequence));
  private final RandomGenerator chance;
  private final Deque<String> trace = new ArrayDeque<>();
  private final boolean tracing;
  private Runnable after = () -> {};
  private long now;
  private long sequence;
  private long done;
  private @Nullable Throwable failure;

  public VirtualTime(RandomGenerator chance, boolean tracing) {
    this.chance = chance;
    this.tracing = tracing;
  }

  /** Runs after every event. */
  public void afterEach(Runnable check) {
    after = check;
  }

  /** Milliseconds since the start, without steps. */
  public long now() {
    return now;
  }

  public long events() {
    return done;
  }

  public void in(Duration wait, String name, Runnable work) {
    events.add(new Event(now + wait.toMillis(), chance.nextInt(), sequence++, name, work));
  }

  /** A time between the two, drawn evenly. */
  public Duration between(Duration least, Duration most) {
    return Duration.ofMillis(chance.nextLong(least.toMillis(), most.toMillis() + 1));
  }

  /** Advances the time. If an event calls it, the process of the event pauses. */
  public void run(Duration time) {
    long end = now + time.toMillis();
    while (failure == null && !events.isEmpty() && events.peek().at() <= end) {
      Event event = events.remove();
      now = Math.max(now, event.at());
      done++;
      say(event::name);
      try {
        event.work().run();
        after.run();
      } catch (Throwable broken) {
        fail(broken);
      }
    }
    now = Math.max(now, end);
  }

  public void fail(Throwable broken) {
    failure = failure == null ? broken : failure;
  }

  public @Nullable Throwable failure() {
    return failure;
  }

  public void say(Supplier<String> line) {
    if (tracing) {
      trace.add("%10.3f #%d %s".formatted(now / 1000.0, done, line.get()));
      if (trace.size() > REMEMBERED) {
        trace.removeFirst();
      }
    }
  }

  public Iterable<String> trace() {
    return trace;
  }
}
