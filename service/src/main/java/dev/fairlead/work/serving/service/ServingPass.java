package dev.fairlead.work.serving.service;

import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.event.WakeUps;
import dev.fairlead.work.serving.ModelService;
import dev.fairlead.work.serving.ModelServiceId;
import dev.fairlead.work.serving.ServiceRoute;
import dev.fairlead.work.serving.ServiceState;
import dev.fairlead.work.serving.ServiceTraffic;
import dev.fairlead.work.serving.ServingGateway;
import dev.fairlead.work.serving.ServingStore;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.springframework.stereotype.Component;

/** One pass over a cluster: applies the routes of all services and stores their counts. */
@Component
public class ServingPass {
  private final ServingStore services;
  private final ConfigStore documents;
  private final InventoryStore inventory;
  private final ReplicaSignals signals;
  private final Transactions transactions;
  private final Map<ClusterId, Set<JobId>> shown = new ConcurrentHashMap<>();

  public ServingPass(
      ServingStore services,
      ConfigStore documents,
      InventoryStore inventory,
      ReplicaSignals signals,
      Transactions transactions) {
    this.services = services;
    this.documents = documents;
    this.inventory = inventory;
    this.signals = signals;
    this.transactions = transactions;
  }

  /**
   * @throws dev.fairlead.kernel.transaction.FenceLost when another process has the lease
   */
  public void run(ClusterId cluster, HeldLease lease, ServingGateway gateway) {
    Map<String, ConfigDocument<ModelService>> settings = documents.byName(ModelService.DOCUMENTS);
    String name = inventory.nameOf(cluster).orElse("");
    List<ServiceState> states = services.all();
    List<ServiceRoute> routes =
        states.stream()
            .flatMap(state ->
                Optional.ofNullable(settings.get(state.document()))
                    .map(document -> ServiceRoute.of(document.value(), state, name))
                    .stream())
            .filter(route -> route.gated() || !route.backends().isEmpty())
            .toList();
    Optional<List<ServiceTraffic>> answer = gateway.serve(routes);
    if (!states.isEmpty()) {
      answer
          .map(seen -> signals.read(cluster, seen, states, byId(settings)))
          .ifPresent(seen -> transactions.runFenced(lease, () -> report(cluster, seen)));
    }
  }

  /** Another set of ready replicas wakes the loop that plans. */
  private void report(ClusterId cluster, List<ServiceTraffic> seen) {
    services.report(cluster, seen);
    Set<JobId> ready =
        seen.stream().flatMap(each -> each.ready().stream()).collect(Collectors.toSet());
    if (!ready.equals(shown.put(cluster, ready))) {
      services.changed(WakeUps.Topic.SERVICES);
    }
  }

  private static Map<ModelServiceId, ModelService> byId(
      Map<String, ConfigDocument<ModelService>> settings) {
    return settings.values().stream()
        .map(ConfigDocument::value)
        .collect(Collectors.toMap(ModelService::id, service -> service));
  }
}
