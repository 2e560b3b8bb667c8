package dev.fairlead.work.job.postgres;

import dev.fairlead.fleet.quota.PastUse;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaStore;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.fleet.quota.QuotaTrees;
import dev.fairlead.fleet.quota.QuotaUse;
import dev.fairlead.fleet.quota.RunLimits;
import dev.fairlead.kernel.postgres.BelievedTime;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.job.Transition.AllocationChange;
import dev.fairlead.work.job.estimate.UseHistory;
import dev.fairlead.work.job.submit.LimitScope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Charges quota and releases it. First locks the nodes on the path of every queue by depth and id,
 * including the root of each tree, and then the root above all tenants if the platform has limits.
 * Then reads limits and use again, evaluates them with {@link QuotaTree}, and writes the changed
 * counters.
 */
@Component
class QuotaLedger {
  private static final SqlFile LOCK_PATHS = SqlFile.named("job/lock-quota-paths");
  private static final SqlFile WRITE_USE = SqlFile.named("job/write-quota-use");
  private static final SqlFile RUN_USE = SqlFile.named("job/run-use");
  private static final SqlFile WRITE_PAST = SqlFile.named("job/write-past-use");

  private final JdbcClient jdbc;
  private final QuotaStore quotas;
  private final QuotaTrees forest;
  private final BelievedTime time;

  QuotaLedger(JdbcClient jdbc, QuotaStore quotas, QuotaTrees forest, BelievedTime time) {
    this.jdbc = jdbc;
    this.quotas = quotas;
    this.forest = forest;
    this.time = time;
  }

  /** {@code ended} as in {@link Holdings}. */
  void apply(List<Transition> transitions, SortedMap<AttemptId, Attempt> ended) {
    List<Transition> moving =
        transitions.stream()
            .filter(
                t -> t.holding() != AllocationChange.KEEP && t.holding() != AllocationChange.MOVE)
            .toList();
    if (moving.isEmpty()) {
      return;
    }
    SortedSet<UUID> queues = new TreeSet<>();
    moving.forEach(t -> queues.add(t.job().queue().value()));
    jdbc.sql(LOCK_PATHS.text()).param("queues", Json.ids(queues)).query(UUID.class).list();
    QuotaTree tree = tree(moving);
    Set<Counted> counted = new HashSet<>();
    for (Transition starting : moving) {
      if (starting.holding() == AllocationChange.TAKE) {
        checks(tree, starting);
        limits(tree, starting.job(), counted);
      }
    }
    Set<QuotaUse> before = Set.copyOf(tree.uses());
    RowBatch past = new RowBatch();
    for (Transition transition : moving) {
      SortedMap<QuotaCell, Long> charges = Attempt.charges(Holdings.members(transition, ended));
      if (Holdings.takes(transition)) {
        take(tree, transition.job(), charges);
      } else if (Holdings.givesBack(transition)) {
        give(tree, transition.job(), charges);
      }
      past(tree, transition, ended).forEach(use -> row(past.row(), use, transition.job().tenant()));
    }
    write(tree, before);
    if (!past.isEmpty()) {
      jdbc.sql(WRITE_PAST.text()).param("rows", past.json()).update();
    }
  }

  /** Use that ends with the transition. */
  private static List<PastUse> past(
      QuotaTree tree, Transition transition, SortedMap<AttemptId, Attempt> stored) {
    return switch (transition.holding()) {
      case RELEASE -> UseHistory.of(tree, transition.job(), Holdings.attempt(transition));
      case TRANSFER ->
          UseHistory.transferred(
              tree,
              Objects.requireNonNull(stored.get(Holdings.attempt(transition).id())),
              transition);
      case TAKE, JOIN, LEAVE, MOVE, KEEP -> List.of();
    };
  }

  private QuotaTree tree(List<Transition> moving) {
    SortedSet<TenantId> tenants = new TreeSet<>();
    moving.forEach(t -> tenants.add(t.job().tenant()));
    List<QuotaNode> platform = forest.platformNodes();
    if (tenants.size() > 1) {
      return tree(forest.allNodes(), forest.allUses());
    }
    List<QuotaNode> nodes = new ArrayList<>(quotas.nodes(tenants.first()));
    List<QuotaUse> uses = new ArrayList<>(quotas.uses(tenants.first()));
    if (!platform.isEmpty()) {
      nodes.addAll(platform);
      uses.addAll(forest.fleetUses(tenants.first()));
    }
    return tree(nodes, uses);
  }

  /** The clock of the database, read after the locks: windows of limits open and close by it. */
  private QuotaTree tree(List<QuotaNode> nodes, List<QuotaUse> uses) {
    return nodes.stream().anyMatch(QuotaNode::changesWithTime)
        ? QuotaTree.at(nodes, uses, quotas.now())
        : new QuotaTree(nodes, uses);
  }

  /** Key of a count that a batch reads only once, after it has stored all its attempts. */
  private record Counted(QuotaNodeId queue, LimitScope scope, String subject) {}

  private static void checks(QuotaTree tree, Transition starting) {
    Job job = starting.job();
    List<String> named =
        tree.node(job.queue()).map(QuotaNode::queue).map(QueueSettings::checks).orElse(List.of());
    if (!starting.checked(named)) {
      throw JobWrites.refused(Guard.CHECK, job);
    }
  }

  /** Its attempt is already stored. Placements in its queue were serialised up to this point. */
  private void limits(QuotaTree tree, Job job, Set<Counted> counted) {
    QueueSettings settings = tree.node(job.queue()).map(QuotaNode::queue).orElse(null);
    if (settings == null) {
      return;
    }
    for (LimitScope scope : LimitScope.limited(settings)) {
      if (counted.add(new Counted(job.queue(), scope, scope.subject(job)))
          && !scope.limits(settings).admit(use(job, settings, scope))) {
        throw JobWrites.refused(Guard.QUOTA, job);
      }
    }
  }

  /**
   * Counts at most one running job more than the limit. Without such a limit, counts jobs with
   * GPUs.
   */
  private RunLimits.Use use(Job job, QueueSettings settings, LimitScope scope) {
    Integer running = scope.limits(settings).running();
    Duration longest = settings.defaultMaxRuntime();
    return jdbc.sql(RUN_USE.text())
        .param("host", time.hostMillis())
        .param("queue", job.queue().value())
        .param("user", scope == LimitScope.USER ? job.user() : null)
        .param("project", scope == LimitScope.PROJECT ? job.project().value() : null)
        .param("most", running == null ? null : running + 1L)
        .param("default_millis", longest == null ? null : longest.toMillis())
        .param("timed", scope.limits(settings).gpuMinutes() != null)
        .query((row, number) ->
            new RunLimits.Use(
                row.getInt("running"), row.getLong("gpu_milli"), row.getLong("milli_millis")))
        .single();
  }

  private static void take(QuotaTree tree, Job job, SortedMap<QuotaCell, Long> charges) {
    charges.forEach((cell, amount) -> {
      if (tree.node(job.queue()).isEmpty()
          || !tree.admits(job.queue(), cell, amount, job.spec().nonPreemptible())) {
        throw JobWrites.refused(Guard.QUOTA, job);
      }
      tree.use(job.queue(), cell, amount, job.spec().nonPreemptible());
    });
  }

  private static void give(QuotaTree tree, Job job, SortedMap<QuotaCell, Long> charges) {
    charges.forEach(
        (cell, amount) -> tree.free(job.queue(), cell, amount, job.spec().nonPreemptible()));
  }

  /** An unreadable node is not written: its counters are repaired later. */
  private void write(QuotaTree tree, Set<QuotaUse> before) {
    RowBatch rows = new RowBatch();
    for (QuotaUse use : tree.uses()) {
      if (!before.contains(use)) {
        tree.node(use.node()).ifPresent(node -> QuotaUseRows.write(rows.row(), node, use));
      }
    }
    if (!rows.isEmpty()) {
      jdbc.sql(WRITE_USE.text()).param("rows", rows.json()).update();
    }
  }

  private static void row(RowBatch row, PastUse use, TenantId tenant) {
    row.set("node", use.node().value())
        .set("tenant", tenant.value())
        .set("queue", use.queue().value())
        .set("user", use.user())
        .set("milli_seconds", use.milliSeconds())
        .set("at", use.at());
  }
}
