package dev.fairlead.fleet.quota.service;

import dev.fairlead.fleet.quota.LimitChange;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaDemand;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeBuilder;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaStore;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.idempotency.RequestKey;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.resources.Saturating;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Reads and changes the quota tree. */
@Service
public class Quotas {
  private static final int DEEPEST = 16;
  private final Transactions transactions;
  private final QuotaStore quotas;
  private final TenantStore tenants;
  private final Idempotency idempotency;
  private final AuditLog audit;
  private final IdSource ids;

  public Quotas(
      Transactions transactions,
      QuotaStore quotas,
      TenantStore tenants,
      Idempotency idempotency,
      AuditLog audit,
      IdSource ids) {
    this.transactions = transactions;
    this.quotas = quotas;
    this.tenants = tenants;
    this.idempotency = idempotency;
    this.audit = audit;
    this.ids = ids;
  }

  /** Returns all nodes by depth, then by name. */
  public List<QuotaView> tree(Actor actor) {
    return transactions.read(() -> {
      List<QuotaNode> nodes = quotas.nodes(actor.tenant());
      QuotaTree tree = QuotaTree.at(nodes, quotas.uses(actor.tenant()), quotas.now());
      List<QuotaDemand> demands = quotas.demands(actor.tenant());
      Predicate<String> seen = projectsSeen(actor);
      return nodes.stream().map(n -> view(n, tree, demands).shown(seen)).toList();
    });
  }

  /**
   * Returns a node with its use.
   *
   * @param text id or name
   * @throws Refusal NOT_FOUND
   */
  public QuotaView named(Actor actor, String text) {
    return transactions.read(() -> view(actor, found(actor, text)).shown(projectsSeen(actor)));
  }

  /** Returns a test for names of projects in which the actor has a role. */
  private Predicate<String> projectsSeen(Actor actor) {
    List<ProjectId> own = actor.projects();
    if (own == null) {
      return name -> true;
    }
    return tenants.projects(actor.tenant(), own).stream()
            .map(Project::name)
            .collect(Collectors.toCollection(TreeSet::new))
        ::contains;
  }

  /**
   * Locks the projects in the order of their names, so that two changes never wait for each other.
   *
   * @throws Refusal INVALID_FIELD for a project that the tenant does not have
   */
  private void projectsThere(Actor actor, @Nullable QueueSettings settings) {
    List<String> named =
        settings == null ? List.of() : Objects.requireNonNullElse(settings.projects(), List.of());
    for (String name : new TreeSet<>(named)) {
      if (!tenants.holdProject(actor.tenant(), name)) {
        throw Refusal.field(
            "/queue/projects",
            "There is no project \""
                + name
                + "\". GET /api/v1/projects lists the projects of the tenant.");
      }
    }
  }

  /**
   * Returns a queue, like {@link #named}.
   *
   * @throws Refusal NOT_FOUND, also for an inner node
   */
  public QuotaView queue(Actor actor, String text) {
    QuotaView found = named(actor, text);
    if (!found.node().isQueue()) {
      throw new Refusal(
          ProblemCode.NOT_FOUND,
          "\""
              + text
              + "\" is not a queue but an inner node of the quota tree: see /quotas/"
              + text
              + ".");
    }
    return found;
  }

  /**
   * Lists the current values of its limits with windows and their next changes, by start.
   *
   * @param most maximum of entries
   * @throws Refusal NOT_FOUND
   */
  public List<LimitChange> limitChanges(Actor actor, String text, int most) {
    Permissions.require(actor, "listQuotaWindows");
    return transactions.read(() -> {
      Instant now = quotas.now();
      return found(actor, text).limits().stream()
          .filter(limit -> !limit.windows().isEmpty())
          .flatMap(limit -> limit.from(now, most).stream())
          .sorted(Comparator.comparing(LimitChange::at))
          .limit(most)
          .toList();
    });
  }

  /**
   * Creates a node.
   *
   * @throws Refusal FORBIDDEN, NAME_IN_USE, INVALID_FIELD (parent), CONFLICTING_FIELDS (rules
   *     without effect), IDEMPOTENCY_*
   */
  public QuotaView create(
      Actor actor, QuotaSpec spec, @Nullable RequestKey key, boolean validateOnly) {
    Permissions.require(actor, "createQuota");
    RequestKey effective = validateOnly ? null : key;
    try {
      return transactions.call(() -> {
        Optional<String> earlier = idempotency.earlier(actor, "createQuota", effective);
        if (earlier.isPresent()) {
          return view(actor, replayed(actor, earlier.get()));
        }
        if (quotas.nodeNamed(actor.tenant(), spec.name()).isPresent()) {
          throw taken(spec.name());
        }
        projectsThere(actor, spec.queue());
        QuotaNode node = node(actor, spec, new QuotaNodeId(ids.next()), 1);
        if (!validateOnly) {
          quotas.insert(node);
        }
        ShareRules.require(quotas.nodes(actor.tenant()), null, node);
        if (!validateOnly) {
          idempotency.remember(actor, "createQuota", effective, node.id().text());
          audit(actor, "createQuota", null, node);
        }
        return new QuotaView(node, spec.parent(), List.of());
      });
    } catch (Conflict raced) {
      throw taken(spec.name());
    }
  }

  /**
   * Replaces limits, weight, rules and queue settings. Name and parent do not change.
   *
   * @param version version that the caller read
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH, INVALID_FIELD, CONFLICTING_FIELDS
   *     (rules without effect)
   */
  public QuotaView update(
      Actor actor, String text, QuotaSpec spec, long version, boolean validateOnly) {
    Permissions.require(actor, "updateQuota");
    try {
      return transactions.call(() -> {
        QuotaNode old = found(actor, text);
        expect(old, version);
        projectsThere(actor, spec.queue());
        QuotaNode node =
            old.with()
                .weight(spec.weight())
                .limits(spec.limits())
                .preemption(spec.preemption())
                .queue(spec.queue())
                .share(spec.share())
                .usageHalfLife(spec.usageHalfLife())
                .version(version + 1)
                .build();
        if (!validateOnly) {
          quotas.update(node);
        }
        ShareRules.require(quotas.nodes(actor.tenant()), old, node);
        if (!validateOnly) {
          audit(actor, "updateQuota", old, node);
        }
        return view(actor, node);
      });
    } catch (Conflict raced) {
      throw stale(text);
    }
  }

  /**
   * Deletes a node.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH, IN_USE
   */
  public void delete(Actor actor, String text, long version, boolean validateOnly) {
    Permissions.require(actor, "deleteQuota");
    try {
      transactions.runOrTry(
          validateOnly,
          () -> {
            QuotaNode old = found(actor, text);
            expect(old, version);
            quotas.delete(actor.tenant(), old.id(), version);
            audit(actor, "deleteQuota", old, null);
          });
    } catch (Conflict refused) {
      if (refused.guard() == Conflict.Guard.REFERENCED) {
        throw new Refusal(
            ProblemCode.IN_USE,
            "\"%s\" has children, jobs or a project that uses it as its default queue. Delete or move them first."
                .formatted(text));
      }
      throw stale(text);
    }
  }

  private QuotaNode node(Actor actor, QuotaSpec spec, QuotaNodeId id, long version) {
    QuotaNode parent = null;
    if (spec.parent() != null) {
      parent = quotas.nodeNamed(actor.tenant(), spec.parent()).orElse(null);
      if (parent == null) {
        throw badParent("There is no quota \"" + spec.parent() + "\". Create it first.");
      }
      if (parent.isQueue() || parent.depth() >= DEEPEST) {
        throw badParent(
            "\"%s\" cannot have children: %s."
                .formatted(
                    spec.parent(),
                    parent.isQueue()
                        ? "it is a queue, and queues are leaves of the quota tree"
                        : "the quota tree cannot have another level"));
      }
    }
    return QuotaNodeBuilder.builder()
        .id(id)
        .tenant(actor.tenant())
        .name(spec.name())
        .parent(parent == null ? null : parent.id())
        .depth(parent == null ? 0 : parent.depth() + 1)
        .weight(spec.weight())
        .limits(spec.limits())
        .preemption(spec.preemption())
        .queue(spec.queue())
        .share(spec.share())
        .usageHalfLife(spec.usageHalfLife())
        .version(version)
        .build();
  }

  /** Finds the node by id, because another node may have its name after its deletion. */
  private QuotaNode replayed(Actor actor, String reference) {
    return IdText.decode(IdKind.QUEUE, reference)
        .flatMap(id -> quotas.node(actor.tenant(), new QuotaNodeId(id)))
        .orElseThrow(() -> Idempotency.removed("queue or quota"));
  }

  private QuotaNode found(Actor actor, String text) {
    Optional<QuotaNode> byId =
        IdText.decode(IdKind.QUEUE, text)
            .flatMap(id -> quotas.node(actor.tenant(), new QuotaNodeId(id)));
    return byId.or(() -> quotas.nodeNamed(actor.tenant(), text))
        .orElseThrow(() ->
            new Refusal(ProblemCode.NOT_FOUND, "No queue or quota is named \"" + text + "\"."));
  }

  private QuotaView view(Actor actor, QuotaNode node) {
    return view(
        node,
        QuotaTree.at(quotas.nodes(actor.tenant()), quotas.uses(actor.tenant()), quotas.now()),
        quotas.demands(actor.tenant()));
  }

  private static QuotaView view(QuotaNode node, QuotaTree tree, List<QuotaDemand> demands) {
    SortedMap<QuotaCell, Long> pending = new TreeMap<>();
    for (QuotaDemand demand : demands) {
      if (tree.path(demand.queue()).stream().anyMatch(n -> n.id().equals(node.id()))) {
        pending.merge(demand.cell(), demand.amount(), Saturating::plus);
      }
    }
    TreeSet<QuotaCell> cells = new TreeSet<>();
    node.limits().forEach(l -> cells.add(new QuotaCell(l.flavor(), l.resource())));
    tree.uses().stream()
        .filter(u -> u.node().equals(node.id()))
        .map(QuotaUse::cell)
        .forEach(cells::add);
    cells.addAll(pending.keySet());
    List<QuotaView.Usage> usage = new ArrayList<>();
    for (QuotaCell cell : cells) {
      long used = tree.used(node.id(), cell);
      long borrowed = tree.borrowed(node.id(), cell);
      long waiting = pending.getOrDefault(cell, 0L);
      usage.add(
          new QuotaView.Usage(
              cell,
              used,
              tree.nonPreemptible(node.id(), cell),
              borrowed,
              lent(tree, node, cell),
              waiting,
              nominal(tree, node, cell)));
    }
    @Nullable String parent =
        node.parent() == null ? null : tree.node(node.parent()).map(QuotaNode::name).orElse(null);
    return new QuotaView(node, parent, usage);
  }

  private static @Nullable Long nominal(QuotaTree tree, QuotaNode node, QuotaCell cell) {
    return tree.node(node.id()).stream()
        .flatMap(now -> now.limits().stream())
        .filter(limit -> new QuotaCell(limit.flavor(), limit.resource()).equals(cell))
        .findFirst()
        .map(QuotaLimit::nominal)
        .orElse(null);
  }

  /** Returns the unused quota of the node that its parent has lent to others. */
  private static long lent(QuotaTree tree, QuotaNode node, QuotaCell cell) {
    long quota = tree.subtreeQuota(node.id(), cell);
    if (quota == Long.MAX_VALUE || node.parent() == null) {
      return 0;
    }
    long idle = Math.max(0, quota - tree.used(node.id(), cell));
    return Math.max(0, idle - Math.max(0, tree.available(node.id(), cell)));
  }

  private static void expect(QuotaNode old, long version) {
    if (old.version() != version) {
      throw stale(old.name());
    }
  }

  private void audit(
      Actor actor, String operation, @Nullable QuotaNode before, @Nullable QuotaNode after) {
    String name = Objects.requireNonNull(after == null ? before : after).name();
    audit.append(
        AuditRecord.change(actor, operation, before, after, of -> of.id().text())
            .kept(ConfigKind.QUEUE, name, before, after));
  }

  private static Refusal stale(String name) {
    return Refusal.changed("\"" + name + "\"");
  }

  private static Refusal taken(String name) {
    return Refusal.field(
        ProblemCode.NAME_IN_USE,
        "/name",
        "A queue or quota is named \"" + name + "\" already.",
        null);
  }

  private static Refusal badParent(String detail) {
    return Refusal.field("/parent", detail);
  }
}
