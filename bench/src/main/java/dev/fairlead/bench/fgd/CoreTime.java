package dev.fairlead.bench.fgd;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Sums the time that this thread has a core, so that a busy machine does not count. */
final class CoreTime {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private long begun;
  private long nanos;

  void go() {
    begun = THREADS.getCurrentThreadCpuTime();
  }

  void stop() {
    nanos += THREADS.getCurrentThreadCpuTime() - begun;
  }

  long nanos() {
    return nanos;
  }
}
