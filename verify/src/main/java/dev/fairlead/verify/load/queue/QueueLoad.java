package dev.fairlead.verify.load.queue;

import dev.fairlead.verify.Clients;
import dev.fairlead.verify.load.queue.QueueRun.Submits;
import java.time.Duration;

/** Runs jobs and measures them. */
final class QueueLoad {
  private static final int CLIENTS = 16;
  private static final int BATCH_CLIENTS = 2;
  private static final int BATCH = 500;

  /** Lives whose statements are counted. */
  private static final int COUNTED = 1_000;

  private static final Duration MOST = Duration.ofMinutes(10);
  private static final long LOOK_MILLIS = 50;

  private QueueLoad() {}

  /**
   * @param jobs to measure, a multiple of 500. Half as many run before them
   */
  static QueueRun measure(String name, JobQueue.Start start, Submits submits, int jobs)
      throws InterruptedException {
    try (JobQueue queue = start.start()) {
      live(queue, submits, jobs / 2);
      Thread.sleep(DatabaseWork.REPORTED_AFTER_MILLIS);
      DatabaseWork before = DatabaseWork.of(queue.database());
      Duration cpu = cpu(queue);
      long began = System.nanoTime();
      live(queue, submits, jobs);
      double seconds = (System.nanoTime() - began) / 1e9;
      double cpuMillis = cpu(queue).minus(cpu).toNanos() / 1e6;
      Thread.sleep(DatabaseWork.REPORTED_AFTER_MILLIS);
      DatabaseWork did = DatabaseWork.of(queue.database()).since(before);
      double lives = jobs;
      double statements = statements(queue, submits);
      return new QueueRun(
          name,
          submits,
          lives / seconds,
          cpuMillis / lives,
          did.commits() / lives,
          statements,
          did.rows() / lives,
          did.hotPercent(),
          did.walBytes() / lives,
          did.walImages() / lives,
          did.diskBytes() / lives,
          did.byTable(lives));
    }
  }

  /** For each life, without the idle time after the last one. */
  private static double statements(JobQueue queue, Submits submits) throws InterruptedException {
    StatementLog log = StatementLog.begin(queue.database());
    live(queue, submits, COUNTED);
    return log.end() / (double) COUNTED;
  }

  private static void live(JobQueue queue, Submits submits, int jobs) throws InterruptedException {
    switch (submits) {
      case DURABLE_PER_JOB -> Clients.each(CLIENTS, jobs, queue::submit);
      case BATCHED -> Clients.each(BATCH_CLIENTS, jobs / BATCH, () -> queue.submit(BATCH));
    }
    long until = System.nanoTime() + MOST.toNanos();
    while (!queue.done()) {
      if (System.nanoTime() > until) {
        throw new IllegalStateException("not all jobs ended within " + MOST.toMinutes() + " min");
      }
      Thread.sleep(LOOK_MILLIS);
    }
  }

  private static Duration cpu(JobQueue queue) {
    return queue.process().info().totalCpuDuration().orElseThrow();
  }
}
