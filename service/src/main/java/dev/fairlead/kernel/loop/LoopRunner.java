package dev.fairlead.kernel.loop;

import java.util.ArrayList;
import java.util.List;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the loops of this process's roles after the application has started, and ends them before
 * it stops.
 */
public final class LoopRunner implements SmartLifecycle {
  private final List<Loop> loops;
  private final LoopThreads threads;
  private final LeaseRenewer heart;
  private final List<LoopThread> running = new ArrayList<>();

  LoopRunner(List<Loop> loops, LoopThreads threads, LeaseRenewer heart) {
    this.loops = loops;
    this.threads = threads;
    this.heart = heart;
  }

  @Override
  public synchronized void start() {
    heart.start();
    loops.forEach(loop -> running.add(threads.of(loop).start()));
  }

  @Override
  public synchronized void stop() {
    running.forEach(LoopThread::end); // in parallel: waits only for the longest pass
    running.reversed().forEach(LoopThread::close);
    running.clear();
    heart.stop();
  }

  @Override
  public synchronized boolean isRunning() {
    return !running.isEmpty();
  }
}
