package dev.fairlead.verify.load.queue;

import dev.fairlead.launcher.EmbeddedDatabase;

/** A running system for jobs that do nothing, with a separate database. */
interface JobQueue extends AutoCloseable {
  /** Starts a system. */
  interface Start {
    JobQueue start() throws InterruptedException;
  }

  /** Stores one job in a separate commit. */
  void submit();

  /** Stores several jobs, with one commit for all if the system supports it. */
  void submit(int jobs);

  /** Returns whether the ends of all submitted jobs are stored. */
  boolean done();

  EmbeddedDatabase database();

  /** The process whose CPU is counted. */
  ProcessHandle process();

  @Override
  void close();
}
