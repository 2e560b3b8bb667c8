package dev.fairlead.bench;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Sums the time that this thread has a core, so that a busy machine does not count. */
public final class CoreTime {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private long begun;
  private long nanos;

  public void go() {
    begun = THREADS.getCurrentThreadCpuTime();
  }

  public void stop() {
    nanos += THREADS.getCurrentThreadCpuTime() - begun;
  }

  public long nanos() {
    return nanos;
  }
}
