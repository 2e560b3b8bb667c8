package dev.fairlead.data.volume.service;

import dev.fairlead.data.volume.VolumeBreaker;
import dev.fairlead.data.volume.VolumeStore;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ConfirmedLoss;
import dev.fairlead.fleet.cluster.FleetNames;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.springframework.stereotype.Service;

/** Lists clusters that miss many claims of volumes, and confirms that these claims are lost. */
@Service
public class VolumeLosses {
  private static final String CONFIRM = "confirmVolumeLoss";
  private final Transactions transactions;
  private final VolumeStore volumes;
  private final InventoryStore inventory;
  private final AuditLog audit;

  public VolumeLosses(
      Transactions transactions, VolumeStore volumes, InventoryStore inventory, AuditLog audit) {
    this.transactions = transactions;
    this.volumes = volumes;
    this.inventory = inventory;
    this.audit = audit;
  }

  /**
   * An open circuit breaker of the volumes on a cluster.
   *
   * @param cluster name of the cluster
   * @param missing number of volumes with a claim that the cluster no longer shows
   * @param claims number of volumes with a claim on the cluster, including missing ones
   * @param since time when the first of them was missing
   */
  @Schema(name = "VolumeBreakerResponse")
  public record View(String cluster, int missing, int claims, Instant since) {
    private View(String cluster, VolumeBreaker open) {
      this(cluster, open.missing(), open.claims(), open.since());
    }
  }

  /**
   * Open circuit breakers, by name of the cluster.
   *
   * @throws Refusal FORBIDDEN
   */
  public List<View> breakers(Actor actor) {
    Permissions.require(actor, "listVolumeBreakers");
    return volumes.breakers().values().stream()
        .map(one -> new View(inventory.nameOf(one.cluster()).orElseGet(one.cluster()::text), one))
        .sorted(Comparator.comparing(View::cluster))
        .toList();
  }

  /**
   * Confirms that the missing claims are lost. Their volumes become LOST after five minutes in
   * which no check finds the claims. Claims that vanish later are not covered.
   *
   * @param cluster id or name
   * @param missing number of missing claims that the operator saw
   * @return the breaker before the confirmation
   * @throws Refusal FORBIDDEN, NOT_FOUND, ILLEGAL_STATE when no claim or another number of claims
   *     is missing
   */
  public View confirm(Actor actor, String cluster, int missing, boolean validateOnly) {
    Permissions.require(actor, CONFIRM);
    return transactions.callOrTry(
        validateOnly,
        () -> {
          Cluster of = FleetNames.cluster(inventory, cluster);
          VolumeBreaker open = volumes.breakers().get(of.id());
          Instant since = open == null ? null : open.since();
          new ConfirmedLoss(
                  CONFIRM, of, "claims", "/api/v1/volume-breakers", since, volumes.confirm(of.id()))
              .append(audit, actor, missing);
          return new View(of.name(), Objects.requireNonNull(open));
        });
  }
}
