package dev.fairlead.fleet.cluster.service;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.cluster.IsolationFeature;
import dev.fairlead.fleet.cluster.connection.AccountToken;
import dev.fairlead.fleet.cluster.connection.ClientCertificate;
import dev.fairlead.fleet.cluster.connection.ClusterRight;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.kernel.doctor.Diagnosis;
import dev.fairlead.kernel.doctor.DoctorCheck;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Component;

/**
 * Checks whether each cluster answers, which capabilities it lacks, and whether its credentials can
 * be decrypted with the key.
 */
@Component
public class ClusterDiagnosis implements Diagnosis {
  private static final String RIGHTS = "rights";
  private static final String ISOLATION = "isolation";
  private static final String LABELS = "nodeLabelsAndTaints";
  private static final String VOLUMES = "volumes";
  private final InventoryStore inventory;
  private final InstantSource clock;

  public ClusterDiagnosis(InventoryStore inventory, InstantSource clock) {
    this.inventory = inventory;
    this.clock = clock;
  }

  @Override
  public String area() {
    return "clusters";
  }

  @Override
  public List<DoctorCheck> look() {
    List<DoctorCheck> found = new ArrayList<>();
    for (Cluster cluster : inventory.clusters()) {
      found.add(contact(cluster));
      if (cluster.kind() == ClusterKind.KUBERNETES) {
        found.add(credentials(cluster));
        found.add(fence(cluster));
        found.add(rights(cluster));
        found.add(isolation(cluster));
        labels(cluster).ifPresent(found::add);
        volumes(cluster).ifPresent(found::add);
        groups(cluster).ifPresent(found::add);
      }
    }
    return found;
  }

  private DoctorCheck contact(Cluster cluster) {
    String said = cluster.trouble() == null ? "" : ": " + cluster.trouble();
    return switch (cluster.state()) {
      case ACTIVE ->
          cluster.trouble() == null
              ? DoctorCheck.ok(area(), cluster.name(), "answers, " + version(cluster))
              : DoctorCheck.warning(
                  area(),
                  cluster.name(),
                  "answers" + said,
                  "Repair the named cause. Other projects may be unaffected.");
      case DEGRADED ->
          DoctorCheck.problem(
              area(),
              cluster.name(),
              "gets nothing new" + said,
              cluster.onlyReported()
                  ? "Follow docs/how-to/restore.md: the cluster has a later state of the database."
                  : "Repair the named cause: docs/how-to/runbooks/FairleadClusterSilent.md.");
      case UNREACHABLE ->
          DoctorCheck.problem(
              area(),
              cluster.name(),
              "does not answer" + said,
              "Follow docs/how-to/runbooks/FairleadClusterSilent.md.");
      case DRAINING -> DoctorCheck.ok(area(), cluster.name(), "is being drained by order");
      case DISABLED -> DoctorCheck.ok(area(), cluster.name(), "is disabled by order");
    };
  }

  private static String version(Cluster cluster) {
    String version = cluster.capabilities().serverVersion();
    return version.isEmpty() ? "version not known" : version;
  }

  private DoctorCheck credentials(Cluster cluster) {
    try {
      Connection connection = inventory.connection(cluster.id());
      String opens = "its credentials open: " + connection.getClass().getSimpleName();
      Instant now = clock.instant();
      AccountToken token = AccountToken.of(connection).orElse(null);
      if (token == null) {
        return ClientCertificate.of(connection)
            .map(certificate -> certificate(cluster, certificate, opens, now))
            .orElseGet(() -> DoctorCheck.ok("keys", cluster.name(), opens));
      }
      return token.late(now)
          ? DoctorCheck.warning(
              "keys",
              cluster.name(),
              "its token " + token.left(now) + " and could not be renewed",
              "The log of its supervisor contains the reason. Apply deploy/cluster.yaml to"
                  + " it, or set a new token by PATCH of its connection"
                  + " (docs/how-to/connect-a-cluster.md#its-token).")
          : DoctorCheck.ok("keys", cluster.name(), opens + ", its token " + token.left(now));
    } catch (RuntimeException sealed) {
      return DoctorCheck.problem(
          "keys",
          cluster.name(),
          String.valueOf(sealed.getMessage()),
          "Configure every process with the key under which its connection was stored"
              + " (FAIRLEAD_KEY_FILE, FAIRLEAD_ENCRYPTION_KEYS). If it is lost, set the"
              + " connection of the cluster again by PATCH, with force=true while attempts run"
              + " there (docs/how-to/restore.md#when-the-key-file-is-lost).");
    }
  }

  private static DoctorCheck certificate(
      Cluster cluster, ClientCertificate certificate, String opens, Instant now) {
    String ends = "its client certificate ends at " + certificate.endsAt();
    return certificate.late(now)
        ? DoctorCheck.warning(
            "keys",
            cluster.name(),
            ends,
            "Set a new token by PATCH of its connection, or use a service account with a token that Fairlead renews "
                + "(docs/how-to/connect-a-cluster.md#its-token).")
        : DoctorCheck.ok("keys", cluster.name(), opens + ", " + ends);
  }

  private DoctorCheck fence(Cluster cluster) {
    Capabilities.Fence fence = cluster.capabilities().fence();
    return switch (fence) {
      case ENFORCED -> DoctorCheck.ok("fences", cluster.name(), "a deposed supervisor is refused");
      case ABSENT ->
          DoctorCheck.warning(
              "fences",
              cluster.name(),
              "a supervisor without the lease could still create pods",
              "Apply deploy/cluster.yaml to it.");
      case UNKNOWN ->
          DoctorCheck.warning(
              "fences",
              cluster.name(),
              cluster.capabilities().reasons().getOrDefault("fence", "not known yet"),
              "Wait for the first contact, then grant the permissions of deploy/cluster.yaml.");
    };
  }

  /** Checks the isolation features except the fence, which has a separate check. */
  private static DoctorCheck isolation(Cluster cluster) {
    List<IsolationFeature> isolation =
        cluster.capabilities().isolation().stream()
            .filter(feature -> !feature.name().equals(IsolationFeature.FENCE))
            .toList();
    List<String> open = told(isolation, IsolationFeature.State.NOT_ENFORCED);
    List<String> unknown = told(isolation, IsolationFeature.State.UNKNOWN);
    if (!open.isEmpty()) {
      return DoctorCheck.warning(
          ISOLATION,
          cluster.name(),
          "not enforced: " + String.join("; ", open),
          "Apply deploy/cluster.yaml to it (docs/how-to/connect-a-cluster.md#isolation).");
    }
    return isolation.isEmpty()
        ? DoctorCheck.warning(
            ISOLATION, cluster.name(), "not known yet", "Wait for the first contact.")
        : DoctorCheck.ok(
            ISOLATION,
            cluster.name(),
            unknown.isEmpty() ? "enforced" : "not known: " + String.join("; ", unknown));
  }

  private static List<String> told(List<IsolationFeature> isolation, IsolationFeature.State state) {
    return isolation.stream()
        .filter(feature -> feature.state() == state)
        .map(feature -> feature.name() + ", " + feature.reason())
        .toList();
  }

  private static DoctorCheck rights(Cluster cluster) {
    String reason = cluster.capabilities().reasons().get("rights");
    if (reason == null && !cluster.capabilities().serverVersion().isEmpty()) {
      if (!ClusterRight.LIST.equals(cluster.capabilities().rightsAsked())) {
        return DoctorCheck.warning(
            RIGHTS,
            cluster.name(),
            "the permissions of its identity were checked against the list of another version: it"
                + " is unknown whether they include all that this version needs",
            "The check is repeated when a process of this version supervises the cluster: make"
                + " sure that every process is upgraded and that the cluster is reachable. Apply"
                + " the deploy/cluster.yaml of this version if you have not done so.");
      }
      return DoctorCheck.ok(
          RIGHTS, cluster.name(), "its identity has all permissions that Fairlead needs");
    }
    List<ClusterRight> missing = reason == null ? List.of() : ClusterRight.missing(reason);
    if (missing.isEmpty()) {
      return DoctorCheck.warning(
          RIGHTS,
          cluster.name(),
          reason == null ? "not known yet" : reason,
          "Wait for the first contact, then let its identity review its own access"
              + " (ClusterRole system:basic-user).");
    }
    return DoctorCheck.problem(RIGHTS, cluster.name(), "its identity " + reason, grant(missing));
  }

  /**
   * Checks the labels and taints on nodes. Returns nothing for a cluster without them that is not
   * configured to have any.
   */
  private static Optional<DoctorCheck> labels(Cluster cluster) {
    Capabilities can = cluster.capabilities();
    boolean wanted =
        cluster.settings().nodeLabelsAndTaints() != ClusterSettings.NodeLabelPolicy.NEVER;
    if (!wanted && can.nodeLabelsAndTaints() != Capabilities.Presence.PRESENT) {
      return Optional.empty();
    }
    String reason = can.reasons().get(LABELS);
    if (reason == null) {
      String nodes = wanted ? "its nodes may show" : "is being removed from its nodes:";
      return Optional.of(DoctorCheck.ok(LABELS, cluster.name(), nodes + " pools and quarantines"));
    }
    return Optional.of(
        DoctorCheck.warning(
            LABELS,
            cluster.name(),
            (wanted
                    ? "only Fairlead enforces the pools and quarantines of its nodes: "
                    : "its nodes still show pools and quarantines: ")
                + reason,
            "Apply deploy/cluster-nodes.yaml to it, or set its nodeLabelsAndTaints to NEVER"
                + " (docs/how-to/connect-a-cluster.md#labels-and-taints-on-nodes)."));
  }

  /**
   * Checks the volumes. Returns no finding for a cluster that does not create them, or if all are
   * known.
   */
  private static Optional<DoctorCheck> volumes(Cluster cluster) {
    return Optional.ofNullable(cluster.capabilities().reasons().get(VOLUMES))
        .map(reason ->
            DoctorCheck.warning(
                VOLUMES,
                cluster.name(),
                "the nodes that reach the disks of its volumes are unknown, so jobs may be placed"
                    + " on other nodes: its identity "
                    + reason,
                "Apply the deploy/cluster-volumes.yaml of this version to it"
                    + " (docs/how-to/volumes.md#volumes-of-a-project)."));
  }

  /** Checks the PodGroups of the backend. Returns nothing for a cluster that lacks nothing. */
  private static Optional<DoctorCheck> groups(Cluster cluster) {
    return Optional.ofNullable(cluster.backendTrouble())
        .map(trouble ->
            DoctorCheck.problem(
                Capabilities.POD_GROUPS,
                cluster.name(),
                "its backend can start no jobs: " + trouble,
                "Install the kind or apply deploy/cluster-pod-group.yaml, as the reason says, or"
                    + " change its backend"
                    + " (docs/how-to/backends.md#prepare-a-scheduler-with-podgroups)."));
  }

  private static String grant(List<ClusterRight> missing) {
    List<String> steps = new ArrayList<>();
    List<ClusterRight> role =
        missing.stream().filter(right -> !right.equals(ClusterRight.RAISE_EPOCHS)).toList();
    if (!role.isEmpty()) {
      steps.add("Add to the rules of ClusterRole fairlead:");
      steps.addAll(ClusterRight.rules(role));
    }
    if (missing.contains(ClusterRight.RAISE_EPOCHS)) {
      steps.add("Add to the rules of Role fairlead-fence:");
      steps.addAll(ClusterRight.rules(List.of(ClusterRight.RAISE_EPOCHS)));
    }
    return String.join(" ", steps);
  }
}
