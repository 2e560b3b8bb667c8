package dev.fairlead.fleet.cluster.connection;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The form of requests for GPUs on a cluster.
 *
 * @param kind EXTENDED_RESOURCE, or DRA for ResourceClaims of the GPUs that Fairlead chose
 * @param deviceClass DeviceClass of {@code resource.k8s.io/v1} for claims, null for extended
 *     resources
 * @param driver driver that publishes the GPUs in ResourceSlices, null for extended resources
 * @param migDeviceClass DeviceClass of claims for MIG slices, null if only whole GPUs are claimed
 * @param nodes labels of the nodes with claims, empty for all nodes. The device plugins of other
 *     nodes choose the devices
 */
public record PodDevices(
    Kind kind,
    @Nullable String deviceClass,
    @Nullable String driver,
    @Nullable String migDeviceClass,
    SortedMap<String, String> nodes) {
  public static final PodDevices EXTENDED_RESOURCE =
      new PodDevices(Kind.EXTENDED_RESOURCE, null, null, null, Collections.emptySortedMap());

  public PodDevices {
    nodes =
        nodes == null
            ? Collections.emptySortedMap()
            : Collections.unmodifiableSortedMap(new TreeMap<>(nodes));
  }

  /** Forms of the request. */
  public enum Kind {
    /** An amount of {@code nvidia.com/gpu}. The device plugin of the node chooses the devices. */
    EXTENDED_RESOURCE,
    /** A ResourceClaim with the UUIDs of the devices that Fairlead chose. */
    DRA
  }

  /** GPUs by claims of this class, published by this driver. */
  public static PodDevices claimed(String deviceClass, String driver) {
    return new PodDevices(Kind.DRA, deviceClass, driver, null, Collections.emptySortedMap());
  }

  /** Returns a copy that requests MIG slices through claims of this class, null if none. */
  public PodDevices slicing(@Nullable String migClass) {
    return new PodDevices(kind, deviceClass, driver, migClass, nodes);
  }

  /** Returns a copy that applies to nodes with all of these labels. */
  public PodDevices on(SortedMap<String, String> labels) {
    return new PodDevices(kind, deviceClass, driver, migDeviceClass, labels);
  }

  /** Returns whether pods get ResourceClaims. */
  public boolean claims() {
    return kind == Kind.DRA;
  }

  /** Returns whether pods on a node with these labels get ResourceClaims. */
  public boolean claimsOn(Map<String, String> labels) {
    return claims() && labels.entrySet().containsAll(nodes.entrySet());
  }

  /** Returns whether pods with this node selector may run on nodes with ResourceClaims. */
  public boolean mayClaim(Map<String, String> selector) {
    return claims()
        && nodes.entrySet().stream()
            .allMatch(label ->
                selector.getOrDefault(label.getKey(), label.getValue()).equals(label.getValue()));
  }

  /** Returns whether pods get ResourceClaims for MIG slices too. */
  public boolean claimsSlices() {
    return claims() && migDeviceClass != null;
  }

  /** Returns the classes of the claims. */
  public List<String> classes() {
    return Stream.of(deviceClass, migDeviceClass).filter(Objects::nonNull).toList();
  }

  /**
   * Returns the class of the claims for whole GPUs.
   *
   * @throws NullPointerException for extended resources
   */
  public String requiredClass() {
    return Objects.requireNonNull(deviceClass, "no claims");
  }

  /**
   * Returns the driver of the devices.
   *
   * @throws NullPointerException for extended resources
   */
  public String requiredDriver() {
    return Objects.requireNonNull(driver, "no claims");
  }
}
