package dev.fairlead.kernel.resources;

/** Names of the resources of every quota and node. Other resources have their Kubernetes name. */
public final class ResourceNames {
  public static final String CPU = "cpu";
  public static final String MEMORY = "memory";
  public static final String GPU = "gpu";
  public static final String PODS = "pods";

  private ResourceNames() {}
}
