package dev.fairlead.care.health.service;

import dev.fairlead.care.health.Breaker;
import dev.fairlead.care.health.quarantine.DomainNodes;
import dev.fairlead.care.health.quarantine.DomainQuarantine;
import dev.fairlead.care.health.quarantine.DomainQuarantineBuilder;
import dev.fairlead.care.health.quarantine.DomainQuarantineId;
import dev.fairlead.care.health.quarantine.HealthStore;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.service.DomainQuarantines.View;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.FleetNames;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Quarantines topology domains and releases them. */
@Service
public class DomainQuarantineCommands {
  private static final String CREATE = "createDomainQuarantine";
  private static final String UPDATE = "updateDomainQuarantine";
  private static final String RELEASE = "releaseDomainQuarantine";
  private static final int MOST_NAMED = 20;
  private static final Duration LONGEST = Duration.ofDays(366);

  private final Transactions transactions;
  private final InventoryStore inventory;
  private final HealthStore health;
  private final DomainQuarantines queries;
  private final Idempotency idempotency;
  private final AuditLog audit;
  private final IdSource ids;
  private final InstantSource clock;

  public DomainQuarantineCommands(
      Transactions transactions,
      InventoryStore inventory,
      HealthStore health,
      DomainQuarantines queries,
      Idempotency idempotency,
      AuditLog audit,
      IdSource ids,
      InstantSource clock) {
    this.transactions = transactions;
    this.inventory = inventory;
    this.health = health;
    this.queries = queries;
    this.idempotency = idempotency;
    this.audit = audit;
    this.ids = ids;
    this.clock = clock;
  }

  /**
   * Quarantines a domain. Its nodes, including nodes that join it later, accept no new work until
   * the quarantine is released or expires.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND, INVALID_FIELD (unknown level or domain), NAME_IN_USE
   *     (quarantined already), ILLEGAL_STATE (more of the fleet than the circuit breaker allows),
   *     LIMIT_EXCEEDED, IDEMPOTENCY_*
   */
  public View create(
      Actor actor, NewDomainQuarantine wanted, @Nullable RequestKey key, boolean validateOnly) {
    Permissions.require(actor, CREATE);
    RequestKey effective = validateOnly ? null : key;
    return transactions.callOrTry(
        validateOnly,
        () -> {
          Cluster cluster = FleetNames.cluster(inventory, wanted.cluster());
          Optional<String> earlier = idempotency.earlier(actor, CREATE, effective);
          DomainQuarantine made =
              earlier.isPresent()
                  ? replayed(earlier.get())
                  : made(actor, cluster, effective, wanted);
          return queries.view(cluster, made);
        });
  }

  private DomainQuarantine replayed(String reference) {
    return IdText.decode(IdKind.DOMAIN_QUARANTINE, reference)
        .flatMap(id -> health.domain(new DomainQuarantineId(id)))
        .orElseThrow(() -> Idempotency.removed("domain quarantine"));
  }

  private DomainQuarantine made(
      Actor actor, Cluster cluster, @Nullable RequestKey key, NewDomainQuarantine wanted) {
    health.enter(cluster.id());
    List<Node> nodes = covered(cluster, wanted);
    refuseAgain(cluster, wanted);
    String forced = beyond(cluster, wanted, nodes);
    Instant now = clock.instant();
    Duration lasts = wanted.lasts();
    DomainQuarantine made =
        DomainQuarantineBuilder.builder()
            .id(new DomainQuarantineId(ids.next()))
            .cluster(cluster.id())
            .level(wanted.level())
            .domain(wanted.domain())
            .reason(wanted.reason())
            .owner(actor.name())
            .since(now)
            .until(lasts == null ? null : now.plus(lasts))
            .releasedAt(null)
            .released(null)
            .version(1)
            .build();
    health.write(made);
    DomainNodes.settle(health, inventory, cluster.id(), nodes, ids, now);
    idempotency.remember(actor, CREATE, key, made.id().text());
    SortedMap<String, Object> detail = detail(made, wanted.reason(), nodes.size());
    if (!forced.isEmpty()) {
      detail.put("forced", forced);
    }
    audit.append(record(actor, CREATE, detail, null, made));
    return made;
  }

  /** Returns the nodes of the domain that are in service. */
  private List<Node> covered(Cluster cluster, NewDomainQuarantine wanted) {
    List<Node> all = inventory.nodes(cluster.id());
    Set<String> levels = new TreeSet<>();
    Set<String> domains = new TreeSet<>();
    for (Node node : all) {
      levels.addAll(node.topology().keySet());
      Optional.ofNullable(node.topology().get(wanted.level())).ifPresent(domains::add);
    }
    if (domains.isEmpty()) {
      throw Refusal.field(
          "/level",
          "No node of cluster %s has a level \"%s\". %s"
              .formatted(cluster.name(), wanted.level(), told("Its levels are", levels)));
    }
    if (!domains.contains(wanted.domain())) {
      throw Refusal.field(
          "/domain",
          "No node of cluster %s is in %s %s. %s"
              .formatted(
                  cluster.name(),
                  wanted.level(),
                  wanted.domain(),
                  told("Its domains at that level are", domains)));
    }
    return all.stream()
        .filter(node -> wanted.domain().equals(node.topology().get(wanted.level())))
        .toList();
  }

  private static String told(String what, Collection<String> names) {
    if (names.isEmpty()) {
      return "Its nodes have none: set its topologyLabels.";
    }
    int more = names.size() - MOST_NAMED;
    return what
        + " "
        + names.stream().limit(MOST_NAMED).collect(Collectors.joining(", "))
        + (more > 0 ? " and " + more + " more." : ".");
  }

  private void refuseAgain(Cluster cluster, NewDomainQuarantine wanted) {
    List<DomainQuarantine> standing = health.domains(cluster.id());
    for (DomainQuarantine other : standing) {
      if (other.level().equals(wanted.level()) && other.domain().equals(wanted.domain())) {
        throw new Refusal(
            ProblemCode.NAME_IN_USE,
            "%s of cluster %s is already quarantined by %s: %s. Change or release it (%s)."
                .formatted(
                    other.name(),
                    cluster.name(),
                    other.owner(),
                    other.reason(),
                    other.id().text()));
      }
    }
    if (standing.size() >= DomainQuarantine.MOST) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          ("%d domains of cluster %s are quarantined, the maximum. Release one, or quarantine a"
                  + " domain at a higher level.")
              .formatted(standing.size(), cluster.name()));
    }
  }

  /**
   * Explains by how much the domain exceeds the limit of the fleet's circuit breaker. The text is
   * empty if the domain is within the limit.
   */
  private String beyond(Cluster cluster, NewDomainQuarantine wanted, List<Node> nodes) {
    int gpuNodes = (int) nodes.stream().filter(node -> !node.gpus().isEmpty()).count();
    int all = health.isolated(null).all();
    int most = Breaker.of(Breaker.Scope.FLEET).most(all);
    if (gpuNodes <= most) {
      return "";
    }
    String text =
        ("%s %s of cluster %s has %d of the %d GPU nodes of the fleet, and the circuit breaker"
                + " allows %d.")
            .formatted(wanted.level(), wanted.domain(), cluster.name(), gpuNodes, all, most);
    if (!wanted.force()) {
      throw new Refusal(
          ProblemCode.ILLEGAL_STATE, text + " Use force: true to quarantine it anyway.");
    }
    return text;
  }

  /**
   * Changes reason and end, to an earlier or a later time. The caller becomes the owner of the
   * quarantine.
   *
   * @param cluster id or name
   * @param expected version that the caller read, null for any
   * @param until end, null for no end
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH, INVALID_FIELD, ILLEGAL_STATE if it has
   *     ended
   */
  public View update(
      Actor actor,
      String cluster,
      String id,
      @Nullable Long expected,
      String reason,
      @Nullable Instant until,
      boolean validateOnly) {
    Permissions.require(actor, UPDATE);
    try {
      return transactions.callOrTry(
          validateOnly,
          () -> {
            Cluster of = FleetNames.cluster(inventory, cluster);
            health.enter(of.id());
            DomainQuarantine before = standing(of, id);
            if (expected != null && expected != before.version()) {
              throw stale(before);
            }
            refuseEnd(before, until);
            DomainQuarantine next = before.changed(actor.name(), reason, until);
            health.write(next);
            List<Quarantine> rows = DomainNodes.of(health, before);
            health.write(rows.stream().map(row -> row.following(next)).toList());
            SortedMap<String, Object> detail = detail(next, reason, rows.size());
            audit.append(record(actor, UPDATE, detail, before, next));
            return queries.view(of, next);
          });
    } catch (Conflict raced) {
      throw stale(queries.found(FleetNames.cluster(inventory, cluster), id));
    }
  }

  private void refuseEnd(DomainQuarantine before, @Nullable Instant until) {
    Instant now = clock.instant();
    boolean other = until != null && !until.equals(before.until());
    if (until != null && other && (!until.isAfter(now) || until.isAfter(now.plus(LONGEST)))) {
      throw Refusal.field(
          "/until",
          "%s is not within the next %d days: it is now %s. To end it now, release it."
              .formatted(until, LONGEST.toDays(), now));
    }
  }

  /**
   * Releases a domain and the node quarantines that it created. Other quarantines of the nodes
   * stay.
   *
   * @param cluster id or name
   * @return the quarantine with its former nodes
   * @throws Refusal FORBIDDEN, NOT_FOUND, ILLEGAL_STATE if it has ended
   */
  public View release(Actor actor, String cluster, String id, String reason, boolean validateOnly) {
    Permissions.require(actor, RELEASE);
    return transactions.callOrTry(
        validateOnly,
        () -> {
          Cluster of = FleetNames.cluster(inventory, cluster);
          health.enter(of.id());
          DomainQuarantine before = standing(of, id);
          DomainQuarantines.Scope scope = queries.scope(before);
          DomainNodes.end(
              health,
              inventory,
              List.of(before),
              domain -> actor.name() + ": " + reason,
              clock.instant());
          View over = queries.view(of, queries.found(of, id));
          audit.append(
              record(
                  actor, RELEASE, detail(before, reason, over.nodes()), before, over.quarantine()));
          return new View(over.quarantine(), over.cluster(), over.nodes(), scope);
        });
  }

  private DomainQuarantine standing(Cluster cluster, String id) {
    DomainQuarantine found = queries.found(cluster, id);
    if (found.releasedAt() != null) {
      throw new Refusal(
          ProblemCode.ILLEGAL_STATE,
          "The quarantine of %s of cluster %s ended at %s (%s)."
              .formatted(found.name(), cluster.name(), found.releasedAt(), found.released()));
    }
    return found;
  }

  private static Refusal stale(DomainQuarantine quarantine) {
    return Refusal.changed("The quarantine of %s".formatted(quarantine.name()));
  }

  private static SortedMap<String, Object> detail(
      DomainQuarantine quarantine, String reason, int nodes) {
    SortedMap<String, Object> detail = new TreeMap<>();
    detail.put("reason", reason);
    detail.put("level", quarantine.level());
    detail.put("domain", quarantine.domain());
    detail.put("nodes", nodes);
    return detail;
  }

  private static AuditRecord record(
      Actor actor,
      String operation,
      SortedMap<String, Object> detail,
      @Nullable DomainQuarantine before,
      DomainQuarantine after) {
    return new AuditRecord(actor, operation, after.id().text(), true, detail)
        .changed(before, after);
  }
}
