package dev.fairlead.fleet.cluster.connection;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The form of requests for whole GPUs on a cluster.
 *
 * @param deviceClass DeviceClass of {@code resource.k8s.io/v1} for claims, null for extended
 *     resources
 * @param driver driver that publishes the GPUs in ResourceSlices, null for extended resources
 */
public record PodDevices(Kind kind, @Nullable String deviceClass, @Nullable String driver) {
  public static final PodDevices EXTENDED_RESOURCE =
      new PodDevices(Kind.EXTENDED_RESOURCE, null, null);

  /** Forms of the request. */
  public enum Kind {
    /** An amount of {@code nvidia.com/gpu}. The device plugin of the node chooses the devices. */
    EXTENDED_RESOURCE,
    /** A ResourceClaim with the UUIDs of the devices that Fairlead chose. */
    DRA
  }

  /** GPUs by claims of this class, published by this driver. */
  public static PodDevices claimed(String deviceClass, String driver) {
    return new PodDevices(Kind.DRA, deviceClass, driver);
  }

  /** Whether pods get ResourceClaims. */
  public boolean claims() {
    return kind == Kind.DRA;
  }

  /**
   * Returns the class of the claims.
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
