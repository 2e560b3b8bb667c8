package dev.fairlead.work.workload.kubernetes.client;

/** Resource names under which a cluster offers GPUs, and the labels that describe them. */
public final class GpuResources {
  public static final String WHOLE = "nvidia.com/gpu";

  /** Parts of GPUs, if the device plugin names them differently from whole ones. */
  public static final String SHARED = "nvidia.com/gpu.shared";

  public static final String TAINT = "nvidia.com/gpu";

  private GpuResources() {}

  /** Returns whether nodes offer GPUs or slices under this name. */
  public static boolean gpu(String name) {
    return name.startsWith("nvidia.com/");
  }
}
