package dev.fairlead.work.workload;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.people.cloudidentity.CloudIdentity;
import dev.fairlead.people.tenant.Egress;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.AttemptStatus;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobStatus;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.RoleSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Launch orders for tests: members on the given nodes in turn, each with the lowest GPUs that no
 * earlier member of the order has. All orders have the same installation, tenant, project and
 * cluster.
 */
public final class LaunchOrders {
  private static final Instant CREATED = Instant.parse("2030-01-01T00:00:00Z");
  private static final int WHOLE_MILLI = 1000;

  private final IdSource ids;
  private final Installation installation;
  private final Tenant tenant;
  private final Project project;
  private final QuotaNodeId queue;
  private final ClusterId cluster;

  public LaunchOrders(IdSource ids, Installation installation, String project) {
    this.ids = ids;
    this.installation = installation;
    tenant = new Tenant(new TenantId(ids.next()), "tenant", "", Tenant.State.ACTIVE, 1);
    queue = new QuotaNodeId(ids.next());
    this.project =
        new Project(
            new ProjectId(ids.next()),
            tenant.id(),
            project,
            "fairlead-" + project,
            queue.value(),
            Egress.OPEN,
            null,
            null,
            1);
    cluster = new ClusterId(ids.next());
  }

  /** The first attempt of a new job. */
  public LaunchOrder order(
      long epoch, JobSpec spec, List<NodeReport> nodes, Capabilities capabilities) {
    Job job =
        new Job(
            new JobId(ids.next()),
            tenant.id(),
            project.id(),
            queue,
            spec.name(),
            "ana",
            spec,
            spec.priorityClass().value(),
            CREATED,
            JobStatus.queued(CREATED),
            null,
            List.of(),
            1);
    return new LaunchOrder(
        installation,
        epoch,
        tenant,
        project,
        job,
        attempt(job, 1, epoch, members(spec, nodes)),
        capabilities,
        LaunchSecrets.NONE,
        null);
  }

  /** The next attempt of the order's job, on the same nodes. */
  public LaunchOrder again(LaunchOrder order) {
    List<Member> members =
        order.attempt().members().stream()
            .map(m ->
                Member.planned(
                    m.role(), m.index(), m.node(), m.nodeName(), m.flavor(), m.request(), m.gpus()))
            .toList();
    Attempt next = attempt(order.job(), order.attempt().number() + 1, order.epoch(), members);
    return with(order, order.epoch(), next);
  }

  /** Returns the order with this value of a secret. */
  public static LaunchOrder keeping(LaunchOrder order, String secret, String key, String value) {
    SortedMap<String, SortedMap<String, Secret>> secrets =
        new TreeMap<>(order.secrets().ofProject());
    secrets.put(secret, new TreeMap<>(Map.of(key, new Secret(value))));
    return order
        .with()
        .secrets(
            new LaunchSecrets(secrets, order.secrets().credential(), order.secrets().outputs()))
        .identity(null)
        .build();
  }

  /** Returns the order with this value of the output that the text references. */
  public static LaunchOrder resolving(LaunchOrder order, String reference, String value) {
    SortedMap<String, Secret> outputs = new TreeMap<>(order.secrets().outputs());
    outputs.put(reference, new Secret(value));
    return order
        .with()
        .secrets(
            new LaunchSecrets(order.secrets().ofProject(), order.secrets().credential(), outputs))
        .identity(null)
        .build();
  }

  /** Returns the order with this credential of its attempt. */
  public static LaunchOrder answering(LaunchOrder order, String credential) {
    return order
        .with()
        .secrets(
            new LaunchSecrets(
                order.secrets().ofProject(), new Secret(credential), order.secrets().outputs()))
        .identity(null)
        .build();
  }

  /** Returns the order with this cloud identity. */
  public static LaunchOrder identified(LaunchOrder order, CloudIdentity identity) {
    return order.withIdentity(identity);
  }

  /** Returns the order with only these members. */
  public static LaunchOrder of(LaunchOrder order, List<Member> members) {
    return with(order, order.epoch(), order.attempt().with(members));
  }

  /** Returns the order from a supervisor of another epoch. */
  public static LaunchOrder under(long epoch, LaunchOrder order) {
    return with(order, epoch, order.attempt());
  }

  private static LaunchOrder with(LaunchOrder order, long epoch, Attempt attempt) {
    return order.with().epoch(epoch).attempt(attempt).identity(null).build();
  }

  private Attempt attempt(Job job, int number, long epoch, List<Member> members) {
    return new Attempt(
        new AttemptId(ids.next()),
        job.id(),
        0,
        number,
        cluster,
        epoch,
        CREATED,
        AttemptStatus.of(AttemptState.LAUNCHING),
        members,
        List.of());
  }

  private List<Member> members(JobSpec spec, List<NodeReport> nodes) {
    List<Member> members = new ArrayList<>();
    SortedMap<String, Integer> given = new TreeMap<>();
    for (RoleSpec role : spec.roles()) {
      for (int i = 0; i < role.count(); i++) {
        members.add(member(role, i, nodes.get(members.size() % nodes.size()), given));
      }
    }
    return members;
  }

  private Member member(
      RoleSpec role, int index, NodeReport node, SortedMap<String, Integer> given) {
    List<GpuShare> shares = new ArrayList<>();
    boolean whole = role.gpu().kind() == GpuRequest.Kind.WHOLE;
    int milli = whole ? WHOLE_MILLI : (int) role.gpu().milliOn(node.gpuMemoryMiB());
    int wanted = milli == 0 ? 0 : whole ? role.gpu().count() : 1;
    for (int gpu = 0; gpu < node.gpus().size() && shares.size() < wanted; gpu++) {
      String serial = node.gpus().get(gpu).serial();
      if (given.merge(serial, milli, Integer::sum) <= WHOLE_MILLI) {
        shares.add(new GpuShare(gpu, serial, milli));
      } else {
        given.merge(serial, -milli, Integer::sum);
      }
    }
    String model = shares.isEmpty() ? Flavor.CPU : node.gpuModel();
    return Member.planned(
        role.name(),
        index,
        new NodeId(ids.next()),
        node.name(),
        new Flavor(model, CapacityType.RESERVED),
        ResourceVector.of(role.cpuMilli(), role.memoryMiB(), (long) milli * wanted, 1),
        shares);
  }
}
