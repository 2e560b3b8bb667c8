package dev.fairlead.work.serving.service;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.event.WakeUps;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.ServiceRoute;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.ServiceVersion;
import dev.fairlead.work.serving.ServingStore;
import java.net.URI;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * The services of all tenants by host name, as the gate reads and wakes them. A version never
 * changes, so it is read once. Not thread-safe.
 */
@Component
public class GatedServices {
  private static final Logger LOG = LoggerFactory.getLogger(GatedServices.class);
  private final ServingStore services;
  private final ConfigStore documents;
  private final TenantStore tenants;
  private final Transactions transactions;
  private final InstantSource clock;
  private final Map<Served, Known> versions = new HashMap<>();

  private record Served(ModelServiceId service, int version) {}

  /**
   * Properties of a version for the gate.
   *
   * @param modelSince creation time, null if its server is not OpenAI-compatible
   */
  private record Known(URI address, @Nullable Instant modelSince) {}

  public GatedServices(
      ServingStore services,
      ConfigStore documents,
      TenantStore tenants,
      Transactions transactions,
      InstantSource clock) {
    this.services = services;
    this.documents = documents;
    this.tenants = tenants;
    this.transactions = transactions;
    this.clock = clock;
  }

  /**
   * All services that are not being deleted, with the addresses of versions with traffic. Settings
   * and states are read in sequence, so a service that replaces a namesake between the two reads is
   * included in the next pass.
   */
  public SortedMap<String, GatedService> byHost() {
    Map<String, ConfigDocument<ModelService>> settings = documents.byName(ModelService.DOCUMENTS);
    SortedMap<String, GatedService> found = new TreeMap<>();
    Set<Served> served = new HashSet<>();
    for (ServiceState state : services.all()) {
      ConfigDocument<ModelService> document = settings.get(state.document());
      ModelService service = document == null ? null : document.value();
      if (service != null && service.id().equals(state.id()) && !state.deleting()) {
        state.weights().keySet().forEach(each -> served.add(new Served(state.id(), each)));
        served.add(new Served(state.id(), state.stable()));
        found.put(
            state.route(),
            new GatedService(service, state, addresses(service, state), model(service, state)));
      }
    }
    versions.keySet().retainAll(served);
    return found;
  }

  private @Nullable Instant model(ModelService service, ServiceState state) {
    return service.access() == ModelService.Access.KEYS
        ? known(service, state, state.stable()).map(Known::modelSince).orElse(null)
        : null;
  }

  private SortedMap<Integer, URI> addresses(ModelService service, ServiceState state) {
    SortedMap<Integer, URI> found = new TreeMap<>();
    for (int version : state.weights().keySet()) {
      known(service, state, version).ifPresent(read -> found.put(version, read.address()));
    }
    return found;
  }

  /** An unreadable version does not delay others. The next pass reads it again. */
  private Optional<Known> known(ModelService service, ServiceState state, int version) {
    Served served = new Served(state.id(), version);
    try {
      if (!versions.containsKey(served)) {
        read(service, state, version).ifPresent(read -> versions.put(served, read));
      }
    } catch (RuntimeException failed) {
      LOG.warn("version {} of service {} cannot be read", version, service.name(), failed);
    }
    return Optional.ofNullable(versions.get(served));
  }

  /**
   * Starts a replica of a service that sleeps, or renews the time after which an awake one sleeps.
   * A change that another process made first is repeated by the caller's next call.
   */
  public void wake(GatedService service) {
    ServiceState next = service.state().woken(clock.instant(), "a request waits at the gate");
    if (next.revision() == service.state().revision()) {
      return;
    }
    try {
      services.update(next);
      services.changed(WakeUps.Topic.SERVICES);
    } catch (Conflict raced) {
      LOG.debug("service {} was changed and is woken again", service.settings().name(), raced);
    }
  }

  /** Returns empty for a version or a project that no longer exists. */
  private Optional<Known> read(ModelService service, ServiceState state, int version) {
    Optional<Project> project =
        transactions.read(() -> tenants.projectNamed(state.tenant(), service.project()));
    Optional<ServiceVersion> served = services.version(state.tenant(), state.id(), version);
    return project.flatMap(of ->
        served.map(each ->
            new Known(
                URI.create(
                    "http://%s.%s.svc:%d"
                        .formatted(
                            ServiceRoute.backendName(state.id(), version),
                            of.namespace(),
                            each.endpoint().port())),
                each.openAi() ? each.createdAt() : null)));
  }
}
