package dev.fairlead.work.placement.shape;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.MigSlices;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.MigResource;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.spec.BackendLoss;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.PlacementSpec.Numa;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.spec.TopologySpec;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Equal members of a job, as placement uses them.
 *
 * @param role position of their role in the spec
 * @param count requested number of members, at least 1
 * @param minCount minimum number of members, 1..count
 * @param cpuMilli thousandths of a core per member, at least 0
 * @param memoryMiB host memory per member, at least 0
 * @param terms requirements on a node other than resources
 */
@RecordBuilder
public record MemberShape(
    int role,
    String name,
    int count,
    int minCount,
    GpuRequest gpu,
    long cpuMilli,
    long memoryMiB,
    boolean rdma,
    @Nullable TopologySpec topology,
    NodeTerms terms)
    implements MemberShapeBuilder.With {
  static MemberShape of(
      int role, RoleSpec spec, PlacementSpec placement, SortedSet<BackendLoss> losses) {
    int count = Math.max(1, spec.count());
    return MemberShapeBuilder.builder()
        .role(role)
        .name(spec.name())
        .count(count)
        .minCount(Math.clamp(spec.minCount(), 1, count))
        .gpu(spec.gpu())
        .cpuMilli(Math.max(0, spec.memberCpuMilli()))
        .memoryMiB(Math.max(0, spec.memberMemoryMiB()))
        .rdma(spec.rdma())
        .topology(spec.topology())
        .terms(NodeTerms.of(placement, spec.image().equals(RoleSpec.NO_IMAGE), losses))
        .build();
  }

  public SortedMap<String, String> nodeLabels() {
    return terms.nodeLabels();
  }

  /** Returns which jobs may share a domain with the members. */
  public Neighbours neighbours() {
    return terms.neighbours();
  }

  public Numa numa() {
    return terms.numa();
  }

  public SortedMap<NodeId, Instant> backsOff() {
    return terms.backsOff();
  }

  /** Returns the nodes that advance reservations close to the members. */
  public BookedNodes booked() {
    return terms.booked();
  }

  /** Returns the same members with these advance reservations, which close their nodes. */
  public MemberShape booked(BookedNodes closed) {
    return booked().equals(closed)
        ? this
        : with(count, minCount, gpu, topology, terms.booked(closed));
  }

  public boolean asksGpu() {
    return gpu.kind() != GpuRequest.Kind.NONE;
  }

  /**
   * Returns the number of entirely free GPUs that one member needs on a node, 0 for other requests.
   */
  public int wholeGpus() {
    return gpu.kind() == GpuRequest.Kind.WHOLE ? gpu.count() : 0;
  }

  public boolean elastic() {
    return minCount < count;
  }

  /**
   * Returns whether the member requests MIG slices that a node offers as a resource, or a fabric.
   */
  public boolean asksExtended() {
    return rdma || gpu.kind() == GpuRequest.Kind.MIG;
  }

  /**
   * Returns the request of one member for resources that the cluster names: its fabric, and
   * preconfigured MIG slices.
   */
  public SortedMap<String, Long> extended(Cluster cluster, Node node) {
    if (!asksExtended()) {
      return Collections.emptySortedMap();
    }
    SortedMap<String, Long> extended = new TreeMap<>();
    String fabric = cluster.settings().rdmaResource();
    if (rdma && fabric != null) {
      extended.put(fabric, 1L);
    }
    String profile = gpu.migProfile();
    if (profile != null && MigSlices.onDemand(cluster, node).isEmpty()) {
      extended.put(MigResource.of(profile), (long) gpu.count());
    }
    return extended;
  }

  /** Returns the resources that one member uses on a node. */
  public ResourceVector request(Cluster cluster, Node node) {
    SortedMap<String, Long> extended = extended(cluster, node);
    boolean cutBefore =
        gpu.kind() == GpuRequest.Kind.MIG && MigSlices.onDemand(cluster, node).isEmpty();
    long gpuMilli = cutBefore ? 0 : gpu.milliOn(node.gpuModel(), node.gpuMemoryMiB());
    return new ResourceVector(cpuMilli, memoryMiB, gpuMilli, 1, extended);
  }

  /** Returns the shape with another number of members, not elastic. */
  public MemberShape times(int members) {
    return with(members, members, gpu, topology, terms);
  }

  public MemberShape asking(GpuRequest other) {
    return with(count, minCount, other, topology, terms);
  }

  public MemberShape near(@Nullable TopologySpec other) {
    return with(count, minCount, gpu, other, terms);
  }

  /** Returns the shape for a job that avoids these nodes. */
  MemberShape avoiding(SortedMap<NodeId, Instant> nodes) {
    return with(count, minCount, gpu, topology, terms.avoiding(nodes));
  }

  /** Returns the shape for a job that these terms concern. */
  MemberShape among(Neighbours others) {
    return with(count, minCount, gpu, topology, terms.among(others));
  }

  MemberShape under(PlacementSpec placement) {
    return with(
        count,
        minCount,
        gpu,
        topology,
        NodeTerms.of(placement, terms.bare(), terms.losses())
            .avoiding(backsOff())
            .booked(booked())
            .among(neighbours().under(placement)));
  }

  private MemberShape with(
      int most, int fewest, GpuRequest asked, @Nullable TopologySpec near, NodeTerms on) {
    return with().count(most).minCount(fewest).gpu(asked).topology(near).terms(on).build();
  }
}
