package dev.fairlead.fleet.cluster.service;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterCheck;
import dev.fairlead.fleet.cluster.ClusterEvent;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.FleetNames;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.cluster.ServerCheck;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.fleet.cluster.connection.PodDevices;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Changes the settings, the state and the credentials of a registered cluster. */
@Service
public class ClusterChanges {
  private final Transactions transactions;
  private final InventoryStore inventory;
  private final ConnectionCheck connections;
  private final ClusterCheck check;
  private final ServerCheck server;
  private final AuditLog audit;

  public ClusterChanges(
      Transactions transactions,
      InventoryStore inventory,
      ConnectionCheck connections,
      ClusterCheck check,
      ServerCheck server,
      AuditLog audit) {
    this.transactions = transactions;
    this.inventory = inventory;
    this.connections = connections;
    this.check = check;
    this.server = server;
    this.audit = audit;
  }

  /**
   * Changes a cluster. Running attempts continue with the capacity type and price of their
   * placement.
   *
   * @param text id or name
   * @param expected version that the caller read
   * @param force whether to disable the cluster despite open requests for nodes Accepts another
   *     server even if the cluster has Jobs of a front or volumes, and also with running attempts
   *     if the stored connection cannot be decrypted.
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH, UNSAFE_KUBECONFIG, UNSAFE_ADDRESS,
   *     ILLEGAL_STATE if its state does not accept the event, if the server is or may be another
   *     one while the cluster has attempts, Jobs of a front or volumes, if the event disables it
   *     while requests for nodes are open, or if the form of GPU requests changes while the cluster
   *     has attempts. INVALID_FIELD for a DeviceClass that the cluster lacks
   */
  public ClusterReadModel update(
      Actor actor,
      String text,
      ClusterChange change,
      long expected,
      boolean force,
      boolean validateOnly) {
    Permissions.require(actor, "updateCluster");
    if (change.fields().contains("prometheus") || change.fields().contains("gateway")) {
      connections.of(change.settings());
    }
    Connection connection =
        change.reconnects() ? connections.of(change.kubeconfig(), change.connection()) : null;
    try {
      return transactions.call(() -> {
        Cluster cluster = FleetNames.cluster(inventory, text);
        FleetCommands.refuseUnlessAt(expected, cluster);
        refuseOtherDevices(cluster, change);
        String forced = refuseAnotherServer(cluster, connection, force);
        Cluster after = written(actor, cluster, change, connection, force, forced, validateOnly);
        return new ClusterReadModel(after, inventory.size(cluster.id()));
      });
    } catch (Conflict raced) {
      throw FleetCommands.stale(text);
    }
  }

  private Cluster written(
      Actor actor,
      Cluster cluster,
      ClusterChange change,
      @Nullable Connection connection,
      boolean force,
      String unproven,
      boolean validateOnly) {
    String still = change.event() == ClusterEvent.DISABLE ? standsStill(cluster, force) : "";
    String forced = (unproven + " " + still).strip();
    Cluster after = cluster;
    Cluster said =
        cluster.configured(change.capacity(), change.pricePerGpuHour(), change.settings());
    if (connection != null || !same(cluster, said)) {
      after = said;
      if (!validateOnly) {
        inventory.configure(said, connection);
      }
    }
    Cluster moved = change.event() == null ? after : FleetCommands.after(after, change.event());
    if (!validateOnly && moved.version() > after.version()) {
      inventory.update(moved);
    }
    if (!validateOnly && moved.version() > cluster.version()) {
      TreeMap<String, Object> detail = new TreeMap<>();
      detail.put("fields", change.fields());
      detail.put("state", moved.state().name());
      if (!forced.isEmpty()) {
        detail.put("forced", forced);
      }
      audit.append(
          new AuditRecord(actor, "updateCluster", cluster.id().text(), true, detail)
              .changed(cluster, moved));
    }
    return moved;
  }

  /**
   * Refuses another form of GPU requests while attempts run, because they hold slots of the form of
   * their launch. Refuses claims if the cluster was seen to lack their DeviceClass.
   */
  private void refuseOtherDevices(Cluster cluster, ClusterChange change) {
    PodDevices wanted = change.settings().devices();
    if (wanted.equals(cluster.settings().devices())) {
      return;
    }
    if (!inventory.busy(cluster.id()).isEmpty()) {
      throw new Refusal(
          ProblemCode.ILLEGAL_STATE,
          "Cluster "
              + cluster.name()
              + " runs attempts, so the form of its GPU requests cannot change. Drain it first.");
    }
    Capabilities can = cluster.capabilities();
    List<String> missing = new ArrayList<>(wanted.classes());
    missing.removeAll(can.deviceClasses());
    if (!missing.isEmpty() && !can.serverVersion().isEmpty()) {
      String field =
          missing.getFirst().equals(wanted.deviceClass()) ? "deviceClass" : "migDeviceClass";
      throw Refusal.field(
          "/devices/" + field,
          "Cluster %s has no DeviceClass %s%s. Install the DRA driver of its GPUs (Kubernetes 1.34 or later), which creates the class. Fairlead sees it within five minutes."
              .formatted(
                  cluster.name(),
                  missing.getFirst(),
                  can.deviceClasses().isEmpty()
                      ? ""
                      : ", only " + String.join(", ", can.deviceClasses())));
    }
  }

  /**
   * Lists the requests that stop because the cluster is disabled by force. Returns an empty text if
   * none.
   */
  private String standsStill(Cluster cluster, boolean force) {
    String why = cluster.state() == ClusterState.DISABLED ? "" : check.refuses(cluster).orElse("");
    if (!why.isEmpty() && !force) {
      throw new Refusal(ProblemCode.ILLEGAL_STATE, why);
    }
    return why;
  }

  private static boolean same(Cluster a, Cluster b) {
    return a.capacity() == b.capacity()
        && a.pricePerGpuHour().equals(b.pricePerGpuHour())
        && a.settings().equals(b.settings());
  }

  /**
   * Refuses another API server if the cluster would lose something by it. Attempts would be looked
   * up on a server where every name is free. Nodes of the same names with other boot ids would
   * count as proof that attempts ended. Jobs of a front and volumes would appear deleted. Nothing
   * else in the database identifies the server, so only the operator can decide if the stored
   * connection cannot be decrypted.
   *
   * @return the finding that {@code force} overrode, empty if none
   */
  private String refuseAnotherServer(
      Cluster cluster, @Nullable Connection connection, boolean force) {
    String next = server(connection);
    if (next == null) {
      return "";
    }
    boolean runs = !inventory.busy(cluster.id()).isEmpty();
    List<String> held = server.heldBy(cluster);
    if (!runs && held.isEmpty()) {
      return "";
    }
    String has = runs ? "runs attempts" : "has " + String.join(" and ", held);
    try {
      String now = server(inventory.connection(cluster.id()));
      if (now == null || Objects.equals(next, now)) {
        return "";
      }
    } catch (IllegalStateException sealed) {
      return accepted(
          force,
          ("Cluster %s %s, and Fairlead cannot verify that this is its server, because its"
                  + " stored connection cannot be decrypted: %s.")
              .formatted(cluster.name(), has, sealed.getMessage()),
          "Restore the key. If it is lost, verify that this is the same cluster, and retry "
              + "with force=true: another cluster has no objects of these attempts, and"
              + " their jobs may run twice. Front Jobs and volumes would appear to be deleted.");
    }
    if (runs) {
      throw new Refusal(
          ProblemCode.ILLEGAL_STATE,
          "Cluster "
              + cluster.name()
              + " runs attempts, so its server address cannot change. Drain it first. Its CA and"
              + " credentials can be changed at any time. A token for Slurm must name the same"
              + " user.");
    }
    return accepted(
        force,
        "Cluster %s %s, which a different API server would not have."
            .formatted(cluster.name(), has),
        "If the new address belongs to another cluster, register that cluster under its own name."
            + " If it is the same cluster at another address, retry with force=true.");
  }

  /**
   * Returns the address of the cluster, null for a simulated one. A Slurm user finds and cancels
   * only jobs that it has submitted.
   */
  private static @Nullable String server(@Nullable Connection connection) {
    return switch (connection) {
      case Connection.Kubernetes kubernetes -> kubernetes.server();
      case Connection.Slurm slurm -> slurm.user() + " at " + slurm.server();
      case Connection.Simulated _ -> null;
      case null -> null;
    };
  }

  private static String accepted(boolean force, String why, String next) {
    if (!force) {
      throw new Refusal(ProblemCode.ILLEGAL_STATE, why + " " + next);
    }
    return why;
  }
}
