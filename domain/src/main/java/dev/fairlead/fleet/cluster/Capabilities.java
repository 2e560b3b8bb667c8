package dev.fairlead.fleet.cluster;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a cluster can do, as found out by asking it.
 *
 * @param serverVersion version of its API server, empty when unknown
 * @param fence whether a deposed supervisor's creates are refused there
 * @param gpuIdentity whether the planned device is the one a member gets
 * @param sharing whether fractions and memory shares are realised there
 * @param mig whether MIG profiles are offered there
 * @param networkPolicy whether a network plugin that enforces network policies is seen there
 * @param dra whether it hands out devices by dynamic resource allocation
 * @param topologyLevels names of its levels, widest first
 * @param clusterDomain DNS suffix of its services
 * @param priorityClasses whether it has the priority classes of Fairlead
 * @param storageClasses names, sorted
 * @param reasons for people: why something is not offered or not known, by the name of the
 *     component here
 * @param rightsAsked {@link ClusterRight#LIST} of the version that asked for its rights last, null
 *     when none did or the cluster did not answer
 * @param walls what keeps jobs and Fairlead from what they may not do there, as far as it was tried
 * @param gpuStack each part of the software for GPUs; empty until it was looked at
 * @param nodeMarks whether a node shows a pool or quarantine of ours
 */
public record Capabilities(
    String serverVersion,
    Fence fence,
    GpuIdentity gpuIdentity,
    boolean sharing,
    boolean mig,
    boolean networkPolicy,
    boolean dra,
    List<String> topologyLevels,
    String clusterDomain,
    boolean priorityClasses,
    List<String> storageClasses,
    SortedMap<String, String> reasons,
    @Nullable String rightsAsked,
    List<Wall> walls,
    List<GpuComponent> gpuStack,
    Marks nodeMarks) {
  /** The reason that names nodes with GPUs that are not offered or of which no model is known. */
  public static final String GPU_MODELS = "gpuModels";

  /** State of the admission fence on the cluster. */
  public enum Fence {
    ENFORCED,
    ABSENT,
    UNKNOWN
  }

  /** How sure it is which GPU a member has. */
  public enum GpuIdentity {
    ENFORCED,
    OBSERVED,
    UNKNOWN
  }

  /** Marks of ours on its nodes. */
  public enum Marks {
    UNKNOWN,
    NONE,
    PRESENT
  }

  public static final Capabilities UNSEEN =
      new Capabilities(
          "",
          Fence.UNKNOWN,
          GpuIdentity.UNKNOWN,
          false,
          false,
          false,
          false,
          List.of(),
          "cluster.local");

  public Capabilities {
    topologyLevels = List.copyOf(topologyLevels);
    storageClasses = List.copyOf(storageClasses);
    reasons = Collections.unmodifiableSortedMap(new TreeMap<>(reasons));
    // rows that an older version wrote have none of these
    walls = walls == null ? List.of() : List.copyOf(walls);
    gpuStack = gpuStack == null ? List.of() : List.copyOf(gpuStack);
    nodeMarks = nodeMarks == null ? Marks.UNKNOWN : nodeMarks;
  }

  /** With no wall and no software for GPUs that is known of. */
  public Capabilities(
      String serverVersion,
      Fence fence,
      GpuIdentity gpuIdentity,
      boolean sharing,
      boolean mig,
      boolean networkPolicy,
      boolean dra,
      List<String> topologyLevels,
      String clusterDomain,
      boolean priorityClasses,
      List<String> storageClasses,
      SortedMap<String, String> reasons,
      @Nullable String rightsAsked) {
    this(
        serverVersion,
        fence,
        gpuIdentity,
        sharing,
        mig,
        networkPolicy,
        dra,
        topologyLevels,
        clusterDomain,
        priorityClasses,
        storageClasses,
        reasons,
        rightsAsked,
        List.of(),
        List.of(),
        Marks.UNKNOWN);
  }

  /** The same with these walls. */
  public Capabilities behind(List<Wall> found) {
    return with(reasons, found, gpuStack, nodeMarks);
  }

  /** The same with this software for GPUs. */
  public Capabilities with(List<GpuComponent> found) {
    return with(reasons, walls, found, nodeMarks);
  }

  /** The same with one more reason. */
  public Capabilities because(String name, String why) {
    SortedMap<String, String> all = new TreeMap<>(reasons);
    all.put(name, why);
    return with(all, walls, gpuStack, nodeMarks);
  }

  /** The same with such marks on its nodes. */
  public Capabilities with(Marks found) {
    return with(reasons, walls, gpuStack, found);
  }

  private Capabilities with(
      SortedMap<String, String> why, List<Wall> its, List<GpuComponent> stack, Marks marks) {
    return new Capabilities(
        serverVersion,
        fence,
        gpuIdentity,
        sharing,
        mig,
        networkPolicy,
        dra,
        topologyLevels,
        clusterDomain,
        priorityClasses,
        storageClasses,
        why,
        rightsAsked,
        its,
        stack,
        marks);
  }

  /** Without storage and priority classes, and with nothing to explain. */
  public Capabilities(
      String serverVersion,
      Fence fence,
      GpuIdentity gpuIdentity,
      boolean sharing,
      boolean mig,
      boolean networkPolicy,
      boolean dra,
      List<String> topologyLevels,
      String clusterDomain) {
    this(
        serverVersion,
        fence,
        gpuIdentity,
        sharing,
        mig,
        networkPolicy,
        dra,
        topologyLevels,
        clusterDomain,
        false,
        List.of(),
        Collections.emptySortedMap(),
        null);
  }
}
