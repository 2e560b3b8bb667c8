package dev.fairlead.verify.simulation.front;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fairlead.front.FrontNamespace;
import dev.fairlead.front.SeenJob;
import dev.fairlead.front.service.FrontProcess;
import dev.fairlead.front.service.spi.FrontUpkeep;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.verify.simulation.work.Replica;
import dev.fairlead.verify.simulation.world.Area;
import dev.fairlead.verify.simulation.world.DurableState;
import dev.fairlead.verify.simulation.world.Guard;
import dev.fairlead.verify.simulation.world.Invariant;
import dev.fairlead.verify.simulation.world.InvariantBroken;
import dev.fairlead.verify.simulation.world.ProcessDied;
import dev.fairlead.verify.simulation.world.ProcessLife;
import dev.fairlead.verify.simulation.world.VirtualTime;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.service.JobSubmitCommands;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.kubernetes.InPlaceConnection;
import dev.fairlead.work.workload.simulation.SimulatedCluster;
import dev.fairlead.work.world.memory.MemoryStores;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A front cluster with objects of another kind in place. Users create and delete them and write
 * their flag by hand, their controller is slow or absent, their definition is removed, and the etcd
 * of the front is restored. No pod of an object runs without its reservation. With faults off, each
 * stop reaches its object and each reservation ends with its object.
 */
public final class InPlaceArea implements Area {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** After this time without faults, everything is handled that happened before. */
  private static final Duration SETTLED = Duration.ofMinutes(12);

  /** Longest time, without faults, between the end of an object and that of its reservation. */
  private static final Duration LONGEST_HOLD = Duration.ofMinutes(8);

  private static final Duration LONGEST_STOP = Duration.ofMinutes(2);
  private static final Duration LOOK = Duration.ofSeconds(15);

  /** Longest run without a reservation after a restore brought back an earlier start. */
  private static final Duration RESTORED = Duration.ofMinutes(20);

  private static final Duration ENDLESS = Duration.ofDays(2);

  private final RandomGenerator chance;
  private final VirtualTime time;
  private final DurableState durable;
  private final Set<Guard> missing;
  private final ClusterId cluster;
  private final InPlaceServer server = new InPlaceServer();
  private final InPlaceController controller;
  private final Map<ProcessLife, InPlaceProcess> processes = new HashMap<>();
  private final Set<String> byHand = new HashSet<>();
  private final Map<AttemptId, Long> idle = new HashMap<>();
  private final Map<AttemptId, Long> stopping = new HashMap<>();
  private Area.@Nullable Process some;
  private final boolean active;
  private boolean open = true;
  private boolean calm;
  private boolean dirty = true;
  private boolean restored;
  private long checked = -1;
  private long restoredAt = Long.MIN_VALUE / 2;

  public InPlaceArea(
      RandomGenerator chance, VirtualTime time, DurableState durable, Set<Guard> missing) {
    this.chance = chance;
    this.time = time;
    this.durable = durable;
    this.missing = missing;
    this.cluster = durable.clusters().lastKey();
    this.controller = new InPlaceController(chance, time, server);
    MemoryStores stored = durable.stores();
    boolean wanted = Stream.of(Guard.values()).anyMatch(g -> g.ofKinds() && missing.contains(g));
    /* The first cluster has the Jobs of another area. */
    this.active =
        durable.clusters().size() > 1 && (wanted || missing.isEmpty() && chance.nextInt(6) == 0);
    if (!active) {
      return;
    }
    durable.shelter(cluster);
    stored.database().listen(topic -> dirty = true);
    stored
        .fronts()
        .put(
            new FrontNamespace(
                cluster,
                InPlaceServer.NAMESPACE,
                durable.world().tenant().id(),
                durable.world().project().id(),
                "ada",
                stored.clock().instant()));
    int count = wanted ? 24 : 6 + chance.nextInt(10);
    for (int i = 0; i < count; i++) {
      String uid = new UUID(chance.nextLong(), chance.nextLong()).toString();
      String name = "object-" + i;
      time.in(seconds(wanted ? 1500 : 900), "user creates " + name, () -> create(uid, name));
    }
    time.in(seconds(300), "backup of the front", server::backUp);
    later();
  }

  private Duration seconds(int most) {
    return Duration.ofSeconds(1L + chance.nextInt(most));
  }

  private void create(String uid, String name) {
    if (open) {
      controller.expect(
          uid,
          new InPlaceController.Run(
              missing.contains(Guard.KIND_STOP)
                  ? ENDLESS
                  : seconds(chance.nextBoolean() ? 60 : 600),
              chance.nextInt(5) == 0 ? "Failed" : "Completed"));
      server.create(uid, name, 1 + chance.nextInt(3));
    }
  }

  private void later() {
    int most = missing.contains(Guard.KIND_REPORT) ? 10 : 60;
    time.in(
        seconds(most),
        "trouble with objects",
        () -> {
          if (open) {
            trouble();
            later();
          }
        });
  }

  private void trouble() {
    int kind = missing.contains(Guard.KIND_GONE) ? 0 : 8 + chance.nextInt(4);
    switch (missing.isEmpty() ? chance.nextInt(12) : kind) {
      case 0, 1 -> any().ifPresent(server::delete);
      case 2 -> any().ifPresent(uid -> byHand(uid, false));
      case 3 -> any().ifPresent(uid -> server.suspend(uid, true));
      case 4 -> definition();
      case 5 -> {
        if (!restored) {
          restore();
        }
      }
      case 6 -> absent();
      case 7, 8 -> slow();
      default -> cancel();
    }
  }

  private Optional<String> any() {
    List<String> uids = server.uids();
    return uids.isEmpty() ? Optional.empty() : Optional.of(uids.get(chance.nextInt(uids.size())));
  }

  /** Fairlead promises nothing for an object that its user starts. */
  private void byHand(String uid, boolean flag) {
    byHand.add(uid);
    server.suspend(uid, flag);
  }

  private void definition() {
    time.say(() -> "the definition of the kind is removed");
    server.serves(false);
    time.in(seconds(120), "the definition is installed again", () -> server.serves(true));
  }

  private void restore() {
    time.say(() -> "the etcd of the front is restored");
    restored = true;
    restoredAt = time.now();
    server.restore();
  }

  private void absent() {
    controller.absent(true);
    time.in(seconds(90), "the controller returns", () -> controller.absent(false));
  }

  private void slow() {
    controller.slow(true);
    time.in(seconds(120), "the controller is quick", () -> controller.slow(false));
  }

  /** A user cancels a job, often while its object starts. */
  private void cancel() {
    List<Job> jobs =
        durable.stores().jobs().active().stream()
            .filter(InPlaceArea::inPlace)
            .filter(job -> !durable.stores().jobs().liveAttempts(job.id()).isEmpty())
            .toList();
    Area.Process process = some;
    if (jobs.isEmpty() || process == null || !process.life().responds()) {
      return;
    }
    try {
      new JobSubmitCommands(process.commands(), process.control())
          .cancel(durable.operator(), jobs.get(chance.nextInt(jobs.size())).id());
    } catch (ProcessDied unanswered) {
      time.say(() -> "a cancel is unanswered: " + unanswered);
    } catch (RuntimeException failed) {
      if (!Replica.simulated(failed) && process.life().alive()) {
        throw failed;
      }
    }
  }

  private static boolean inPlace(Job job) {
    return job.spec().annotations().containsKey(SeenJob.IN_PLACE);
  }

  @Override
  public Optional<FrontUpkeep> fronts(Process process) {
    if (!active) {
      return Optional.empty();
    }
    some = process;
    MemoryStores stores = durable.stores();
    SimulatedCluster reached = Objects.requireNonNull(durable.clusters().get(cluster));
    String name = stores.inventory().cluster(cluster).orElseThrow().name();
    InPlaceProcess its =
        new InPlaceProcess(
            server,
            process.life(),
            time,
            name,
            stores.leases().installation(),
            () -> reached.contact().silentMillis() == 0,
            missing);
    processes.put(process.life(), its);
    return Optional.of(
        new FrontProcess(
            cluster,
            its,
            stores.fronts(),
            stores.jobs(),
            (actor, project, json) -> spec(json),
            new JobSubmitCommands(process.commands(), process.control()),
            FrontObjects.NONE,
            stores,
            process.transactions()));
  }

  private static JobSpec spec(String json) {
    try {
      JsonNode document = MAPPER.readTree(json);
      return Specs.job("object")
          .workers(document.at("/roles/0/count").asInt())
          .gpus(document.at("/roles/0/gpu").asInt())
          .placement(
              PlacementSpec.ANYWHERE
                  .with()
                  .clusters(List.of(document.at("/placement/clusters/0").asText()))
                  .build())
          .build();
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  @Override
  public ClusterGateway reached(ProcessLife life, ClusterId id, ClusterGateway gateway) {
    InPlaceProcess its = processes.get(life);
    if (its == null || !id.equals(cluster)) {
      return gateway;
    }
    InPlaceConnection connection =
        new InPlaceConnection(
            durable.stores().leases().installation(),
            its,
            () -> durable.stores().clock().instant(),
            () -> {},
            missing.contains(Guard.KIND_REPORT));
    its.connection = connection;
    return InPlaceGateway.of(gateway, server, its, connection);
  }

  @Override
  public void check() {
    if (active && (dirty || checked != server.version())) {
      dirty = false;
      checked = server.version();
      server.pods().forEach(this::reserved);
    }
  }

  private void reserved(String name, InPlaceServer.Pod pod) {
    boolean promised =
        !byHand.contains(pod.owner()) && time.now() - restoredAt > RESTORED.toMillis();
    if (promised && attempt(pod).stream().noneMatch(attempt -> holds(attempt, pod))) {
      throw new InvariantBroken(
          Invariant.OBJECT_HAS_RESERVATION, name + " runs on " + pod.node() + " for " + pod);
    }
  }

  private List<Attempt> attempt(InPlaceServer.Pod pod) {
    return IdText.decode(pod.attempt()).map(AttemptId::new).stream()
        .flatMap(id -> durable.stores().jobs().attempts(List.of(id)).stream())
        .toList();
  }

  private static boolean holds(Attempt attempt, InPlaceServer.Pod pod) {
    return attempt.live()
        && attempt.members().stream().anyMatch(m -> m.nodeName().equals(pod.node()));
  }

  @Override
  public void heal() {
    open = false;
    if (active) {
      server.serves(true);
      controller.absent(false);
      controller.slow(false);
      time.in(
          SETTLED,
          "objects without faults",
          () -> {
            calm = true;
            look();
          });
    }
  }

  /** With faults off, stops reach their objects, and reservations end with their objects. */
  private void look() {
    Map<AttemptId, Long> idleBefore = new HashMap<>(idle);
    Map<AttemptId, Long> stoppingBefore = new HashMap<>(stopping);
    idle.clear();
    stopping.clear();
    for (Attempt attempt : held()) {
      ObjectNode object = object(attempt);
      boolean over = object == null || InPlaceServer.ended(object);
      if (over && !server.runs(attempt.id())) {
        since(idle, idleBefore, attempt, LONGEST_HOLD, Invariant.RESERVATION_HAS_OBJECT);
      }
      boolean runs =
          object != null && !over && !object.at("/spec/suspend").asBoolean() && !byHand(object);
      if (attempt.stop() != null && runs && attempt.state() != AttemptState.UNKNOWN) {
        since(stopping, stoppingBefore, attempt, LONGEST_STOP, Invariant.STOP_REACHES_OBJECT);
      }
    }
    time.in(LOOK, "a look at objects", this::look);
  }

  private boolean byHand(ObjectNode object) {
    return byHand.contains(object.at("/metadata/uid").asText());
  }

  private void since(
      Map<AttemptId, Long> now,
      Map<AttemptId, Long> before,
      Attempt attempt,
      Duration most,
      Invariant invariant) {
    long begin = before.getOrDefault(attempt.id(), time.now());
    now.put(attempt.id(), begin);
    if (time.now() - begin > most.toMillis()) {
      throw new InvariantBroken(invariant, attempt.toString());
    }
  }

  /** Live attempts in place. */
  private List<Attempt> held() {
    List<Attempt> held = new ArrayList<>();
    for (Attempt attempt : durable.stores().jobs().live()) {
      boolean ours =
          attempt.cluster().equals(cluster)
              && durable.stores().jobs().findAll(List.of(attempt.job())).stream()
                  .anyMatch(InPlaceArea::inPlace);
      if (ours) {
        held.add(attempt);
      }
    }
    return held;
  }

  private @Nullable ObjectNode object(Attempt attempt) {
    Job job = durable.stores().jobs().findAll(List.of(attempt.job())).getFirst();
    String[] reference = job.spec().annotations().get(SeenJob.IN_PLACE).split("/", -1);
    return server.tree(reference[reference.length - 1]);
  }

  /** Nothing is reserved for objects, no pod runs for an attempt, and no anchor remains. */
  @Override
  public void end() {
    if (!active) {
      return;
    }
    check();
    held()
        .forEach(attempt -> {
          throw new InvariantBroken(Invariant.RESERVATION_HAS_OBJECT, "at the end " + attempt);
        });
    if (!server.anchors().isEmpty()) {
      throw new InvariantBroken(Invariant.NOTHING_IS_LEFT, server.anchors().toString());
    }
  }
}
