package dev.fairlead.work.job.web.spec;

import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.MigGeometry;

/** Default CPU, memory and shared memory of a member, in proportion to its GPUs. */
final class MemberDefaults {
  private static final long CPU_MILLI_PER_GPU = 4000;
  private static final long MEMORY_MIB_PER_GPU = 16 * 1024;
  private static final long LEAST_CPU_MILLI = 1000;
  private static final long LEAST_MEMORY_MIB = 2 * 1024;
  private static final long SHM_MIB_WITH_GPU = 1024;
  private static final long SHM_MIB_WITHOUT = 64;
  private static final int WHOLE_MILLI = 1000;

  private MemberDefaults() {}

  static long cpuMilli(GpuRequest gpu) {
    return Math.max(LEAST_CPU_MILLI, Math.ceilDiv(CPU_MILLI_PER_GPU * gpuMilli(gpu), WHOLE_MILLI));
  }

  static long memoryMiB(GpuRequest gpu) {
    return Math.max(
        LEAST_MEMORY_MIB, Math.ceilDiv(MEMORY_MIB_PER_GPU * gpuMilli(gpu), WHOLE_MILLI));
  }

  /** Never more than the memory of the member, which contains it. */
  static long shmMiB(GpuRequest gpu, long memoryMiB) {
    return Math.min(
        memoryMiB, gpu.kind() == GpuRequest.Kind.NONE ? SHM_MIB_WITHOUT : SHM_MIB_WITH_GPU);
  }

  /** A share by memory does not count: its part of a GPU depends on the device. */
  private static long gpuMilli(GpuRequest gpu) {
    return switch (gpu.kind()) {
      case NONE, MEMORY -> 0;
      case WHOLE -> (long) gpu.count() * WHOLE_MILLI;
      case FRACTION -> gpu.fractionMilli();
      case MIG ->
          gpu.count() * MigGeometry.computeMilli(gpu.migProfile() == null ? "1" : gpu.migProfile());
    };
  }
}
