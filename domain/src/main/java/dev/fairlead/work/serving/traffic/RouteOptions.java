package dev.fairlead.work.serving.traffic;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Features of a route that not every GatewayClass has.
 *
 * @param mirror percent of the requests that are copied to a new version during a step of 0 %
 * @param timeout longest duration of a request
 * @param retries further tries of a request that a replica answers with 502, 503 or 504
 */
public record RouteOptions(
    @Nullable Integer mirror, @Nullable Duration timeout, @Nullable Integer retries) {
  public static final RouteOptions NONE = new RouteOptions(null, null, null);

  private static final int ALL = 100;

  /** A feature with its name in {@code GatewayClass.status.supportedFeatures}. */
  public enum Feature {
    MIRROR("mirror", "HTTPRouteRequestMirror"),
    PART_OF_MIRROR("mirror", "HTTPRouteRequestPercentageMirror"),
    TIMEOUT("timeout", "HTTPRouteRequestTimeout"),
    RETRIES("retries", "HTTPRouteRetry");

    private final String field;
    private final String supported;

    Feature(String field, String supported) {
      this.field = field;
      this.supported = supported;
    }

    /** Field of the service. */
    public String field() {
      return field;
    }

    /** Its name in the Gateway API. */
    public String supported() {
      return supported;
    }

    /** Key of the reason of a cluster without it. */
    public String reason() {
      return "serving." + supported;
    }
  }

  /** The features that these options need. */
  public SortedSet<Feature> needs() {
    Map<Feature, Boolean> wanted = new EnumMap<>(Feature.class);
    wanted.put(Feature.MIRROR, mirror != null);
    wanted.put(Feature.PART_OF_MIRROR, mirror != null && mirror < ALL);
    wanted.put(Feature.TIMEOUT, timeout != null);
    wanted.put(Feature.RETRIES, retries != null);
    SortedSet<Feature> needs = new TreeSet<>();
    wanted.forEach((feature, is) -> {
      if (is) {
        needs.add(feature);
      }
    });
    return needs;
  }
}
