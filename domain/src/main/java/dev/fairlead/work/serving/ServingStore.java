package dev.fairlead.work.serving;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.event.WakeUps;
import java.util.List;
import java.util.Optional;

/**
 * Services with their versions and traffic. The service's document removes all of them when it is
 * deleted.
 */
public interface ServingStore {
  /** All services of all tenants. */
  List<ServiceState> all();

  /**
   * Services of all tenants that objects of a front cluster own, by document, without replicas.
   *
   * @param cluster its name
   */
  List<OwnedService> owned(String cluster);

  /** Returns the service of the document, or empty for a document of another tenant. */
  Optional<ServiceState> find(TenantId tenant, String document);

  /**
   * @throws dev.fairlead.kernel.transaction.Conflict NAME_TAKEN for the route of another service
   */
  void insert(ServiceState state);

  /**
   * Replaces the revision before that of the state.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION when another revision is stored,
   *     NAME_TAKEN for the route of another service
   */
  void update(ServiceState state);

  /** Wakes the loops that listen for the topic, after the commit of an open transaction. */
  void changed(WakeUps.Topic topic);

  void insert(TenantId tenant, ServiceVersion version);

  Optional<ServiceVersion> version(TenantId tenant, ModelServiceId service, int number);

  /**
   * Versions of a service, the newest first.
   *
   * @param before only versions with a smaller number
   */
  List<ServiceVersion> versions(TenantId tenant, ModelServiceId service, int before, int limit);

  int countVersions(TenantId tenant, ModelServiceId service);

  /** Deletes the version. Returns false when it does not exist. */
  boolean deleteVersion(TenantId tenant, ModelServiceId service, int number);

  /**
   * Replaces the last report of a cluster's gateway. Counts are added up over gateways whose
   * counters restart.
   */
  void report(ClusterId cluster, List<ServiceTraffic> seen);

  /** The traffic of the versions of a service on all clusters together, by number. */
  List<ServiceTraffic> traffic(TenantId tenant, ModelServiceId service);
}
