package dev.fairlead.verify.engine.cases.kueue;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.verify.engine.cases.form.CaseJobs;
import dev.fairlead.verify.engine.cases.form.CaseWorld;
import dev.fairlead.verify.engine.cases.form.Missing;
import dev.fairlead.verify.engine.cases.form.NotExpressible;
import dev.fairlead.verify.engine.cases.form.Value;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.PlacementSpec;
import dev.fairlead.work.spec.RoleSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/** The snapshot of a case of the {@code kueue-*} families. */
public final class KueueCase {
  private final Value scenario;
  private final KueueNames names;
  private final KueueTree tree;
  private final KueueNodes nodes;
  private final KueueRequests requests;
  private final Map<JobId, Value> rows = new HashMap<>();
  private final Map<NodeId, Integer> taken = new HashMap<>();
  private final List<Holder> holders = new ArrayList<>();
  private final List<Job> waiting = new ArrayList<>();
  private int refused;

  /** A running job with its members. Keys order equal jobs. */
  private record Holder(String key, Job job, double seconds, boolean stops, List<Member> members) {}

  public KueueCase(Value scenario) {
    this.scenario = scenario;
    new KueueFacts(scenario).check();
    names = new KueueNames(scenario);
    tree = new KueueTree(scenario, names);
    requests = new KueueRequests(scenario, names, tree);
    nodes = new KueueNodes(scenario, names, requests.labels());
    List<Value> jobs = new ArrayList<>(scenario.get("jobs").list());
    jobs.stream().filter(KueueCase::runs).forEach(this::hold);
  }

  static boolean runs(Value job) {
    return job.get("state").text("PENDING").equals("RUNNING");
  }

  public KueueNames names() {
    return names;
  }

  public KueueTree tree() {
    return tree;
  }

  public Value row(JobId id) {
    return rows.getOrDefault(id, scenario.get("no job"));
  }

  /** Adds a waiting job. If two jobs are equal, the earlier is first. */
  public JobId offer(Value row, List<Value> tasks, CaseJobs.Rank rank) {
    String queue = row.get("queue").text(KueueTree.ANY);
    JobSpec spec = requests.spec(queue, tasks, row.get("preemptible").flag(true));
    Job job =
        CaseJobs.job(
            waiting.size() + refused + 1,
            tree.queue(queue),
            row.get("name").text("job"),
            row.get("local_queue").text("user"),
            spec,
            rank);
    rows.put(job.id(), row);
    if (KueueRequests.valid(tasks)) {
      waiting.add(job);
    } else {
      refused++;
    }
    return job.id();
  }

  public static CaseJobs.Rank rank(Value row) {
    return new CaseJobs.Rank(row.get("priority").whole(0), row.get("age_s").number(0));
  }

  private void hold(Value row) {
    String queue = row.get("admitted_in").text(row.get("queue").text());
    if (!tree.knows(queue)) {
      return;
    }
    List<RoleSpec> roles = new ArrayList<>();
    List<Member> members = new ArrayList<>();
    for (Value task : row.get("tasks").list()) {
      int count = admitted(task);
      if (count > 0) {
        CaseJobs.Tasks tasks = tasks(task, count);
        roles.add(tasks.role(null));
        members.addAll(members(task, tasks));
      }
    }
    if (!members.isEmpty()) {
      hold(row, tree.queue(queue), roles, members);
    }
  }

  /** Running members: the placed ones, if the case places them. */
  private static int admitted(Value task) {
    int placed = 0;
    for (Value domain : task.get("placement").get("domains").list()) {
      placed += domain.get("count").count(1);
    }
    return placed > 0 ? placed : task.get("admitted_count").count(task.get("count").count(1));
  }

  private void hold(Value row, QuotaNodeId queue, List<RoleSpec> roles, List<Member> members) {
    String key = row.get("uid").text(row.get("name").text("holder"));
    JobSpec spec = CaseJobs.spec(roles, PlacementSpec.ANYWHERE, row.get("preemptible").flag(true));
    Job job =
        CaseJobs.job(
            100_000 + holders.size(),
            queue,
            row.get("name").text("holder"),
            row.get("local_queue").text("user"),
            spec,
            rank(row));
    rows.put(job.id(), row);
    double seconds = row.get("admitted_ago_s").number(0);
    holders.add(new Holder(key, job, seconds, row.get("being_evicted").flag(false), members));
  }

  private CaseJobs.Tasks tasks(Value task, int count) {
    Value usage = task.get("usage");
    return new CaseJobs.Tasks(
        task.get("name").text(),
        count,
        count,
        names.carried() ? GpuRequest.whole(1) : GpuRequest.NONE,
        names.amount(usage, ResourceNames.CPU) / count,
        names.amount(usage, ResourceNames.MEMORY) / count);
  }

  /** Members on the nodes of the case, or else on the node of its flavor. */
  private List<Member> members(Value task, CaseJobs.Tasks tasks) {
    SortedSet<String> flavors = new TreeSet<>();
    task.get("flavors").fields().values().forEach(f -> flavors.add(f.text()));
    if (flavors.size() > 1) {
      throw new NotExpressible(Missing.FLAVOR_GROUPS);
    }
    String flavor = flavors.isEmpty() ? names.flavors().getFirst() : flavors.first();
    List<List<String>> places = new ArrayList<>();
    for (Value domain : task.get("placement").get("domains").list()) {
      for (int i = 0; i < domain.get("count").count(1); i++) {
        places.add(domain.get("path").texts());
      }
    }
    List<Member> members = new ArrayList<>();
    for (int i = 0; i < tasks.count(); i++) {
      members.add(
          member(
              tasks, i, flavor, nodes.at(flavor, i < places.size() ? places.get(i) : List.of())));
    }
    return members;
  }

  private Member member(CaseJobs.Tasks tasks, int index, String flavor, Node node) {
    List<GpuShare> gpus = new ArrayList<>();
    if (names.carried()) {
      int gpu = taken.merge(node.id(), 1, Integer::sum) - 1;
      gpus.add(new GpuShare(gpu, node.gpus().get(gpu).serial(), Gpu.WHOLE_MILLI));
    }
    return Member.planned(
        tasks.name(),
        index,
        node.id(),
        node.name(),
        names.flavored(flavor),
        ResourceVector.of(tasks.cpu(), tasks.memory(), gpus.size() * (long) Gpu.WHOLE_MILLI, 1),
        gpus);
  }

  /**
   * Adds a running job for the use of a queue, if the case gives the use but not the jobs.
   *
   * @param preemptible whether it may be evicted
   */
  public void holder(Value use, boolean preemptible, int priority) {
    String flavor = KueueNames.flavor(use);
    String resource = use.get("resource").text();
    double amount = use.get("amount").number();
    CaseJobs.Tasks tasks =
        new CaseJobs.Tasks(
            "holder",
            1,
            1,
            names.carried() ? GpuRequest.whole(1) : GpuRequest.NONE,
            names.amount(resource, amount, ResourceNames.CPU),
            names.amount(resource, amount, ResourceNames.MEMORY));
    JobSpec spec = CaseJobs.spec(List.of(tasks.role(null)), PlacementSpec.ANYWHERE, preemptible);
    Job job =
        CaseJobs.job(
            100_000 + holders.size(),
            tree.holding(use.get("queue").text()),
            "holder",
            "user",
            spec,
            new CaseJobs.Rank(priority, 0));
    Member member = member(tasks, 0, flavor, nodes.at(flavor, List.of()));
    holders.add(new Holder("holder" + holders.size(), job, 0, false, List.of(member)));
  }

  /** The snapshot with all added jobs. */
  public CaseWorld course() {
    CaseWorld course = new CaseWorld(nodes.cluster(), nodes.nodes(), tree.nodes(), false);
    SortedMap<String, Holder> byKey = new TreeMap<>();
    holders.forEach(h -> byKey.put(h.key() + "/" + h.job().queue() + "/" + h.job().name(), h));
    int number = 0;
    for (Holder holder : byKey.values()) {
      AttemptId id = new AttemptId(new UUID(5, ++number));
      course.runs(holder.job(), id, holder.seconds(), holder.members());
      if (holder.stops()) {
        course.stops(id, false);
      }
    }
    waiting.forEach(course::waits);
    return course;
  }
}
