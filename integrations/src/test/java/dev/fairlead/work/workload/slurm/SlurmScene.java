package dev.fairlead.work.workload.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.kernel.egress.EgressPolicy;
import dev.fairlead.kernel.egress.FakeHosts;
import dev.fairlead.kernel.identity.memory.SeededIds;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RoleSpec;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.EpochClaim;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.LaunchOrders;
import dev.fairlead.work.workload.WorkloadAction;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/** Gateways to one real Slurm. Each test ends the jobs that it launched. */
abstract class SlurmScene {
  static final long EPOCH = 2;
  static final Duration GRACE = Duration.ofSeconds(30);

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration STEP = Duration.ofMillis(50);

  protected static RealSlurm slurm;

  private final Installation installation = new Installation(UUID.randomUUID(), 1);
  private final LaunchOrders orders =
      new LaunchOrders(new SeededIds(new Random().nextLong()), installation, "slurm");
  private final List<SlurmClusterGateway> gateways = new ArrayList<>();
  private final List<LaunchOrder> launched = new ArrayList<>();

  @BeforeAll
  static void start() {
    slurm = RealSlurm.start(3);
  }

  @AfterAll
  static void end() {
    slurm.close();
  }

  @AfterEach
  void leaveNothing() {
    slurm.down(false);
    for (LaunchOrder order : launched) {
      slurm.command("scancel", "--name=" + name(order));
    }
    gateways.forEach(SlurmClusterGateway::close);
    eventually(
        "all nodes are idle",
        () -> slurm.command("sinfo", "-h", "-t", "idle", "-o", "%D").equals("3"));
  }

  /** A gateway of a new process, which has claimed the cluster and read it. */
  protected SlurmClusterGateway gateway() {
    SlurmClusterGateway gateway = gateway(slurm.connection().token().reveal());
    eventually("it is read", () -> gateway.contact().synced());
    assertThat(gateway.claim(EPOCH, 1)).isEqualTo(EpochClaim.OURS);
    return gateway;
  }

  protected SlurmClusterGateway gateway(String token) {
    SlurmClusterGateway gateway =
        new SlurmClusterGateway("hall", rest(token), installation, "root").open();
    gateways.add(gateway);
    return gateway;
  }

  protected static SlurmRest rest() {
    return rest(slurm.connection().token().reveal());
  }

  private static SlurmRest rest(String token) {
    EgressPolicy egress = EgressPolicy.of("test", List.of("127.0.0.0/8"), FakeHosts.LOOKUP);
    return new SlurmRest(new SlurmHttps(slurm.connection(token), egress, Duration.ofSeconds(10)));
  }

  /** A job that runs the text in a shell on the node itself. */
  protected static Specs job(String text) {
    Specs job = Specs.job("slurm").memoryMiB(100).run(text);
    slurm.environment().forEach(job::env);
    return job;
  }

  protected LaunchOrder order(SlurmClusterGateway gateway, Specs specs) {
    JobSpec spec = specs.build();
    JobSpec bare =
        spec.withRoles(
            spec.roles().stream().map(role -> role.withImage(RoleSpec.NO_IMAGE)).toList());
    return order(gateway, bare);
  }

  protected LaunchOrder order(SlurmClusterGateway gateway, JobSpec spec) {
    List<NodeReport> nodes = gateway.inventory().nodes();
    LaunchOrder order =
        orders.order(EPOCH, spec, List.of(nodes.get(2), nodes.get(1)), gateway.capabilities());
    launched.add(order);
    return order;
  }

  protected LaunchOrder launch(SlurmClusterGateway gateway, Specs specs) {
    LaunchOrder order = order(gateway, specs);
    assertThat(gateway.apply(launch(order))).isEqualTo(done());
    return order;
  }

  protected static WorkloadAction launch(LaunchOrder order) {
    return new WorkloadAction.Launch(order.attempt().id(), order);
  }

  protected static WorkloadAction stop(LaunchOrder order) {
    return new WorkloadAction.Stop(
        order.attempt().id(), order.project().namespace(), GRACE, List.copyOf(keys(order)));
  }

  protected static WorkloadAction retire(LaunchOrder order) {
    return WorkloadAction.Retire.of(order.attempt(), order.project().namespace());
  }

  protected static ActionOutcome done() {
    return new ActionOutcome.Done(new TreeSet<>());
  }

  protected static SortedSet<MemberKey> keys(LaunchOrder order) {
    SortedSet<MemberKey> keys = new TreeSet<>();
    order.attempt().members().forEach(member -> keys.add(MemberKey.of(member)));
    return keys;
  }

  protected static ObservedWorkload seen(SlurmClusterGateway gateway, LaunchOrder order) {
    return gateway
        .workloadsSince(0)
        .workloads()
        .getOrDefault(order.attempt().id(), ObservedWorkload.nothing(order.attempt().id()));
  }

  protected static ObservedMember member(
      SlurmClusterGateway gateway, LaunchOrder order, int index) {
    return seen(gateway, order)
        .member(MemberKey.of(order.attempt().members().get(index)))
        .orElseThrow();
  }

  protected static void eventuallyIs(
      SlurmClusterGateway gateway, LaunchOrder order, MemberState state) {
    eventually(
        () -> "all members are " + state + ", now " + seen(gateway, order),
        () ->
            seen(gateway, order).members().values().stream()
                    .filter(member -> member.state() == state)
                    .count()
                == order.attempt().members().size());
  }

  /** Jobs of the attempt that Slurm has, with their states. */
  protected static List<String> jobs(LaunchOrder order) {
    return slurm
        .command("squeue", "-h", "-t", "all", "-n", name(order), "-o", "%T")
        .lines()
        .toList();
  }

  protected static String name(LaunchOrder order) {
    return ObjectNames.attempt(order.attempt().id());
  }

  protected static void eventually(String what, BooleanSupplier holds) {
    eventually(() -> what, holds);
  }

  protected static void eventually(Supplier<String> what, BooleanSupplier holds) {
    long until = System.nanoTime() + PATIENCE.toNanos();
    while (!holds.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(until);
      LockSupport.parkNanos(STEP.toNanos());
    }
  }
}
