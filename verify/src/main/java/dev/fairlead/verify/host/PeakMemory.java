package dev.fairlead.verify.host;

import java.time.Duration;

/** Samples the memory of service and database once a second and records the maximum. */
public final class PeakMemory implements AutoCloseable {
  private static final Duration EVERY = Duration.ofSeconds(1);

  private final Processes processes;
  private final Thread thread;
  private volatile Peak peak = new Peak(0, 0);

  /** Simultaneous memory of both, in MiB. */
  public record Peak(double serviceMiB, double databaseMiB) {
    public double bothMiB() {
      return serviceMiB + databaseMiB;
    }
  }

  private PeakMemory(Processes processes) {
    this.processes = processes;
    this.thread = Thread.ofPlatform().daemon().name("peak-memory").unstarted(this::watch);
  }

  public static PeakMemory watch(Processes processes) {
    PeakMemory memory = new PeakMemory(processes);
    memory.thread.start();
    return memory;
  }

  private void watch() {
    try {
      while (true) {
        Peak now = new Peak(processes.serviceMiB(), processes.databaseMiB());
        peak = now.bothMiB() > peak.bothMiB() ? now : peak;
        Thread.sleep(EVERY);
      }
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
  }

  public Peak peak() {
    return peak;
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
