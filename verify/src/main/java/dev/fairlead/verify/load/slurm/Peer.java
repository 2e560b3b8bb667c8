package dev.fairlead.verify.load.slurm;

import java.util.SortedMap;

/** A running system for jobs that do nothing, on {@value #NODES} nodes. */
interface Peer extends AutoCloseable {
  int NODES = 6;

  /** Places of a node, each for one job: CPUs of Slurm, GPUs of Fairlead. */
  int PLACES = 8;

  /** Submits one job. */
  void submit();

  /** Submits an array in one request. */
  void array(int elements);

  /** Returns whether all submitted jobs and elements have started. */
  boolean started();

  /** Returns whether all submitted jobs and elements have ended. */
  boolean ended();

  /**
   * Waits until the accounting has stored all jobs.
   *
   * @throws IllegalStateException when a job is missing or has failed
   */
  void settle() throws InterruptedException;

  /** CPU time since the start of the system in milliseconds, by part. Clients are not included. */
  SortedMap<String, Double> cpuMillis();

  /** Closes the nodes for jobs, and submits jobs that wait. */
  void fill(int jobs) throws InterruptedException;

  /** Questions of a user about the waiting jobs, by the command. */
  SortedMap<String, Runnable> questions();

  /** Part of the system that is not measured, with the reason. Empty for none. */
  String missing();

  @Override
  void close();
}
