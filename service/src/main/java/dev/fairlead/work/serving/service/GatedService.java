package dev.fairlead.work.serving.service;

import dev.fairlead.work.serving.Idleness;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.ServiceState;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The gate's view of a service.
 *
 * @param settings its settings when the state was read
 * @param addresses address of the ready replicas on the cluster of the gate, by version. A version
 *     without traffic, or of a project that no longer exists, has none
 * @param modelSince creation time of its stable version, null if its server is not
 *     OpenAI-compatible
 */
public record GatedService(
    ModelService settings,
    ServiceState state,
    SortedMap<Integer, URI> addresses,
    @Nullable Instant modelSince) {
  /** A version and the address of its ready replicas. */
  public record Target(int version, URI address) {}

  private static final Duration LEAST_PATIENCE = Duration.ofSeconds(30);

  public GatedService {
    addresses = Collections.unmodifiableSortedMap(new TreeMap<>(addresses));
  }

  /** Returns whether each request needs a key of the service. */
  public boolean keyed() {
    return settings.access() == ModelService.Access.KEYS;
  }

  /**
   * Returns whether the service accepts a request that was admitted earlier by its host name. The
   * service must be the same, and the request needs a key if the service now requires a key.
   */
  public boolean admits(GatedService earlier) {
    return settings.id().equals(earlier.settings.id()) && (earlier.keyed() || !keyed());
  }

  /** Returns whether a version has traffic, so that its address has a ready replica. */
  public boolean open() {
    return !state.closed() && !state.weights().isEmpty();
  }

  /** Time within which a replica is expected, empty before the first measured start. */
  public Optional<Duration> startBudget() {
    return Optional.ofNullable(state.idleness()).flatMap(Idleness::startBudget);
  }

  /**
   * Maximum time for which a request waits for a replica.
   *
   * @param longest the limit of the gate
   */
  public Duration patience(Duration longest) {
    Duration expected =
        startBudget().filter(budget -> budget.compareTo(longest) < 0).orElse(longest);
    return expected.compareTo(LEAST_PATIENCE) > 0 || longest.compareTo(LEAST_PATIENCE) < 0
        ? expected
        : LEAST_PATIENCE;
  }

  /**
   * The version that gets a request, by the weights of the route.
   *
   * @param draw 0 to 99
   */
  public Optional<Target> target(int draw) {
    int passed = 0;
    for (var each : state.weights().entrySet()) {
      passed += each.getValue();
      if (draw < passed) {
        return Optional.ofNullable(addresses.get(each.getKey()))
            .map(address -> new Target(each.getKey(), address));
      }
    }
    return Optional.empty();
  }
}
