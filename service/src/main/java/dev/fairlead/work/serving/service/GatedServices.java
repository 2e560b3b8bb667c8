package dev.fairlead.work.serving.service;

import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.ServiceRoute;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.ServiceVersion;
import dev.fairlead.work.serving.ServingStore;
import java.net.URI;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** The services of all tenants by host name, as the gate reads and wakes them. */
@Component
public class GatedServices {
  private static final Logger LOG = LoggerFactory.getLogger(GatedServices.class);
  private final ServingStore services;
  private final ConfigStore documents;
  private final TenantStore tenants;
  private final Transactions transactions;
  private final InstantSource clock;

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

  /** All services that are not being deleted. */
  public SortedMap<String, GatedService> byHost() {
    Map<String, ModelService> settings =
        documents.all(ModelService.DOCUMENTS).stream()
            .collect(Collectors.toMap(document -> document.name(), document -> document.value()));
    SortedMap<String, GatedService> found = new TreeMap<>();
    for (ServiceState state : services.all()) {
      ModelService service = settings.get(state.document());
      if (service != null && !state.deleting()) {
        found.put(state.route(), new GatedService(service, state));
      }
    }
    return found;
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
    } catch (Conflict raced) {
      LOG.debug("service {} was changed and is woken again", service.settings().name(), raced);
    }
  }

  /**
   * Address of the ready replicas of a version on the cluster of the caller, empty for a version or
   * a project that no longer exists.
   */
  public Optional<URI> address(GatedService service, int version) {
    ServiceState state = service.state();
    Optional<Project> project =
        transactions.read(() -> tenants.projectNamed(state.tenant(), service.settings().project()));
    Optional<ServiceVersion> served = services.version(state.tenant(), state.id(), version);
    return project.flatMap(of ->
        served.map(each ->
            URI.create(
                "http://%s.%s.svc:%d"
                    .formatted(
                        ServiceRoute.backendName(state.id(), version),
                        of.namespace(),
                        each.endpoint().port()))));
  }
}
