package dev.fairlead.kernel.loop;

import dev.fairlead.kernel.transaction.LoopWork;
import dev.fairlead.work.event.WakeUps;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;

/** The loops of this process, each on a separate thread. */
public final class LoopThreads {
  private final WakeUps wakeUps;
  private final MeterRegistry metrics;
  private final MonotonicClock clock;
  private final Set<LoopThread> running = ConcurrentHashMap.newKeySet();

  public LoopThreads(WakeUps wakeUps, MeterRegistry metrics, MonotonicClock clock) {
    this.wakeUps = wakeUps;
    this.metrics = metrics;
    this.clock = clock;
  }

  /** Creates a thread for the loop, not started. */
  public LoopThread of(Loop loop) {
    return new LoopThread(loop, wakeUps, metrics, clock, running);
  }

  /** Virtual threads for the work of a loop, named by the prefix and a number. */
  public static ThreadFactory workers(String prefix) {
    ThreadFactory threads = Thread.ofVirtual().name(prefix, 0).factory();
    return work -> threads.newThread(() -> LoopWork.run(work));
  }

  /** The status of each loop that runs, by name. */
  public List<LoopStatus> statuses() {
    return running.stream()
        .map(LoopThread::status)
        .sorted(Comparator.comparing(LoopStatus::name))
        .toList();
  }
}
