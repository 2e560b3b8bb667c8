package dev.fairlead.verify;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Sums the CPU time of this thread, so that the load of the machine does not matter. */
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
