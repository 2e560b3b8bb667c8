package dev.fairlead.verify.engine.timelapse.trace;

import dev.fairlead.kernel.resources.GpuRequest;

/**
 * A job of a trace.
 *
 * @param submitted seconds since the trace began
 * @param run seconds after all members have started
 * @param members equal members, all or none, at least 1
 * @param gpu GPU of each member
 */
public record Arrival(
    String name,
    String queue,
    long submitted,
    long run,
    int members,
    GpuRequest gpu,
    long cpuMilli,
    long memoryMiB,
    String user,
    String image) {
  /** A job of a trace without users and images. */
  public Arrival(
      String name,
      String queue,
      long submitted,
      long run,
      int members,
      GpuRequest gpu,
      long cpuMilli,
      long memoryMiB) {
    this(name, queue, submitted, run, members, gpu, cpuMilli, memoryMiB, "user", "image");
  }

  /** Thousandths of GPUs of all members. */
  public long gpuMilli() {
    return members * gpu.milliOn(Hardware.DEVICE_MEMORY_MIB);
  }

  /** The job in a trace that begins later by these seconds. */
  public Arrival since(long seconds) {
    return new Arrival(
        name, queue, submitted - seconds, run, members, gpu, cpuMilli, memoryMiB, user, image);
  }

  /** The job with a run of at most these seconds. */
  public Arrival atMost(long seconds) {
    return new Arrival(
        name,
        queue,
        submitted,
        Math.min(run, seconds),
        members,
        gpu,
        cpuMilli,
        memoryMiB,
        user,
        image);
  }
}
