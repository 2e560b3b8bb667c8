package dev.fairlead.fleet.quota.web;

import dev.fairlead.fleet.node.window.LeftoverPolicy;
import dev.fairlead.fleet.node.window.RecurringWindow;
import dev.fairlead.fleet.quota.FlavorFallback;
import dev.fairlead.fleet.quota.LimitWindow;
import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.RoutingPolicy;
import dev.fairlead.fleet.quota.RunLimits;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.fleet.quota.UserLimits;
import dev.fairlead.fleet.quota.service.QuotaDraft;
import dev.fairlead.kernel.body.Fields;
import dev.fairlead.kernel.body.Names;
import dev.fairlead.kernel.body.Value;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.Quantity;
import dev.fairlead.kernel.window.RecurringWindowReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads quota nodes from request bodies. */
final class QuotaReader {
  private static final int MOST_AT_ONCE = 1_000_000;
  private static final int MOST_GPU_MINUTES = 1_000_000_000;
  private static final Duration LONGEST_LEAD = Duration.ofHours(24);
  private static final int MOST_LIMITS = 200;
  private static final int MOST_PROJECTS = 1000;
  private static final int MOST_CHECKS = 8;
  private static final long WEIGHT_ONE = 1000;
  private static final long MOST_WEIGHT = 1_000_000;
  private static final Duration LEAST_RUNTIME = Duration.ofSeconds(1);
  private static final Duration LONGEST_RUNTIME = Duration.ofDays(365);
  private static final int HIGHEST_PRIORITY = 2000;
  private static final Duration SHORTEST_HALF_LIFE = Duration.ofMinutes(1);
  private static final Duration LONGEST_HALF_LIFE = Duration.ofDays(365);

  private QuotaReader() {}

  /** Returns the draft. Valid only if no problem was reported. */
  static QuotaDraft read(Fields node) {
    Optional<String> name =
        node.required("name", "a DNS label.").flatMap(v -> Names.label(v, Names.LONGEST_LABEL));
    Optional<String> parent = node.get("parent").flatMap(v -> Names.label(v, Names.LONGEST_LABEL));
    long weight = weight(node);
    List<QuotaLimit> limits = limits(node);
    PreemptionRules preemption =
        node.get("preemption")
            .flatMap(Value::fields)
            .map(QuotaReader::preemption)
            .orElse(PreemptionRules.NONE);
    QueueSettings queue =
        node.get("queue").flatMap(Value::fields).map(QuotaReader::queue).orElse(null);
    SharePolicy share =
        node.get("sharePolicy")
            .flatMap(v -> v.choice(SharePolicy.class))
            .orElse(SharePolicy.DOMINANT_SHARE);
    Optional<Duration> halfLife =
        node.get("usageHalfLife").flatMap(v -> v.duration(SHORTEST_HALF_LIFE, LONGEST_HALF_LIFE));
    node.done();
    return new QuotaDraft(
        name.orElse(""),
        parent.orElse(null),
        weight,
        limits,
        preemption,
        queue,
        share,
        halfLife.orElse(null));
  }

  /** Reads a weight in thousandths, 1 when absent. */
  static long weight(Fields node) {
    return node.get("weight").flatMap(QuotaReader::weight).orElse(WEIGHT_ONE);
  }

  /** No limits when absent. */
  static List<QuotaLimit> limits(Fields node) {
    return node.get("limits").map(QuotaReader::limits).orElse(List.of());
  }

  private static Optional<Long> weight(Value value) {
    return value
        .quantityText()
        .flatMap(Quantity::milli)
        .filter(milli -> milli <= MOST_WEIGHT)
        .or(() -> value.bad("must be a number from 0 to 1000, not " + value.shown(), null));
  }

  private static List<QuotaLimit> limits(Value value) {
    List<QuotaLimit> limits = new ArrayList<>();
    TreeSet<QuotaCell> cells = new TreeSet<>();
    for (Value item : value.items(MOST_LIMITS)) {
      Optional<QuotaLimit> limit = item.fields().flatMap(QuotaReader::limit);
      limit.ifPresent(limits::add);
      if (limit.isPresent()
          && !cells.add(new QuotaCell(limit.get().flavor(), limit.get().resource()))) {
        item.refuse(
            ProblemCode.CONFLICTING_FIELDS,
            "Another limit exists for this flavor and resource",
            null);
      }
    }
    return limits;
  }

  private static Optional<QuotaLimit> limit(Fields limit) {
    Optional<Flavor> flavor =
        limit.required("flavor", "for example H100/RESERVED.").flatMap(QuotaReader::flavor);
    Optional<String> resource =
        limit
            .required("resource", "gpu, cpu or memory.")
            .flatMap(v -> v.oneOf(QuotaAmounts.RESOURCES));
    Long nominal = amount(limit, "nominal", resource);
    Long borrowing = amount(limit, "borrowingLimit", resource);
    Long lending = amount(limit, "lendingLimit", resource);
    List<LimitWindow> windows =
        limit.get("windows").map(v -> v.items(QuotaLimit.MOST_WINDOWS)).orElse(List.of()).stream()
            .flatMap(item -> item.fields().flatMap(f -> window(item, f, resource)).stream())
            .toList();
    Duration evictLead = evictLead(limit, windows.isEmpty());
    limit.done();
    return flavor.flatMap(f ->
        resource.map(r -> new QuotaLimit(f, r, nominal, borrowing, lending, windows, evictLead)));
  }

  /** Null for FINISH. */
  private static @Nullable Duration evictLead(Fields limit, boolean always) {
    LeftoverPolicy leftoverPolicy =
        limit
            .get("leftoverPolicy")
            .flatMap(v -> v.choice(List.of(LeftoverPolicy.EVICT, LeftoverPolicy.FINISH)))
            .orElse(LeftoverPolicy.FINISH);
    Optional<Duration> lead =
        limit.get("windowLead").flatMap(v -> v.duration(Duration.ZERO, LONGEST_LEAD));
    for (String field : List.of("leftoverPolicy", "windowLead")) {
      if (always && limit.has(field)) {
        limit.refuse(
            field,
            ProblemCode.CONFLICTING_FIELDS,
            field + ": a limit without windows never changes.",
            null);
      }
    }
    if (leftoverPolicy == LeftoverPolicy.FINISH && lead.isPresent()) {
      limit.refuse(
          "windowLead",
          ProblemCode.CONFLICTING_FIELDS,
          "windowLead, the time before a window closes at which jobs are stopped, needs"
              + " leftoverPolicy EVICT.",
          null);
    }
    return leftoverPolicy == LeftoverPolicy.FINISH ? null : lead.orElse(Duration.ZERO);
  }

  private static Optional<LimitWindow> window(
      Value item, Fields window, Optional<String> resource) {
    Optional<RecurringWindow> read = RecurringWindowReader.read(item, window);
    Long nominal = amount(window, "nominal", resource);
    Long borrowing = amount(window, "borrowingLimit", resource);
    window.done();
    if (!window.has("nominal") && !window.has("borrowingLimit")) {
      item.refuse(
          ProblemCode.INVALID_FIELD,
          "The window changes nothing: nominal or borrowingLimit is the amount while it is open.",
          null);
    }
    return read.map(each -> new LimitWindow(each, nominal, borrowing));
  }

  private static @Nullable Long amount(Fields limit, String name, Optional<String> resource) {
    Optional<Value> value = limit.get(name);
    return resource.flatMap(r -> value.flatMap(v -> QuotaAmounts.read(v, r))).orElse(null);
  }

  private static Optional<Flavor> flavor(Value value) {
    return value
        .text(100)
        .flatMap(text ->
            Flavor.parse(text)
                .filter(flavor -> Names.isWord(flavor.model()))
                .or(() ->
                    value.bad(
                        "must be a GPU model or CPU, a slash, and RESERVED, ON_DEMAND or SPOT, not "
                            + value.shown(),
                        null)));
  }

  private static PreemptionRules preemption(Fields rules) {
    PreemptionRules.WithinQueue within =
        rules
            .get("withinQueue")
            .flatMap(v -> v.choice(PreemptionRules.WithinQueue.class))
            .orElse(PreemptionRules.NONE.withinQueue());
    PreemptionRules.Reclaim reclaim =
        rules
            .get("reclaim")
            .flatMap(v -> v.choice(PreemptionRules.Reclaim.class))
            .orElse(PreemptionRules.NONE.reclaim());
    boolean fairShare = rules.get("fairShare").flatMap(Value::flag).orElse(false);
    PreemptionRules.WhileBorrowing whileBorrowing =
        rules
            .get("whileBorrowing")
            .flatMap(v -> v.choice(PreemptionRules.WhileBorrowing.class))
            .orElse(PreemptionRules.NONE.whileBorrowing());
    Optional<Integer> highest =
        rules.get("maxVictimPriority").flatMap(v -> v.integer(0, HIGHEST_PRIORITY));
    boolean borrows = whileBorrowing != PreemptionRules.WhileBorrowing.NEVER;
    if (borrows && (fairShare || reclaim == PreemptionRules.Reclaim.NEVER)) {
      rules
          .get("whileBorrowing")
          .ifPresent(v ->
              v.refuse(
                  ProblemCode.CONFLICTING_FIELDS,
                  "whileBorrowing needs reclaim, and cannot be combined with fairShare. Set"
                      + " reclaim to LOWER_PRIORITY or ANY, and remove fairShare",
                  null));
    }
    if (!borrows && highest.isPresent()) {
      rules
          .get("maxVictimPriority")
          .ifPresent(v ->
              v.refuse(
                  ProblemCode.CONFLICTING_FIELDS,
                  "maxVictimPriority bounds the victims of whileBorrowing. Set whileBorrowing to "
                      + "LOWER_PRIORITY, or remove maxVictimPriority",
                  null));
    }
    rules.done();
    return new PreemptionRules(within, reclaim, fairShare, whileBorrowing, highest.orElse(null));
  }

  private static QueueSettings queue(Fields queue) {
    QueueSettings.Order order =
        queue
            .get("order")
            .flatMap(v -> v.choice(QueueSettings.Order.class))
            .orElse(QueueSettings.DEFAULT.order());
    QueueSettings.State state =
        queue
            .get("state")
            .flatMap(v -> v.choice(QueueSettings.State.class))
            .orElse(QueueSettings.DEFAULT.state());
    Optional<Duration> runtime =
        queue.get("defaultMaxRuntime").flatMap(v -> v.duration(LEAST_RUNTIME, LONGEST_RUNTIME));
    boolean byUser = queue.get("fairByUser").flatMap(Value::flag).orElse(false);
    FlavorFallback fallback =
        queue
            .get("flavorFallback")
            .flatMap(Value::fields)
            .map(QuotaReader::fallback)
            .orElse(FlavorFallback.DEFAULT);
    RoutingPolicy routing =
        queue
            .get("routing")
            .flatMap(Value::fields)
            .map(RoutingReader::read)
            .orElse(RoutingPolicy.NONE);
    UserLimits users =
        queue
            .get("userLimits")
            .flatMap(Value::fields)
            .map(QuotaReader::users)
            .orElse(UserLimits.NONE);
    RunLimits projects = runs(queue, "projectLimits");
    RunLimits all = runs(queue, "queueLimits");
    List<String> takes = queue.get("projects").map(QuotaReader::projects).orElse(null);
    List<String> checks = queue.get("checks").map(QuotaReader::checks).orElse(List.of());
    queue.done();
    return new QueueSettings(
        order,
        state,
        runtime.orElse(null),
        byUser,
        fallback,
        routing,
        users,
        projects,
        all,
        takes,
        checks);
  }

  private static List<String> checks(Value value) {
    List<String> names = new ArrayList<>();
    for (Value item : value.items(MOST_CHECKS)) {
      Names.label(item, Names.LONGEST_LABEL).ifPresent(names::add);
    }
    return names;
  }

  private static List<String> projects(Value value) {
    List<String> names = new ArrayList<>();
    for (Value item : value.items(MOST_PROJECTS)) {
      Names.label(item, Names.LONGEST_LABEL).ifPresent(names::add);
    }
    if (names.isEmpty()) {
      value.refuse(
          ProblemCode.INVALID_FIELD,
          "projects is empty, so no project could use the queue. Name a project, or remove "
              + "projects to allow all projects of the tenant",
          null);
    }
    return names;
  }

  private static RunLimits runs(Fields queue, String field) {
    Fields limits = queue.get(field).flatMap(Value::fields).orElse(null);
    if (limits == null) {
      return RunLimits.NONE;
    }
    RunLimits read = runs(limits);
    limits.done();
    return read;
  }

  private static RunLimits runs(Fields limits) {
    Optional<Integer> running = limits.get("running").flatMap(v -> v.integer(0, MOST_AT_ONCE));
    Optional<Integer> gpus = limits.get("gpus").flatMap(v -> v.integer(0, MOST_AT_ONCE));
    Optional<Integer> minutes =
        limits.get("gpuMinutes").flatMap(v -> v.integer(0, MOST_GPU_MINUTES));
    return new RunLimits(
        running.orElse(null),
        gpus.map(g -> g * 1000L).orElse(null),
        minutes.map(Integer::longValue).orElse(null));
  }

  private static UserLimits users(Fields users) {
    RunLimits runs = runs(users);
    Optional<Integer> queued = users.get("queued").flatMap(v -> v.integer(0, MOST_AT_ONCE));
    users.done();
    return new UserLimits(runs.running(), runs.gpuMilli(), queued.orElse(null), runs.gpuMinutes());
  }

  private static FlavorFallback fallback(Fields fallback) {
    FlavorFallback.WhenCanBorrow borrow =
        fallback
            .get("whenCanBorrow")
            .flatMap(v -> v.choice(FlavorFallback.WhenCanBorrow.class))
            .orElse(FlavorFallback.DEFAULT.whenCanBorrow());
    FlavorFallback.WhenCanPreempt preempt =
        fallback
            .get("whenCanPreempt")
            .flatMap(v -> v.choice(FlavorFallback.WhenCanPreempt.class))
            .orElse(FlavorFallback.DEFAULT.whenCanPreempt());
    FlavorFallback.Preference preference =
        fallback
            .get("preference")
            .flatMap(v -> v.choice(FlavorFallback.Preference.class))
            .orElse(FlavorFallback.DEFAULT.preference());
    fallback.done();
    return new FlavorFallback(borrow, preempt, preference);
  }
}
