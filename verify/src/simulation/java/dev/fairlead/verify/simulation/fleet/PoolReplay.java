package dev.fairlead.verify.simulation.fleet;

import dev.fairlead.care.supply.NodeKind;
import dev.fairlead.care.supply.Supply;
import dev.fairlead.care.supply.SupplyAnswer;
import dev.fairlead.care.supply.service.PoolSupplies;
import dev.fairlead.care.supply.service.SupplyLoop;
import dev.fairlead.care.supply.service.SupplyPorts;
import dev.fairlead.care.supply.service.SupplySpec;
import dev.fairlead.care.supply.service.SupplyView;
import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.Taint;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.fleet.node.pool.PoolSelector;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.fleet.quota.PreemptionRules;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.fleet.quota.service.QuotaSpec;
import dev.fairlead.fleet.quota.service.Quotas;
import dev.fairlead.kernel.clock.ClockStore;
import dev.fairlead.kernel.clock.service.spi.BelievedClock;
import dev.fairlead.kernel.idempotency.Idempotency;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.price.PriceScope;
import dev.fairlead.money.price.Validity;
import dev.fairlead.money.price.service.PriceCommands;
import dev.fairlead.money.price.service.Prices;
import dev.fairlead.money.usage.HourBook;
import dev.fairlead.money.usage.service.UsageLoop;
import dev.fairlead.people.tenant.Egress;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.verify.engine.timelapse.trace.Arrival;
import dev.fairlead.verify.simulation.world.NoWaits;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.placement.service.EngineNodeDemand;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A trace on three clusters under one policy. */
public final class PoolReplay {
  private static final Duration WATCHFUL = Duration.ofMinutes(1);
  private static final Duration CALM = Duration.ofMinutes(30);
  private static final int MOST_TURNS = 8;
  private static final Duration LOOK = Duration.ofHours(1);

  /** The time after its end at which an hour can be closed and is calculated once. */
  private static final Duration SETTLED = Duration.ofMillis(HourBook.SETTLING_MILLIS);

  private static final Duration RELEASED_AFTER = Duration.ofMinutes(10);
  private static final Duration READY_WITHIN = Duration.ofMinutes(30);
  private static final Duration REPLACED = Duration.ofMinutes(10);

  /** As announced by AWS and Google: two minutes and half a minute before the machine ends. */
  private static final List<Notice> NOTICES =
      List.of(
          new Notice("aws-node-termination-handler/spot-itn", Duration.ofMinutes(2)),
          new Notice("cloud.google.com/impending-node-termination", Duration.ofSeconds(30)));

  private final PoolPlan plan;
  private final PoolPolicy policy;
  private final FleetWorld world;
  private final MemoryStores stores;
  private final PoolBooks books;
  private final Loop usage;
  private final OnDemandNodes provisioner;
  private final Loop supply;
  private final Map<CapacityType, Project> projects = new EnumMap<>(CapacityType.class);
  private final List<Job> jobs = new ArrayList<>();
  private final PriorityQueue<Due> due =
      new PriorityQueue<>(Comparator.comparing(Due::at).thenComparing(Due::number));
  private int numbers;
  private boolean nodesChanged;
  private Instant looked;

  private record Due(Instant at, int number, Runnable work) {}

  private record Notice(String taint, Duration before) {}

  private PoolReplay(PoolPlan plan, PoolPolicy policy) {
    this.plan = plan;
    this.policy = policy;
    world = new FleetWorld(plan.seed(), plan.sites(), true);
    stores = world.stores();
    books = new PoolBooks(stores);
    usage =
        new UsageLoop(
            world.leases(),
            books,
            books.ledger(),
            new NoWaits(),
            stores.transactions(),
            new BelievedClock(
                () -> new ClockStore.Reading(books.now(), books.now(), 0, 0),
                world.leases(),
                stores.clock(),
                new SimpleMeterRegistry()));
    FleetWorld.Site bought = plan.site(CapacityType.ON_DEMAND);
    provisioner = new OnDemandNodes(world, bought, plan.seed(), this::atWithNodes);
    supply = supplyLoop();
    provisioner.kinds().forEach((model, kind) -> supply(bought, kind));
    looked = world.now().plus(SETTLED).minus(LOOK);
    prices();
    PoolPlan.TYPES.forEach(this::project);
  }

  static PoolRecord run(PoolPlan plan, PoolPolicy policy) {
    PoolReplay replay = new PoolReplay(plan, policy);
    replay.begin();
    replay.live();
    replay.close();
    replay.provisioner.close();
    return new PoolRecord(
        plan, policy, replay.world, replay.books, replay.jobs, replay.provisioner);
  }

  private Loop supplyLoop() {
    return new SupplyLoop(
        world.leases(),
        stores.supplies(),
        stores.pools(),
        stores.inventory(),
        new SupplyPorts(
            provisioner,
            call -> new SupplyAnswer.Unanswered("not asked"),
            new EngineNodeDemand(stores.world()),
            stores.reservations()),
        stores.transactions(),
        stores.ids(),
        new SimpleMeterRegistry());
  }

  /** Adds nodes of this kind to a separate pool when jobs wait for them. */
  private void supply(FleetWorld.Site site, NodeKind kind) {
    String name = "bought-" + kind.model().toLowerCase(Locale.ROOT);
    PoolSelector selector =
        new PoolSelector(List.of(site.name()), List.of(kind.model()), new TreeMap<>(), List.of());
    Pool pool =
        new Pool(
            new PoolId(stores.ids().next()),
            name,
            null,
            selector,
            "",
            Spares.NONE,
            PoolWindows.NONE,
            1);
    stores.pools().insert(pool);
    SupplySpec spec =
        new SupplySpec(
            site.name(),
            kind,
            provisioner.most(kind.model()),
            RELEASED_AFTER,
            READY_WITHIN,
            new Supply.Webhook("https://provisioner.example", null));
    SupplyView _ =
        new PoolSupplies(
                stores.transactions(),
                stores.supplies(),
                stores.pools(),
                stores.inventory(),
                provisioner,
                purpose -> Optional.of(new byte[32]),
                stores.audit())
            .put(world.operator(), name, spec, null, false);
  }

  private void atWithNodes(Instant time, Runnable work) {
    at(
        time,
        () -> {
          nodesChanged = true;
          work.run();
        });
  }

  private void prices() {
    PriceCommands commands =
        new PriceCommands(
            stores.transactions(),
            stores.prices(),
            stores.configs(),
            new Prices(stores.prices(), stores.inventory(), stores.pools()),
            new Idempotency(stores.idempotency()),
            stores.audit(),
            stores.ids());
    for (CapacityType type : PoolPlan.TYPES) {
      PriceId first = price(commands, type, plan.prices().of(type), null, null);
      if (type == CapacityType.ON_DEMAND) {
        Instant change = world.now().plus(PoolPlan.Prices.CHANGE);
        price(commands, type, plan.prices().later(), change, first);
      }
    }
  }

  private PriceId price(
      PriceCommands commands,
      CapacityType type,
      Money amount,
      @Nullable Instant from,
      @Nullable PriceId replaces) {
    PriceCommands.NewPrice request =
        (id, now) ->
            new Price(
                id,
                new PriceScope(null, null, null, type),
                amount,
                new Validity(from == null ? now : from, null),
                replaces,
                null,
                now);
    String made = commands.create(world.operator(), request, null, false).id();
    return new PriceId(IdText.decode(IdKind.PRICE, made).orElseThrow());
  }

  /** Uses a separate queue that the policy routes. */
  private void project(CapacityType home) {
    String name = PoolPlan.cluster(home);
    Quotas quotas =
        new Quotas(
            stores.transactions(),
            stores.quotas(),
            stores.tenants(),
            new Idempotency(stores.idempotency()),
            stores.audit(),
            stores.ids());
    QuotaSpec spec =
        new QuotaSpec(
            "queue-" + name,
            "root",
            1000,
            List.of(),
            PreemptionRules.NONE,
            QueueSettings.DEFAULT.withRouting(policy.routing(plan, name)),
            SharePolicy.DOMINANT_SHARE,
            null);
    QuotaNode queue = quotas.create(world.operator(), spec, null, false).node();
    Project project =
        world.tenancy().newProject("project-" + name).with(queue.id().value(), Egress.OPEN);
    stores.tenants().insert(project);
    projects.put(home, project);
  }

  private void begin() {
    for (int i = 0; i < 10; i++) {
      world.passTo(world.now().plusMillis(200));
    }
    Instant start = world.now();
    for (PoolPlan.PoolJob job : plan.jobs()) {
      at(start.plusSeconds(job.arrival().submitted()), () -> submit(job));
    }
    FleetWorld.Site spot = plan.sites().getLast();
    List<String> nodes =
        world.cluster(spot.name()).inventory().nodes().stream().map(n -> n.name()).toList();
    SplittableRandom chance = new SplittableRandom(plan.seed());
    for (int i = 0; i < nodes.size(); i++) {
      reclaim(nodes.get(i), NOTICES.get(i % NOTICES.size()), chance.split());
    }
  }

  private void at(Instant time, Runnable work) {
    due.add(new Due(time, numbers++, work));
  }

  private void submit(PoolPlan.PoolJob job) {
    Arrival arrival = job.arrival();
    boolean interruptible = job.home() == CapacityType.SPOT;
    PlacementSpec placement =
        interruptible
            ? PlacementSpec.ANYWHERE.with().capacity(PoolPlan.TYPES).build()
            : PlacementSpec.ANYWHERE;
    Specs spec =
        Specs.job("job-" + jobs.size())
            .workers(arrival.members())
            .gpu(arrival.gpu())
            .cpuMilli(arrival.cpuMilli())
            .memoryMiB(arrival.memoryMiB())
            .placement(placement)
            .maxRuntime(limit(arrival.run()))
            .annotation("sim.fairlead.dev/run-for", Math.max(1, arrival.run()) + "s");
    jobs.add(world.submit(projects.get(job.home()), spec));
    /* the passes at which a tier opens to it */
    for (Duration wait : List.of(plan.spotAfter(), plan.onDemandAfter())) {
      at(world.now().plus(wait), () -> {});
    }
  }

  /** Runtime stated by users: 1.5 to 4 times the real runtime, by the job's number. */
  private Duration limit(long run) {
    return Duration.ofSeconds(60 + Math.max(1, run) * (3 + jobs.size() % 6) / 2);
  }

  /** The provider takes the node back after its notice, and gives another one later. */
  private void reclaim(String node, Notice notice, SplittableRandom chance) {
    double mean = plan.reclaimed().toMillis();
    long wait = (long) (-mean * Math.log(1 - chance.nextDouble()));
    Instant told = world.now().plusMillis(wait);
    String cluster = PoolPlan.cluster(CapacityType.SPOT);
    at(
        told,
        () -> {
          nodesChanged = true;
          world.cluster(cluster).show(node, List.of(), List.of(taint(notice)));
        });
    at(
        told.plus(notice.before()),
        () -> {
          nodesChanged = true;
          world.cluster(cluster).removeNode(node);
        });
    at(
        told.plus(notice.before()).plus(REPLACED),
        () -> {
          nodesChanged = true;
          world.cluster(cluster).show(node, List.of(), List.of());
          world.cluster(cluster).returnNode(node);
          reclaim(node, notice, chance);
        });
  }

  private static Taint taint(Notice notice) {
    return new Taint(notice.taint(), "", "NoSchedule");
  }

  /** Advances from event to event, and runs passes at each until nothing changes. */
  private void live() {
    Instant shown = world.now();
    while (jobs.size() < plan.jobs().size() || !stores.jobs().active().isEmpty()) {
      Instant next = earliest(world.now().plus(settled() ? CALM : WATCHFUL), looked.plus(LOOK));
      next = shown.isAfter(world.now()) ? earliest(next, shown) : next;
      Due first = due.peek();
      next = first == null ? next : earliest(next, first.at());
      shown = pass(next);
    }
  }

  /** Returns when something is due on a cluster next. */
  private Instant pass(Instant next) {
    Instant clusters = world.passTo(next);
    while (!due.isEmpty() && !due.peek().at().isAfter(next)) {
      due.remove().work().run();
    }
    long before = -1;
    for (int i = 0; i < MOST_TURNS && before != world.changes(); i++) {
      before = world.changes();
      boolean _ = supply.tick();
      clusters = world.passTo(next);
    }
    if (nodesChanged) {
      books.look();
      nodesChanged = false;
    }
    if (!next.isBefore(looked.plus(LOOK))) {
      boolean behind = true;
      while (behind) {
        behind = usage.tick();
      }
      looked = next;
    }
    return clusters == null ? next : clusters;
  }

  /** Returns whether nothing waits, starts or ends, and no bought node is added or removed. */
  private boolean settled() {
    boolean moving =
        stores.supplies().open().stream()
            .anyMatch(each ->
                each.state().waits()
                    || each.talk().handsBack()
                    || each.delivered().stream()
                        .anyMatch(node -> node.emptySince() != null && node.leftAt() == null));
    return !moving
        && stores.jobs().active().stream().allMatch(job -> job.state() == JobState.RUNNING);
  }

  /** Runs until the hour of the last end is closed. */
  private void close() {
    long last =
        stores.jobs().everyAttempt().stream()
            .map(Attempt::endedAt)
            .mapToLong(end -> end == null ? 0 : end.toEpochMilli())
            .max()
            .orElse(0);
    while (books.open() <= last) {
      pass(world.now().plus(LOOK));
    }
    if (books.open() % HourBook.HOUR_MILLIS != 0) {
      throw new IllegalStateException("hours begin at " + books.open());
    }
  }

  private static Instant earliest(Instant a, Instant b) {
    return a.isBefore(b) ? a : b;
  }
}
